//! What a golem dreamt, as parts of a page: its journal, what was staged, and what came true.

use crate::page::{PagePart, PageTable};
use crate::story::in_words;
use crate::{money, time};
use golem_dreams::cycle::DreamStats;
use golem_dreams::journal::{DreamEnd, DreamJournalEntry};
use golem_grimoire::staging::Proposal;

/// Proposals under test that are told.
const STAGED: usize = 20;

/// The sums, the latest dreams with the newest first, and what is being tested. Nothing for one that never dreamt.
#[must_use]
pub fn dreamt(stats: Option<&DreamStats>, journal: &[DreamJournalEntry], staged: &[Proposal]) -> Vec<PagePart> {
    if journal.is_empty() && staged.is_empty() {
        return Vec::new();
    }
    // Who does not dream guesses awake.
    let heading = if journal.is_empty() && stats.is_none() { "What it is testing" } else { "What it dreamt" };
    let mut parts = vec![PagePart::Heading(heading.to_owned())];
    parts.extend(stats.map(|all| PagePart::Facts(sums(all))));
    if !journal.is_empty() {
        let caption = match stats.map_or(0, |all| all.cycles as usize) {
            n if n > journal.len() => format!("The last {} of {n} dreams, the newest first.", journal.len()),
            _ => "Its journal, the newest dream first.".to_owned(),
        };
        parts.push(PagePart::Table(PageTable {
            caption,
            head: ["when", "about", "found", "proposed", "came true", "did not", "had its chances"]
                .map(str::to_owned)
                .to_vec(),
            rows: journal.iter().map(dream).collect(),
        }));
    }
    if !staged.is_empty() {
        parts.push(PagePart::Table(under_test(staged)));
    }
    parts
}

fn sums(all: &DreamStats) -> Vec<(String, String)> {
    let DreamStats { cycles, broken_off, runs, staged, promoted, refuted, expired, held, fallen, .. } = all;
    let share = |of: Option<f64>| of.map_or_else(|| "not known yet".to_owned(), money::percent);
    let since = match held.saturating_add(*fallen) {
        0 => "not known yet".to_owned(),
        _ => format!("{} ({held} held, {fallen} did not)", share(all.precision)),
    };
    let rows = [
        ("dreams", format!("{cycles}, {broken_off} broken off")),
        ("tried on copies of the chain", format!("{} runs", money::grouped(u128::from(*runs)))),
        ("staged", format!("{staged}: {promoted} came true, {refuted} did not, {expired} had their chances")),
        ("came true, of what was judged", share(all.came_true)),
        ("borne out by what came after, of what came true", since),
        ("cost", format!("{} USDC", money::usdc(all.cost))),
    ];
    rows.map(|(name, what)| (name.to_owned(), what)).to_vec()
}

fn dream(d: &DreamJournalEntry) -> Vec<String> {
    let theme = d.onset.theme.clone().unwrap_or_else(|| d.trigger.replace('_', " "));
    let end = match &d.end {
        DreamEnd::Complete => String::new(),
        DreamEnd::Woken { reason, .. } => format!("; woken: {reason}"),
        DreamEnd::Died => "; it died".to_owned(),
    };
    let later = d.later;
    vec![
        time::moment(d.timestamp),
        format!("{}{end}", in_words(&theme)),
        found(d),
        later.proposed.to_string(),
        later.confirmed.to_string(),
        later.refuted.to_string(),
        later.expired.to_string(),
    ]
}

/// The most telling thing of a dream, or why there is none.
fn found(d: &DreamJournalEntry) -> String {
    let update = d.phase3_summary.grimoire_updates.first().map(|update| in_words(&update.text));
    let threat = || {
        let worst = d.phase2_summary.threats_simulated.iter().max_by(|a, b| a.loss_bps.total_cmp(&b.loss_bps))?;
        let name = worst.threat_id.replace('_', " ");
        Some(format!(
            "{name} would cost {:.1} %, {:.1} % with {}",
            worst.loss_bps / 1e2,
            worst.best_loss_bps / 1e2,
            worst.best_response
        ))
    };
    update.or_else(threat).or_else(|| d.nothing_because.first().cloned()).unwrap_or_default()
}

fn under_test(all: &[Proposal]) -> PageTable {
    let row = |p: &Proposal| {
        let text = in_words(&p.change.text());
        let trial = p.trial;
        vec![
            text,
            format!("{} of {}", trial.hits, trial.hits.saturating_add(trial.misses)),
            format!("{:.0} %", f64::from(p.base_rate_bp) / 100.0),
        ]
    };
    let caption = match all.len() {
        n if n > STAGED => format!("{STAGED} of the {n} proposals that are being tested."),
        _ => "What is being tested of what it dreamt or guessed.".to_owned(),
    };
    PageTable {
        caption,
        head: ["proposal", "came true", "comes true anyway"].map(str::to_owned).to_vec(),
        rows: all.iter().take(STAGED).map(row).collect(),
    }
}
