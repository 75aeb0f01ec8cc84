//! `bardo dream now|wake|journal|show|staging|stats ID`: what a golem dreams, what it makes of it, and what came true.

use crate::cli::{DreamCommand, StagingWord};
use crate::commands::orders;
use crate::fail::Fail;
use crate::home::Home;
use crate::lines::folded;
use crate::out::Out;
use golem_clade::heirloom::LineDream;
use golem_core::Tick;
use golem_core::Usdc;
use golem_dreams::imagine::catalogue::threat;
use golem_dreams::journal::{DreamEnd, DreamJournalEntry};
use golem_grimoire::staging::Proposal;
use golem_home::dreams::{self, DreamBook};
use golem_life::Ask;
use golem_view::money;
use golem_view::story::in_words;
use serde_json::json;

/// Run one.
pub fn run(command: &DreamCommand, home: &Home, out: &Out) -> Result<(), Fail> {
    match command {
        DreamCommand::Now { id } => orders::order(id, &Ask::Dream, home, out),
        DreamCommand::Wake { id, reason } => orders::order(id, &Ask::Wake { reason: reason.clone() }, home, out),
        DreamCommand::Journal { id, last, as_of } => journal(id, *last, as_of.map(Tick), home, out),
        DreamCommand::Show { id, number } => show(id, *number, home, out),
        DreamCommand::Staging { id, word, number, as_of } => match (word, number) {
            (Some(word), Some(number)) => {
                let ask = Ask::Judge { proposal: *number, approved: *word == StagingWord::Approve };
                orders::order(id, &ask, home, out)
            }
            (Some(_), None) => Err(Fail::hint("which one?", "give its number, as in `bardo dream staging NAME`")),
            _ => staging(id, as_of.map(Tick), home, out),
        },
        DreamCommand::Stats { id } => stats(id, home, out),
    }
}

fn journal(id: &str, last: u32, as_of: Option<Tick>, home: &Home, out: &Out) -> Result<(), Fail> {
    let DreamBook { dreams, inherited } = dreams::journal(&home.golem(id)?, as_of, last)?;
    out.result(&json!({ "dreams": dreams, "inherited": inherited }), || {
        let own = dreams.iter().map(|d| folded(&line(d)));
        let before = inherited.iter().take((last as usize).saturating_sub(dreams.len()));
        let lines: Vec<String> = own.chain(before.map(|d| folded(&line_of_line(d)))).collect();
        if lines.is_empty() { "no dreams yet".to_owned() } else { lines.join("\n") }
    })
}

/// A dream of somebody before it.
fn line_of_line(d: &LineDream) -> String {
    let dreamer = d.dreamer.to_string();
    let said = d.said.first().map(|said| format!(": {}", in_words(said))).unwrap_or_default();
    format!(
        "inherited  {}  dream {} of {dreamer:.8}, {} proposed, {} came true, {} did not{said}",
        d.at,
        d.number,
        d.proposed,
        d.confirmed,
        d.refuted + d.expired
    )
}

/// A dream in a line.
fn line(d: &DreamJournalEntry) -> String {
    let (nrem, rem, all) = (&d.phase1_summary, &d.phase2_summary, &d.phase3_summary);
    let end = match &d.end {
        DreamEnd::Complete => String::new(),
        DreamEnd::Woken { reason, .. } => format!(", woken: {reason}"),
        DreamEnd::Died => ", it died".to_owned(),
    };
    let proposed = d.later.proposed;
    let why = match (proposed, d.nothing_because.first()) {
        (0, Some(why)) => format!(" ({why})"),
        _ => String::new(),
    };
    format!(
        "{}  {}  {} replayed, {} other ways tried, {} threats, {proposed} proposed{why}, {} contradictions; quality {:.2}{end}",
        d.id,
        d.timestamp,
        nrem.episodes_replayed,
        rem.counterfactuals_generated,
        rem.threats_simulated.len(),
        all.contradictions_flagged.len(),
        d.dream_quality_score,
    )
}

fn show(id: &str, number: Option<u32>, home: &Home, out: &Out) -> Result<(), Fail> {
    let entry = dreams::one(&home.golem(id)?, number)?;
    out.result(&entry, || folded(&whole(&entry).join("\n")))
}

