//! Units: their names, and whether they are seen in the data.

/// Whether a unit is seen in the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A column of the data.
    Visible,
    /// Never seen.
    Hidden,
}

/// A unit's name and role.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unit {
    /// Unique in its network.
    pub name: String,
    /// Visible or hidden.
    pub role: Role,
}

impl Unit {
    /// A visible unit.
    pub fn visible(name: impl Into<String>) -> Self {
        Unit {
            name: name.into(),
            role: Role::Visible,
        }
    }

    /// A hidden unit.
    pub fn hidden(name: impl Into<String>) -> Self {
        Unit {
            name: name.into(),
            role: Role::Hidden,
        }
    }
}

/// The columns, visible, then hidden units under names that no column has: z1, z2, … or, if one of these is taken,
/// z_1, z_2, … and so on.
pub fn units_of(columns: &[String], hidden: usize) -> Vec<Unit> {
    let mut prefix = "z".to_string();
    let name = |prefix: &str, at: usize| format!("{prefix}{at}");
    while (1..=hidden).any(|at| columns.contains(&name(&prefix, at))) {
        prefix.push('_');
    }
    let visible = columns.iter().map(Unit::visible);
    let hidden = (1..=hidden).map(|at| Unit::hidden(name(&prefix, at)));
    visible.chain(hidden).collect()
}
