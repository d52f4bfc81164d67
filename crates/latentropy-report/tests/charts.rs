//! Charts hold together whatever the numbers and names are.

use latentropy_report::charts::{
    Axis, Figure, HeatMap, HeatScale, Kind, Marker, Plot, Point, Reference, Series,
};
use proptest::prelude::*;

/// A figure with everything in it.
fn study() -> Figure {
    let rows = [10.0, 20.0, 50.0, 100.0, 200.0, 500.0];
    let curve = |at: f64| rows.map(|t| Point::new(t, at / t).error(0.3 * at / t));
    let lost = rows.map(|t| {
        let y = if t < 30.0 { f64::INFINITY } else { 12.0 / t };
        Point::new(t, y).error(4.0 / t)
    });
    let distance = Plot::new("Distance to the truth")
        .x(Axis::log("rows of data"))
        .y(Axis::log("cross entropy (nats)"))
        .series(Series::line("LME", curve(3.0)))
        .series(Series::line("MLE", lost))
        .series(Series::line("LME, ridge 1", curve(0.9)));
    let band = rows.map(|t| Point::new(t, 0.5).between(0.4 - 1.0 / t, 0.6 + 1.0 / t));
    let share = Plot::new("How often the two agree")
        .x(Axis::log("rows of data"))
        .y(Axis::linear("share of trials").range(0.0, 1.0))
        .series(Series::new("LME", Kind::Band, band))
        .series(Series::new("LME", Kind::Line, rows.map(|t| (t, 0.5))))
        .reference(Reference::Horizontal(0.8, "by chance".to_string()));
    let counts = [(1.0, 3.0), (2.0, 9.0), (3.0, 4.0), (4.0, 0.0), (5.0, 1.0)];
    let histogram = Plot::new("Distinct solutions")
        .x(Axis::linear("solutions found in 100 restarts"))
        .y(Axis::linear("trials"))
        .series(Series::new("trials", Kind::Bars(1.0), counts).style(3));
    let fit = (0..30).map(|at| (f64::from(at) / 30.0, f64::from(at * 7 % 30) / 30.0));
    let moments = Plot::new("Observed against model")
        .x(Axis::linear("observed"))
        .y(Axis::linear("model"))
        .reference(Reference::Identity)
        .series(Series::markers("pairs", fit).style(4).opacity(0.6))
        .series(
            Series::markers("chosen", [(0.5, 0.5)])
                .style(1)
                .marker(Marker::Star)
                .size(2.0),
        );
    Figure::new("Learning from few rows")
        .caption("Means of ten trials, bars of one standard error. Five visible and three hidden units, tolerance 1e-5; where a bar would leave the frame, it ends there.")
        .panel(distance)
        .panel(share)
        .panel(histogram)
        .panel(moments)
}

fn weights() -> Figure {
    let mut map = HeatMap::new(
        "Weights",
        ["hidden one", "z2"].map(String::from).to_vec(),
        ["handicapped-infants", "budget", "physician-fee-freeze", "c"]
            .map(String::from)
            .to_vec(),
        vec![
            vec![1.5, -2.25, f64::NAN, 0.0],
            vec![-0.1, 0.4, 2.0, f64::INFINITY],
        ],
    );
    map.decimals = Some(2);
    map.unit = "weight".to_string();
    let mut strip = map.clone();
    strip.scale = HeatScale::Sequential(0.0, 1.0);
    Figure::new("Heat").panel(map).panel(strip)
}

/// Every number in a coordinate is finite, and the text is well-formed XML with balanced tags.
fn check(svg: &str) {
    for word in ["NaN", "inf", "Infinity"] {
        let attributes = svg
            .split('<')
            .map(|tag| tag.split('>').next().unwrap_or(""));
        let drawn =
            attributes.filter(|tag| !tag.contains("data-tip") && !tag.contains("aria-label"));
        assert!(
            !drawn.clone().any(|tag| tag.contains(word)),
            "{word} in {svg}"
        );
    }
    let opened = svg.matches('<').count();
    assert_eq!(opened, svg.matches('>').count(), "unescaped text in {svg}");
}

#[test]
fn figures_are_drawn_for_every_medium() {
    for (name, figure) in [("study", study()), ("weights", weights())] {
        let (svg, html) = (figure.svg(), figure.html());
        check(&svg);
        check(&html);
        #[cfg(feature = "png")]
        {
            let png = figure.png(1.5).unwrap();
            assert!(png.starts_with(b"\x89PNG\r\n") && png.len() > 10_000);
        }
        assert!(!html.contains("http"), "a page asks nobody for anything");
        assert!(
            !html.contains('#') || !html.contains("fill=\"#"),
            "pages use their own colours"
        );
        assert!(svg.contains("#0072B2") && !svg.contains("var(--"));
        if let Some(directory) = std::env::var_os("CHARTS_DIR") {
            figure.write(directory.as_ref(), name).unwrap();
        }
    }
}

