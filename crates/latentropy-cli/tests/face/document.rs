//! JSON documents as lines that people can compare: broken where they are long, and only there.

use serde_json::Value;

/// What fits into a line stays in one.
const WIDTH: usize = 110;

/// The document as text; `leaf` writes its values, given the key that they stand under.
pub(crate) fn pretty(document: &Value, leaf: &dyn Fn(&str, &Value) -> String) -> String {
    let mut text = String::new();
    write(&mut text, 0, "", document, leaf);
    text
}

fn write(
    text: &mut String,
    depth: usize,
    key: &str,
    value: &Value,
    leaf: &dyn Fn(&str, &Value) -> String,
) {
    let flat = flat(key, value, leaf);
    let lead = text.rsplit('\n').next().unwrap_or_default().chars().count();
    if lead + flat.chars().count() <= WIDTH {
        *text += &flat;
        return;
    }
    let indent = "  ".repeat(depth + 1);
    let (open, close) = match value {
        Value::Object(_) => ('{', '}'),
        Value::Array(_) => ('[', ']'),
        _ => {
            *text += &flat;
            return;
        }
    };
    text.push(open);
    let begin = |text: &mut String, at: usize| {
        *text += if at > 0 { ",\n" } else { "\n" };
        *text += &indent;
    };
    match value {
        Value::Object(fields) => {
            for (at, (name, field)) in fields.iter().enumerate() {
                begin(text, at);
                *text += &format!("{name}: ");
                write(text, depth + 1, name, field, leaf);
            }
        }
        Value::Array(items) if items.iter().all(is_plain) => {
            // A long list of numbers fills its lines.
            for (at, item) in items.iter().enumerate() {
                let item = leaf(key, item);
                let line = text.rsplit('\n').next().unwrap_or_default();
                if at > 0 && line.chars().count() + item.chars().count() + 2 <= WIDTH {
                    *text += ", ";
                } else {
                    begin(text, at);
                }
                *text += &item;
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                begin(text, at);
                write(text, depth + 1, key, item, leaf);
            }
        }
        _ => {}
    }
    *text += &format!("\n{}{close}", "  ".repeat(depth));
}

fn flat(key: &str, value: &Value, leaf: &dyn Fn(&str, &Value) -> String) -> String {
    match value {
        Value::Object(fields) => {
            let field =
                |(name, field): (&String, &Value)| format!("{name}: {}", flat(name, field, leaf));
            let fields: Vec<String> = fields.iter().map(field).collect();
            format!("{{{}}}", fields.join(", "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| flat(key, item, leaf)).collect();
            format!("[{}]", items.join(", "))
        }
        plain => leaf(key, plain),
    }
}

fn is_plain(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}
