//! The page that reports are written on: a golden page, well-formed whatever stands in it, and nothing of anybody's runs.

use golem_view::page::{
    ChartMark, ForestPlot, ForestRow, LinePlot, MarkShape, PagePart, PageTable, PlotLine, PlotPoint, PlotUnit,
    ReportPage, RibbonPlot, RibbonSpan, StripPlot, StripRow, Tone, escaped, signed, thinned,
};
use proptest::prelude::*;

fn texts(words: &[&str]) -> Vec<String> {
    words.iter().map(|w| (*w).to_owned()).collect()
}

fn forest() -> ForestPlot {
    let row = |group: &str, label: &str, [low, mean, high]: [f64; 3], note: &str, tone| ForestRow {
        group: group.into(),
        label: label.into(),
        low,
        mean,
        high,
        margin: 0.003,
        note: note.into(),
        tone,
    };
    let never = [f64::NEG_INFINITY, 0.0, f64::INFINITY];
    let rows = vec![
        row("gas-hours", "worth against doing nothing", [0.0012, 0.0031, 0.005], "better", Tone::Good),
        row("gas-hours", "worth against holding", [-0.0009, 0.0004, 0.0017], "no difference", Tone::Calm),
        row("flat", "worth against doing nothing", [-0.0061, -0.0042, -0.0023], "worse", Tone::Bad),
        row("flat", "worth against holding", [-0.004, 0.0007, 0.0054], "cannot tell (needs 412)", Tone::Open),
        row("flat", "ticks to skill", never, "cannot tell", Tone::Open),
    ];
    ForestPlot { caption: "Difference on the same path; shaded: the margin.".into(), unit: PlotUnit::Percent, rows }
}

fn curves() -> LinePlot {
    let line = |name: &str, slope: f64| PlotLine {
        name: name.into(),
        points: (0..=12)
            .map(|n| {
                let (x, y) = (f64::from(n) * 5.0, 1.0 + slope * f64::from(n) + 0.004 * f64::from(n * 7 % 5));
                PlotPoint { x, y, band: Some((y - 0.002 * f64::from(n), y + 0.002 * f64::from(n))) }
            })
            .collect(),
    };
    LinePlot {
        caption: "Worth over funding, mean and middle half of the lives.".into(),
        across: "days".into(),
        unit: PlotUnit::Percent,
        lines: vec![line("grimoire.enabled=true", 0.003), line("grimoire.enabled=false", -0.001)],
        ..LinePlot::default()
    }
}

/// The same with what happened on the way.
fn marked() -> LinePlot {
    LinePlot {
        marks: vec![
            ChartMark { x: 10.0, y: 1.01, shape: MarkShape::Up, words: "bought 0.1 ETH <cheap>".into() },
            ChartMark { x: 60.0, y: 1.04, shape: MarkShape::Cross, words: "died".into() },
        ],
        marked: vec![(MarkShape::Up, "bought".into()), (MarkShape::Cross, "died".into())],
        extent: Some((0.0, 70.0)),
        ..curves()
    }
}

/// What is said to lie between 0 and 1 is drawn so, also where it is always 0.
#[test]
fn an_axis_reaches_what_its_caption_says() {
    let points = (0..4).map(|n| PlotPoint { x: f64::from(n), y: 0.0, band: None }).collect();
    let lines = vec![PlotLine { name: "load".into(), points }];
    let drawn = |reach| {
        let mut page = ReportPage::new("a", "b");
        page.add(PagePart::Lines(LinePlot { lines: lines.clone(), reach, ..LinePlot::default() }));
        let html = page.html();
        let (_, heights) = html.split_once("<div class=\"heights\">").unwrap();
        heights.split_once("</div>").unwrap().0.to_owned()
    };
    assert!(drawn(None).contains(">\u{2212}1"), "without it a flat line lies in the middle");
    let heights = drawn(Some((0.0, 1.0)));
    assert!(!heights.contains(">\u{2212}") && heights.contains(">1"), "{heights}");
}

fn ribbon() -> RibbonPlot {
    let span = |from: f64, to: f64, kind| RibbonSpan { from, to, kind };
    RibbonPlot {
        caption: "Phases.".into(),
        across: "days".into(),
        kinds: texts(&["thriving", "stable", "never"]),
        spans: vec![span(0.0, 40.0, 0), span(40.0, 59.9, 1), span(59.9, 60.0, 0)],
        extent: Some((0.0, 70.0)),
    }
}

