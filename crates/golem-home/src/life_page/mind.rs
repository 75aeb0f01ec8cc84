//! What a golem learnt, and what that was worth.

use super::reading::{FoundOut, LifeReading, RuleWorth};
use golem_view::page::{PagePart, PageTable};
use golem_view::story::in_words;
use golem_view::{money, time};

/// What is told of what it knows.
const KNOWN: usize = 12;

/// Rules and entries with what speaks for them, and what acting by them brought.
pub(super) fn learnt(life: &LifeReading) -> Vec<PagePart> {
    let told = &life.told;
    let acted_by = life.rules.len() + life.former.len();
    if acted_by == 0 && life.known.is_empty() && told.guesses_kept + told.guesses_dropped == 0 {
        return Vec::new();
    }
    let mut parts = vec![
        PagePart::Heading("What it learnt, and what that was worth".to_owned()),
        PagePart::Words(format!(
            "{} of its guesses came true often enough to become knowledge, {} did not. It lives by {}{}.",
            told.guesses_kept,
            told.guesses_dropped,
            golem_view::wrap::counted(life.rules.len(), "rule"),
            match life.former.len() {
                0 => String::new(),
                n => format!(" and has given up {} that it acted by", golem_view::wrap::counted(n, "rule")),
            }
        )),
    ];
    if acted_by > 0 {
        parts.push(PagePart::Table(rules(life)));
    }
    if !life.known.is_empty() {
        parts.push(PagePart::Table(known(life)));
    }
    parts
}

fn rules(life: &LifeReading) -> PageTable {
    let row = |rule: &golem_grimoire::playbook::RuleWords| {
        let worth = life.by_rule.get(&rule.id).copied().unwrap_or_default();
        let evidence = format!("{} of {}", rule.validated, rule.validated.saturating_add(rule.contradicted));
        let RuleWorth { acts, realised, .. } = worth;
        let brought = if acts == 0 { "-".to_owned() } else { money::signed(realised) };
        let since = time::day(life.moment(rule.since));
        let now = if life.rules.iter().any(|kept| kept.id == rule.id) { "in its playbook" } else { "given up" };
        vec![
            in_words(&rule.because),
            since,
            evidence,
            sure(rule.confidence_bp),
            acts.to_string(),
            brought,
            now.to_owned(),
        ]
    };
    PageTable {
        caption: "Its rules: how often they came true (of one that was given up, until it first acted by it), and what the acts under them realised in USDC before gas. Several rules may \
                  stand behind one act, and what would have happened without them is not in the figure."
            .to_owned(),
        head: ["rule", "since", "came true", "sure", "acts", "realised", "now"].map(str::to_owned).to_vec(),
        rows: life.rules.iter().chain(&life.former).map(row).collect(),
    }
}

fn known(life: &LifeReading) -> PageTable {
    let row = |FoundOut { learnt, in_use }: &FoundOut| {
        let now = if *in_use { "goes by it" } else { "given up" };
        let known = vec![in_words(&learnt.text), time::day(learnt.at), learnt.evidence(), sure(learnt.confidence_bp)];
        known.into_iter().chain([now.to_owned()]).collect()
    };
    let caption = match life.known.len() {
        n if n > KNOWN => format!("What it found out itself: the best proven {KNOWN} of {n}."),
        _ => "What it found out itself.".to_owned(),
    };
    PageTable {
        caption,
        head: ["what", "since", "evidence", "sure", "now"].map(str::to_owned).to_vec(),
        rows: life.known.iter().take(KNOWN).map(row).collect(),
    }
}

fn sure(confidence_bp: u16) -> String {
    format!("{:.0} %", f64::from(confidence_bp) / 100.0)
}
