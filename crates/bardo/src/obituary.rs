//! The obituary on a terminal: a story with figures, and how to look deeper.

use crate::chart::chart;
use crate::out::Out;
use golem_core::Usdc;
use golem_home::likeness::HeirOffer;
pub use golem_home::obituary::{Obituary, read};
use golem_life::LifeStanding;
use golem_mortality::BehavioralPhase;
use golem_mortality::epistemic::NAIVE_FITNESS;
use golem_view::story::calendar;
use golem_view::wrap::{WIDTH, columns, counted, fold};
use golem_view::{money, time};

/// Columns of a chart: with its axis it fits a narrow terminal.
const CHART: usize = 46;

/// For people, within 80 columns.
pub fn text(of: &Obituary, out: &Out, home_flag: &str) -> String {
    let mut lines = vec![out.paint("1", &title(of)), String::new()];
    lines.extend(of.story.page(WIDTH));
    lines.push(String::new());
    if let Some(testament) = &of.testament {
        lines.extend(golem_view::testament::excerpt(testament, WIDTH));
        lines.push(String::new());
    }
    lines.extend(charts(of));
    lines.push(String::new());
    lines.extend(figures(of));
    lines.extend(of.heir.iter().flat_map(inherited));
    lines.push(String::new());
    lines.extend(look_deeper(of, home_flag));
    lines.join("\n")
}

fn title(of: &Obituary) -> String {
    let turns = money::grouped(u128::from(of.turns));
    let age = time::age(of.age_days);
    match of.standing {
        LifeStanding::Dead => {
            let days = calendar::stretch(of.born_at, of.ended_at);
            format!("† {} · {days} · {age} · {turns} turns", of.name)
        }
        LifeStanding::Dying => {
            format!("{} · born {} · {age} old · dying · {turns} turns", of.name, calendar::date(of.born_at))
        }
        _ => format!("{} · born {} · {age} old · {turns} turns", of.name, calendar::date(of.born_at)),
    }
}

fn charts(of: &Obituary) -> Vec<String> {
    let mut lines = vec!["  its worth, in USDC".to_owned()];
    lines.extend(chart(&of.nav_series, CHART, 3).into_iter().map(|l| format!("  {l}")));
    lines.push(format!("  its skill, where {NAIVE_FITNESS} is as good as a naive guess"));
    lines.extend(chart(&of.fitness_series, CHART, 3).into_iter().map(|l| format!("  {l}")));
    lines
}

/// What it was in the end, and what its budget meant.
fn figures(of: &Obituary) -> Vec<String> {
    let mut lines = Vec::new();
    let phases: Vec<String> = BehavioralPhase::ALL
        .iter()
        .rev()
        .filter_map(|p| of.phases.get(p.name()).map(|d| format!("{p} {d:.1} d")))
        .collect();
    lines.extend(fold("  phases   ", &phases.join(", "), WIDTH));
    let domains: Vec<String> = of.domains.iter().map(|(d, f)| format!("{} {f:.3}", d.replace('_', " "))).collect();
    lines.extend(fold("  skill    ", &format!("{:.3}: {}", of.fitness, domains.join(", ")), WIDTH));
    for (n, line) in of.budget.lines().iter().enumerate() {
        lines.extend(fold(if n == 0 { "  budget   " } else { "           " }, line, WIDTH));
    }
    if of.fed_micro_usdc > Usdc::ZERO {
        let text = format!("that is what it was born with; it was fed {} USDC later", of.fed_micro_usdc);
        lines.extend(fold("           ", &text, WIDTH));
    }
    if of.unread > 0 {
        let text = format!("{} facts of another form than this program knows are left out", of.unread);
        lines.extend(fold("  note     ", &text, WIDTH));
    }
    lines.extend(fold("  hash     ", &of.hash, WIDTH));
    lines
}

/// What an heir would inherit, in a line or two.
fn inherited(offer: &HeirOffer) -> Vec<String> {
    let p = &offer.preview;
    let text = format!(
        "{} and {}; {} first learnt by it or those before it, {} marked by a death",
        counted(p.entries, "entry"),
        counted(p.questions, "question"),
        p.from_the_dead,
        p.bloodstains
    );
    fold("  leaves   ", &text, WIDTH)
}

fn look_deeper(of: &Obituary, home_flag: &str) -> Vec<String> {
    let name = &of.name;
    let command = |words: &str| format!("bardo{home_flag} {words}");
    let mut all = Vec::new();
    if of.standing != LifeStanding::Dead {
        let on = command(&format!("golem run {name} --speed max"));
        let what = if of.death.is_none() { "it lives: let it go on" } else { "it is dying: let it come to its end" };
        all.push((on, what));
    }
    all.extend([
        (command(&format!("golem trades {name}")), "what it did with the money"),
        (command(&format!("golem logs {name}")), "what happened, fact by fact"),
        (command(&format!("golem verify {name}")), "the hash chain and every death roll"),
        (command(&format!("golem replay {name}")), "live it again and compare every turn"),
    ]);
    if of.testament.is_some() {
        all.push((command(&format!("golem testament {name}")), "all of its testament"));
    }
    if let Some(heir) = &of.heir {
        let (what, options) = match heir.options {
            fresh @ "--no-inherit" => ("an heir; one that knew as much would be it again", fresh),
            options => ("an heir of what it knew", options),
        };
        all.push((command(&format!("golem successor {name} {options}")), what));
    }
    let mut lines = vec!["  look deeper".to_owned()];
    for (command, what) in all {
        // A command is never broken: it must be possible to copy it.
        match columns(&command) {
            0..=38 => lines.push(format!("    {command:<38}  {what}")),
            _ => lines.extend([format!("    {command}"), format!("        {what}")]),
        }
    }
    lines
}