fn page() -> ReportPage {
    let mut page = ReportPage::new("What the grimoire changes", "Paired lives with it and without it.");
    let values = |shift: f64| (0..60).map(|n| shift + 0.0001 * f64::from((n * 37) % 83 - 41)).collect();
    page.add(PagePart::Command("bardo lab compare --switch grimoire.enabled=true,false --seeds 60 --days 60".into()))
        .add(PagePart::Facts(vec![
            ("paths".into(), "60 in each world".into()),
            ("settings".into(), "6f1d0a52c0ffee00".into()),
            ("program".into(), "9c41b7aa10203040".into()),
        ]))
        .add(PagePart::Heading("Lines".into()))
        .add(PagePart::Forest(forest()))
        .add(PagePart::Table(PageTable {
            caption: "Intervals hold all at once.".into(),
            head: texts(&["world", "outcome", "difference", "from", "to", "paths", "verdict"]),
            rows: vec![
                texts(&["gas-hours", "worth against doing nothing", "+0.31 %", "+0.12 %", "+0.50 %", "60", "better"]),
                texts(&[
                    "flat",
                    "worth against holding",
                    "+0.07 %",
                    "-0.40 %",
                    "+0.54 %",
                    "60",
                    "cannot tell (needs 412)",
                ]),
            ],
        }))
        .add(PagePart::Heading("Over time".into()))
        .add(PagePart::Lines(curves()))
        .add(PagePart::Heading("Path by path".into()))
        .add(PagePart::Words("Each mark is one path: the life with it less the life without it.".into()))
        .add(PagePart::Strips(StripPlot {
            caption: "Worth against doing nothing.".into(),
            unit: PlotUnit::Percent,
            rows: vec![
                StripRow { label: "gas-hours".into(), values: values(0.0031) },
                StripRow { label: "flat".into(), values: values(-0.0042) },
                StripRow { label: "nowhere".into(), values: vec![] },
            ],
        }));
    page
}

#[test]
fn the_page_is_the_golden_page() {
    let golden = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/page.html");
    let html = page().html();
    if std::env::var_os("BARDO_BLESS").is_some() {
        std::fs::write(&golden, &html).unwrap();
    }
    assert_eq!(html, std::fs::read_to_string(&golden).unwrap(), "bless it with BARDO_BLESS=1 after looking at it");
    well_formed(&html).unwrap();
    assert!(!html.contains("<script") && !html.contains("src=") && !html.contains("url("));
}

/// A strict reader of XML without entities of its own: every tag closed in its order, attributes quoted and each once, only
/// the five known references, no character that XML forbids.
fn well_formed(text: &str) -> Result<(), String> {
    let body = text.strip_prefix("<!DOCTYPE html>\n").ok_or("no doctype")?;
    let mut open: Vec<&str> = Vec::new();
    let mut rest = body;
    while let Some(at) = rest.find('<') {
        plain(&rest[..at])?;
        if open.is_empty() && !rest[..at].trim().is_empty() {
            return Err(format!("words outside: {:?}", &rest[..at]));
        }
        let end = rest[at..].find('>').ok_or("a tag without end")? + at;
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            let last = open.pop();
            if last != Some(name) {
                return Err(format!("</{name}> closes {last:?}"));
            }
            continue;
        }
        let is_empty = tag.ends_with('/');
        let tag = tag.trim_end_matches('/');
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err(format!("no name of a tag: {name:?}"));
        }
        quoted(attributes)?;
        if !is_empty {
            open.push(name);
        }
    }
    plain(rest)?;
    if open.is_empty() && rest.trim().is_empty() { Ok(()) } else { Err(format!("left open: {open:?} {rest:?}")) }
}

