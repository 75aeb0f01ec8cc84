//! How the values of a rule are spelled in the file, both ways: every spelling reads back as the value it was made from.

use crate::entry::{Provenance, RuleAction};
use golem_core::VirtualTime;
use golem_core::words::is_hidden;

/// Begins the line that says why a section is out of force.
pub(super) const OUT_OF_FORCE: &str = "<!-- not in force: ";

/// A line without hidden characters.
pub(super) fn shown(line: &str) -> String {
    line.chars().filter(|c| !is_hidden(*c) || *c == '\t').collect()
}

/// A text on several lines: no control characters but line breaks, no heading of a rule, no line that only we write, no
/// blank ends.
pub(super) fn paragraph(text: &str) -> String {
    let clean = text.lines().map(|l| shown(l).trim_end().to_owned()).filter(|l| !l.starts_with(OUT_OF_FORCE));
    let lines: Vec<String> = clean.map(|l| if is_heading(&l) { format!(" {l}") } else { l }).collect();
    let kept = lines.iter().skip_while(|l| l.is_empty()).cloned().collect::<Vec<_>>();
    let end = kept.iter().rposition(|l| !l.is_empty()).map_or(0, |i| i + 1);
    kept[..end].join("\n")
}

/// True for a line that begins a section.
pub(super) fn is_heading(line: &str) -> bool {
    line.starts_with("## ") || line == "##"
}

/// `scale lp_management.range_sigmas by 1.5`, `risk 0.5`, `stand aside`.
pub(super) fn action(action: &RuleAction) -> String {
    match action {
        RuleAction::Scale { parameter, factor } => format!("scale `{parameter}` by {factor:?}"),
        RuleAction::Risk { factor } => format!("risk {factor:?}"),
        RuleAction::StandAside => "stand aside".to_owned(),
    }
}

/// The action of such a text. Factors are checked by whoever makes a rule of it.
pub(super) fn read_action(text: &str) -> Option<RuleAction> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let number = |word: &str| word.parse::<f64>().ok().filter(|x| x.is_finite());
    Some(match words.as_slice() {
        ["scale", parameter, "by", factor] => {
            RuleAction::Scale { parameter: parameter.trim_matches('`').to_owned(), factor: number(factor)? }
        }
        ["risk", factor] => RuleAction::Risk { factor: number(factor)? },
        ["stand", "aside"] => RuleAction::StandAside,
        _ => return None,
    })
}

/// Basis points as a fraction with two to four decimals.
pub(super) fn confidence(bp: u16) -> String {
    let four = format!("{}.{:04}", bp / 10_000, bp % 10_000);
    let short = four.trim_end_matches('0');
    let whole = four.find('.').unwrap_or(0) + 3;
    four[..short.len().max(whole)].to_owned()
}

/// Basis points of such a text.
pub(super) fn read_confidence(text: &str) -> Option<u16> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |s: &str| s.chars().all(|c| c.is_ascii_digit());
    if !digits(whole) || !digits(part) || whole.is_empty() || part.len() > 4 {
        return None;
    }
    let bp = whole.parse::<u16>().ok()?.checked_mul(10_000)?.checked_add(format!("{part:0<4}").parse().ok()?)?;
    (bp <= 10_000).then_some(bp)
}

/// `day 12 06:30:00`, with milliseconds when there are any.
pub(super) fn age(at: VirtualTime) -> String {
    let (seconds, ms) = (at.0 / 1_000 % 86_400, at.0 % 1_000);
    let clock = format!("day {} {:02}:{:02}:{:02}", at.day(), seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if ms == 0 { clock } else { format!("{clock}.{ms:03}") }
}

/// The age of such a text; the time of day may be left out.
pub(super) fn read_age(text: &str) -> Option<VirtualTime> {
    let mut words = text.split_whitespace();
    if words.next() != Some("day") {
        return None;
    }
    let days: u64 = words.next()?.parse().ok()?;
    let clock = words.next().unwrap_or("00:00:00");
    let (clock, ms) = clock.split_once('.').unwrap_or((clock, "0"));
    let parts: Vec<u64> = clock.split(':').map(str::parse).collect::<Result<_, _>>().ok()?;
    let [hours, minutes, seconds] = parts.as_slice() else { return None };
    let fits = *hours < 24 && *minutes < 60 && *seconds < 60 && ms.len() <= 3 && words.next().is_none();
    let ms: u64 = format!("{ms:0<3}").parse().ok().filter(|_| fits)?;
    let total = days.checked_mul(86_400)?.checked_add(hours * 3_600 + minutes * 60 + seconds)?;
    total.checked_mul(1_000)?.checked_add(ms).map(VirtualTime)
}

const SOURCES: &[(Provenance, &str)] = &[
    (Provenance::SelfGenerated, "own experience"),
    (Provenance::Owner, "owner"),
    (Provenance::Dream, "dream"),
    (Provenance::Clade, "clade"),
    (Provenance::Replicant, "replicant"),
    (Provenance::Marketplace, "marketplace"),
    (Provenance::Testament, "testament"),
];

/// Where a rule came from, in a word.
pub(super) fn source(source: Provenance) -> &'static str {
    SOURCES.iter().find(|(s, _)| *s == source).map_or("owner", |(_, word)| word)
}

/// The source of such a word.
pub(super) fn read_source(text: &str) -> Option<Provenance> {
    SOURCES.iter().find(|(_, word)| *word == text).map(|(s, _)| *s)
}

/// The words that name a source, for hints.
pub(super) fn sources() -> String {
    SOURCES.iter().map(|(_, word)| *word).collect::<Vec<_>>().join(", ")
}