#[test]
fn a_figure_is_written_in_the_formats_that_are_built_in() {
    let directory = tempfile::tempdir().unwrap();
    let written = weights().write(directory.path(), "weights").unwrap();
    let expected: &[&str] = match cfg!(feature = "png") {
        true => &["weights.svg", "weights.png"],
        false => &["weights.svg"],
    };
    assert_eq!(written, expected);
    let entries = std::fs::read_dir(directory.path()).unwrap();
    assert_eq!(entries.count(), expected.len());
    let svg = std::fs::read_to_string(directory.path().join("weights.svg")).unwrap();
    assert_eq!(svg, weights().svg());
}

#[test]
fn infinities_are_marked_and_explained() {
    let plot = |values: &[f64]| {
        let points = values.iter().enumerate().map(|(at, &y)| (at as f64, y));
        Figure::new("").panel(Plot::new("").series(Series::line("a", points)))
    };
    let marks = |figure: &Figure| figure.svg().matches("<polygon").count();
    let plain = plot(&[1.0, 2.0, 3.0]);
    assert!(!plain.svg().contains("infinite"));
    assert_eq!(marks(&plain), 0);
    let endless = plot(&[1.0, f64::INFINITY, 3.0, f64::NEG_INFINITY, f64::NAN]);
    assert!(endless.svg().contains("infinite"));
    // Two in the panel, two in the legend.
    assert_eq!(marks(&endless), 4);
}

#[test]
fn a_gap_breaks_the_line() {
    let lines = |y: f64| {
        let points = [(0.0, 1.0), (1.0, 1.5), (2.0, y), (3.0, 1.0), (4.0, 2.0)];
        let figure = Figure::new("").panel(Plot::new("").series(Series::line("", points)));
        figure.svg().matches("stroke-width=\"2\"").count()
    };
    assert_eq!(lines(1.2), 1);
    assert_eq!(lines(f64::NAN), 2);
}

#[test]
fn the_same_name_looks_the_same_in_every_panel() {
    let panel = |names: &[&str]| {
        let lines = names
            .iter()
            .map(|&name| Series::line(name, [(0.0, 0.0), (1.0, 1.0)]));
        lines.fold(Plot::new(""), Plot::series)
    };
    let figure = Figure::new("")
        .panel(panel(&["a", "b"]))
        .panel(panel(&["b"]));
    let svg = figure.svg();
    // "b": a line and two markers in each panel, a line and a marker in the legend.
    assert_eq!(svg.matches("#D55E00").count(), 3 + 3 + 2);
}

#[test]
fn names_are_escaped() {
    let nasty = "<script>alert(\"x\")</script>&\u{0}";
    let map = HeatMap::new(
        nasty,
        vec![nasty.into()],
        vec![nasty.into()],
        vec![vec![1.0]],
    );
    let points = [Point::new(0.0, 0.0).tip(nasty)];
    let plot = Plot::new(nasty)
        .x(Axis::linear(nasty).ticks([(0.0, nasty)]))
        .y(Axis::linear(nasty))
        .series(Series::line(nasty, points));
    let figure = Figure::new(nasty).caption(nasty).panel(plot).panel(map);
    for text in [figure.svg(), figure.html()] {
        check(&text);
        assert!(!text.contains("<script"));
    }
    #[cfg(feature = "png")]
    figure.png(1.0).unwrap();
}

#[test]
fn empty_figures_say_so() {
    let svg = Figure::new("").panel(Plot::new("")).svg();
    check(&svg);
    assert!(svg.contains("nothing to show"));
    check(&Figure::new("").svg());
    check(
        &Figure::new("")
            .panel(HeatMap::new("", vec![], vec![], vec![]))
            .svg(),
    );
    let none: [(f64, f64); 0] = [];
    check(
        &Figure::new("")
            .panel(Plot::new("").series(Series::line("none", none)))
            .svg(),
    );
    check(&Figure::new("").columns(0).svg());
    #[cfg(feature = "png")]
    Figure::new("").columns(0).png(1.0).unwrap();
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -1e3..1e3f64,
        1 => any::<f64>(),
        1 => prop_oneof![Just(0.0), Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY), Just(1e308), Just(5e-324)],
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn whatever_the_numbers(
        points in prop::collection::vec((any_number(), any_number(), any_number(), any_number()), 0..12),
        logs in any::<(bool, bool)>(),
        range in prop::option::of((any_number(), any_number())),
        kind in prop_oneof![Just(Kind::Line), Just(Kind::LineAndMarkers), Just(Kind::Band), Just(Kind::Bars(0.7)), Just(Kind::Markers)],
    ) {
        let axis = |log: bool| if log { Axis::log("x") } else { Axis::linear("x") };
        let data = points.iter().map(|&(x, y, low, high)| Point::new(x, y).between(low, high).tip("t"));
        let values = points.iter().map(|p| vec![p.0, p.1, p.2]).collect();
        let names: Vec<String> = points.iter().map(|p| format!("{}", p.3)).collect();
        let mut plot = Plot::new("t").x(axis(logs.0)).y(axis(logs.1))
            .reference(Reference::Identity)
            .reference(Reference::Vertical(1.0, "v".into()))
            .series(Series::new("s", kind, data));
        plot.y.range = range;
        let figure = Figure::new("f").panel(plot).panel(HeatMap::new("", names, vec!["a".into(), "b".into()], values));
        check(&figure.svg());
        check(&figure.html());
    }
}