fn quoted(mut attributes: &str) -> Result<(), String> {
    let mut seen = std::collections::BTreeSet::new();
    loop {
        attributes = attributes.trim_start();
        if attributes.is_empty() {
            return Ok(());
        }
        let (name, tail) = attributes.split_once("=\"").ok_or_else(|| format!("no value: {attributes:?}"))?;
        let (value, tail) = tail.split_once('"').ok_or("no closing quote")?;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        if !is_name || !seen.insert(name) || value.contains('<') {
            return Err(format!("odd attribute: {name:?}={value:?}"));
        }
        plain(value)?;
        attributes = tail;
    }
}

fn plain(text: &str) -> Result<(), String> {
    if let Some(c) =
        text.chars().find(|c| (c.is_control() && !matches!(c, '\n' | '\t')) || matches!(c, '\u{fffe}' | '\u{ffff}'))
    {
        return Err(format!("forbidden: {c:?}"));
    }
    for (at, _) in text.match_indices('&') {
        let known = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"].iter().any(|r| text[at..].starts_with(r));
        if !known {
            return Err(format!("a bare &: {:?}", &text[at..].chars().take(12).collect::<String>()));
        }
    }
    Ok(())
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![any::<u64>().prop_map(f64::from_bits), -1.0..1.0f64, Just(0.0)]
}

fn nasty() -> impl Strategy<Value = String> {
    const EVIL: [&str; 5] =
        ["</style><script>alert(1)</script>", "\" onload=\"x", "]]>&amp;&", "\u{1b}[31m\u{202e}x\u{0}\u{fffe}", "<!--"];
    prop_oneof![proptest::sample::select(&EVIL[..]).prop_map(str::to_owned), any::<String>()]
}

proptest! {
    /// Whatever words and numbers come in, the page is well-formed and says nothing in the language of browsers.
    #[test]
    fn no_words_and_no_numbers_break_a_page(words in nasty(), other in nasty(), numbers in proptest::collection::vec(any_number(), 12)) {
        let mut page = ReportPage::new(&words, &other);
        let [low, mean, high, margin] = [numbers[0], numbers[1], numbers[2], numbers[3]];
        let row = ForestRow { group: words.clone(), label: other.clone(), low, mean, high, margin, note: words.clone(), tone: Tone::Open };
        let point = |n: usize| PlotPoint { x: numbers[n], y: numbers[n + 1], band: Some((numbers[n + 2], numbers[n + 3])) };
        page.add(PagePart::Heading(words.clone())).add(PagePart::Words(other.clone())).add(PagePart::Command(words.clone()))
            .add(PagePart::Facts(vec![(words.clone(), other.clone())]))
            .add(PagePart::Table(PageTable { caption: words.clone(), head: vec![other.clone()], rows: vec![vec![words.clone(), other.clone()]] }))
            .add(PagePart::Forest(ForestPlot { caption: words.clone(), unit: PlotUnit::Percent, rows: vec![row] }))
            .add(PagePart::Quote(words.clone())).add(PagePart::List(vec![other.clone(), words.clone()])).add(PagePart::Subheading(other.clone()))
            .add(PagePart::Ribbon(RibbonPlot { caption: words.clone(), across: other.clone(), kinds: vec![words.clone(), other.clone()],
                spans: (0..6).map(|n| RibbonSpan { from: numbers[n], to: numbers[n + 1], kind: n }).collect(), extent: Some((numbers[7], numbers[8])) }))
            .add(PagePart::Lines(LinePlot { caption: words.clone(), across: other.clone(), unit: PlotUnit::Plain,
                lines: vec![PlotLine { name: words.clone(), points: (0..8).map(point).collect() }],
                marks: (0..8).map(|n| ChartMark { x: numbers[n], y: numbers[n + 1], shape: MarkShape::Dot, words: words.clone() }).collect(),
                marked: vec![(MarkShape::Down, other.clone())], extent: Some((numbers[9], numbers[10])), reach: Some((numbers[10], numbers[11])) }))
            .add(PagePart::Strips(StripPlot { caption: other, unit: PlotUnit::Plain, rows: vec![StripRow { label: words, values: numbers }] }));
        let html = page.html();
        prop_assert_eq!(well_formed(&html), Ok(()));
        prop_assert!(!html.contains("<script") && !html.contains("onload=\"x\""));
        prop_assert!(!html.contains("NaN") && !html.contains("inf"), "{}", html);
    }
}