/// All of it, line by line.
pub(super) fn whole(d: &DreamJournalEntry) -> Vec<String> {
    let mut lines = vec![line(d)];
    let mut put = |what: &str, text: String| lines.push(format!("  {what:<14} {text}"));
    put("because", d.trigger.clone());
    if let Some(theme) = &d.onset.theme {
        let (new, all, used) = (d.onset.kept, d.onset.fragments, d.onset.used);
        put("theme", format!("{theme}; {new} of {all} fragments were new, {used} went into something imagined"));
    }
    let triage = d.phase1_summary.triage_decisions;
    put("triage", format!("{} kept, {} made into rules, {} let go", triage.preserve, triage.r#abstract, triage.forget));
    put("disturbed", format!("{} replays, {} of them fragile", d.phase1_summary.perturbed, d.phase1_summary.fragile));
    for pattern in &d.phase1_summary.patterns_found {
        put("pattern", pattern.clone());
    }
    for way in &d.phase1_summary.trajectories {
        put("ahead", format!("{}: {:.1} % of what it has", way.hypothesis, way.strategy_fitness * 100.0));
    }
    if let Some(way) = &d.phase1_summary.needs_attention {
        let cost: i64 = d.phase1_summary.credit_ahead.iter().map(|c| c.micro_usdc).sum();
        put("in danger", format!("{way}: what is open would lose {} USDC", money::usdc(Usdc(cost.unsigned_abs()))));
    }
    for left in &d.inherited {
        let came = left.came.as_ref().map(|came| format!("; {came}")).unwrap_or_default();
        put(
            "taken up",
            format!(
                "{} (there {} of {}, here {} of {}, {:.0} % anyway{came})",
                in_words(&left.text),
                left.hits_there,
                left.hits_there + left.misses_there,
                left.held_here,
                left.seen_here,
                left.base_rate * 100.0
            ),
        );
    }
    for change in &d.phase3_summary.context_revisions_staged {
        put("context", change.clone());
    }
    for idea in &d.phase2_summary.creative_hypotheses {
        let tried = idea.executed_bps.map(|b| format!(" ({b:+.1} bps on a copy)")).unwrap_or_default();
        put("imagined", format!("{}{tried}", idea.text));
    }
    for t in &d.phase2_summary.threats_simulated {
        let losses =
            format!("{:.2} % lost, {:.2} % with {}", t.loss_bps / 100.0, t.best_loss_bps / 100.0, t.best_response);
        put("threat", format!("{}: {losses}", t.threat_id.replace('_', " ")));
        if let Some(card) = threat(&t.threat_id) {
            put("that is", card.narrative.to_owned());
        }
        for gap in &t.gaps {
            put("unanswered", in_words(gap));
        }
    }
    for update in &d.phase3_summary.grimoire_updates {
        let number = update.proposal.map(|n| format!("{n}: ")).unwrap_or_default();
        put("proposed", format!("{number}{}", update.text));
    }
    for against in &d.phase3_summary.contradictions_flagged {
        put("against", against.text.clone());
    }
    for away in &d.phase3_summary.turned_away {
        put("not staged", away.clone());
    }
    for why in &d.nothing_because {
        put("nothing", why.clone());
    }
    let thoughts = &d.thoughts;
    if !thoughts.is_empty() {
        put("models", format!("{} asked, {} answered", thoughts.asked, thoughts.answered));
    }
    for said in thoughts.patterns.iter().chain(&thoughts.lessons).chain(&thoughts.line) {
        put("said", said.clone());
    }
    for remark in &thoughts.remarks {
        put("but", remark.clone());
    }
    for receipt in &thoughts.receipts {
        put("receipt", format!("{} of {} for {}", receipt.hash, receipt.provider, receipt.question));
    }
    let later = d.later;
    put(
        "since then",
        format!("{} came true, {} did not, {} had their chances", later.confirmed, later.refuted, later.expired),
    );
    put("cost", format!("{} USDC, {} ticks", money::usdc(d.total_cost_usdc), d.dream_duration_ticks));
    lines
}

fn staging(id: &str, as_of: Option<Tick>, home: &Home, out: &Out) -> Result<(), Fail> {
    let open = dreams::staging(&home.golem(id)?, as_of)?;
    out.result(&json!({ "staged": open }), || {
        if open.is_empty() {
            return "nothing is staged".to_owned();
        }
        let text = |p: &Proposal| in_words(&p.change.text());
        let one = |p: &Proposal| {
            let (trial, confidence) = (p.trial, f64::from(p.confidence_bp) / 1e4);
            folded(&format!(
                "{:>5}  {confidence:.2}  {} of {} came true  {}",
                p.number,
                trial.hits,
                trial.hits + trial.misses,
                text(p)
            ))
        };
        open.iter().map(one).collect::<Vec<_>>().join("\n")
    })
}

fn stats(id: &str, home: &Home, out: &Out) -> Result<(), Fail> {
    let dreams = dreams::stats(&home.golem(id)?)?;
    out.result(&dreams, || {
        let share = |of: Option<f64>| of.map_or("not known yet".to_owned(), |p| format!("{:.0} %", p * 100.0));
        let (precision, came_true) = (share(dreams.precision), share(dreams.came_true));
        let each = dreams.cost_per_confirmed.map_or("-".to_owned(), |c| format!("{} USDC", money::usdc(c)));
        [
            format!(
                "  dreams      {} ({} broken off), {} runs on copies of the chain",
                dreams.cycles, dreams.broken_off, dreams.runs
            ),
            format!(
                "  staged      {}: {} came true, {} did not, {} had their chances",
                dreams.staged, dreams.promoted, dreams.refuted, dreams.expired
            ),
            format!(
                "              {} more came true and were known or did not help, {} their owner judged",
                dreams.turned_away, dreams.by_owner
            ),
            format!("  came true   {came_true} of what was judged, less what was spoken against since"),
            format!(
                "  precision   {precision}: of those promoted, {} are borne out by later checks and {} are not",
                dreams.held, dreams.fallen
            ),
            format!(
                "  threats     {} rehearsals; awake, signs of one began {} times",
                dreams.threats.rehearsals, dreams.threats.activations
            ),
            format!(
                "              looked at a while later, the price had fallen {} times of {}",
                dreams.threats.true_positives,
                dreams.threats.true_positives.saturating_add(dreams.threats.false_alarms)
            ),
            format!("  quality     {:.2} of the latest, {:.2} in the mean", dreams.last_quality, dreams.mean_quality),
            format!("  cost        {} USDC since birth, {each} for each that came true", money::usdc(dreams.cost)),
            format!("  urgency     {:.2}", dreams.state.urgency),
        ]
        .join("\n")
    })
}