#[test]
fn shares_of_the_largest_stretches_are_numbers() {
    let span = |kind| RibbonSpan { from: -1.7e306 * kind as f64, to: 1.7e306, kind };
    let mut page = ReportPage::new("A life", "");
    page.add(PagePart::Ribbon(RibbonPlot {
        kinds: vec!["one".to_owned(), "two".to_owned()],
        spans: vec![span(0), span(1)],
        ..RibbonPlot::default()
    }));
    let html = page.html();
    assert!(html.contains("one 33 %") && html.contains("two 67 %"), "{html}");
}

#[test]
fn marks_stand_where_the_line_is_and_plots_below_each_other_fit() {
    let mut page = ReportPage::new("A life", "");
    page.add(PagePart::Lines(marked()))
        .add(PagePart::Ribbon(ribbon()))
        .add(PagePart::Subheading("In its own words".into()))
        .add(PagePart::Quote("I was not <wrong>, only early.".into()))
        .add(PagePart::List(texts(&["One thing.", "Another & more."])));
    let html = page.html();
    well_formed(&html).unwrap();
    assert!(html.contains("<blockquote><p>I was not &lt;wrong&gt;, only early.</p></blockquote>"));
    assert!(html.contains("<ul><li>One thing.</li><li>Another &amp; more.</li></ul>"));
    // Both are shown from day 0 to day 70, and 4 % beyond on either side.
    let at = |day: f64| format!("{:.2}", 100.0 * (day + 2.8) / 75.6);
    assert!(html.contains(&format!("style=\"left:{}%;", at(60.0))), "the end is marked on day 60");
    assert!(html.contains(&format!("x=\"{}\" width=", at(40.0))), "the second phase begins on day 40");
    assert!(html.contains("title=\"bought 0.1 ETH &lt;cheap&gt;\">▲"));
    // Shares of the time; what never was is not in the legend.
    assert!(html.contains(">thriving 67 %<") && html.contains(">stable 33 %<") && !html.contains("never"));
    // What has no place is not drawn.
    let nowhere = ChartMark { x: f64::NAN, y: 1.0, shape: MarkShape::Up, words: "nowhere".into() };
    let mut empty = ReportPage::new("empty", "");
    empty.add(PagePart::Lines(LinePlot { marks: vec![nowhere], ..LinePlot::default() }));
    empty.add(PagePart::Ribbon(RibbonPlot::default()));
    assert!(well_formed(&empty.html()).is_ok() && !empty.html().contains("nowhere"));
}

#[test]
fn thin_lines_keep_their_ends_their_falls_and_their_holes() {
    let point = |n: usize| PlotPoint { x: n as f64, y: if n == 4_321 { -9.0 } else { (n % 10) as f64 }, band: None };
    let mut points: Vec<PlotPoint> = (0..10_000).map(point).collect();
    points[7_000].y = f64::NAN;
    let thin = thinned(points.clone(), 600);
    assert!(thin.len() <= 620, "{}", thin.len());
    assert_eq!((thin.first(), thin.last()), (points.first(), points.last()));
    assert!(thin.iter().any(|p| (p.y + 9.0).abs() < 1e-12), "the one deep fall is still there");
    assert_eq!(thin.iter().filter(|p| p.y.is_nan()).count(), 1);
    assert!(thin.windows(2).all(|w| w[0].x <= w[1].x || w[0].y.is_nan() || w[1].y.is_nan()));
    assert_eq!(thinned(points[..50].to_vec(), 600).len(), 50, "few stay as they are");
    assert!(thinned(Vec::new(), 0).is_empty());
}

#[test]
fn words_and_figures_are_plain() {
    assert_eq!(escaped("<a href='x'>&\u{202e}\u{1b}[2J\"</a>"), "&lt;a href=&#39;x&#39;&gt;&amp;[2J&quot;&lt;/a&gt;");
    for (value, unit, told) in [
        (0.0031, PlotUnit::Percent, "+0.31 %"),
        (-0.00004, PlotUnit::Percent, "\u{2212}0.004 %"),
        (0.0, PlotUnit::Percent, "0.00 %"),
        (-1234.5, PlotUnit::Plain, "\u{2212}1234"),
        (f64::NAN, PlotUnit::Plain, "?"),
    ] {
        assert_eq!(signed(value, unit), told);
    }
}
