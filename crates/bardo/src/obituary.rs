//! The obituary: what a finished (or interrupted) life was, as a story with figures, and how to look deeper.

use crate::chart::chart;
use crate::fail::Fail;
use crate::out::Out;
use crate::retell::{self, Retold};
use golem_core::{Timestamp, Usdc, UsdcDelta};
use golem_grimoire::testament::Testament;
use golem_mortality::BehavioralPhase;
use golem_mortality::economic::budget::BudgetMeaning;
use golem_mortality::epistemic::NAIVE_FITNESS;
use golem_runtime::Reader;
use golem_view::story::{Told, calendar};
use golem_view::wrap::{WIDTH, columns, fold};
use golem_view::{money, time};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Columns of a chart: with its axis it fits a narrow terminal.
const CHART: usize = 46;

/// What `demo --json` prints; others rely on these names.
#[derive(Debug, Serialize)]
pub struct Obituary {
    /// Who.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Of what; `alive` for a life that was only watched for a while.
    pub cause: String,
    /// The cause with all that is known about it.
    pub death: Option<golem_mortality::Death>,
    /// Age in nominal ticks.
    pub age_ticks: u64,
    /// Age in days.
    pub age_days: f64,
    /// When it was born.
    pub born_at: Timestamp,
    /// When it died, or was looked at last.
    pub ended_at: Timestamp,
    /// Turns taken.
    pub turns: u64,
    /// Given at birth and later.
    pub funded_micro_usdc: Usdc,
    /// Net asset value at the end.
    pub final_nav_micro_usdc: Usdc,
    /// Paid for living.
    pub spent_micro_usdc: Usdc,
    /// What the budget meant, at the prices of its birth.
    pub budget: BudgetMeaning,
    /// Realised profit less loss.
    pub earned_micro_usdc: UsdcDelta,
    /// Actions carried out.
    pub trades: u64,
    /// Fitness at the end.
    pub fitness: f64,
    /// Fitness by domain.
    pub domains: BTreeMap<String, f64>,
    /// Days in each phase.
    pub phases: BTreeMap<String, f64>,
    /// Chapters, what it learnt, and a reckoning of its money.
    #[serde(flatten)]
    pub story: Told,
    /// What it left, once it has written that down.
    pub testament: Option<Testament>,
    /// Head of the hash chain: the life's fingerprint.
    pub hash: String,
    /// Facts that could not be read.
    #[serde(skip)]
    unread: u64,
    /// Fitness over time.
    #[serde(skip)]
    pub fitness_series: Vec<f64>,
    /// Net asset value over time.
    #[serde(skip)]
    pub nav_series: Vec<f64>,
}

/// Read it from a golem's file.
pub fn read(dir: &Path) -> Result<Obituary, Fail> {
    let (tick, hash) = Reader::open(dir)?.tip()?;
    let Retold { status, series, file, born_at, told, unread } = retell::read(dir)?;
    let budget = crate::budget::at_birth(status.funded, &file);
    // Turns of dying are no part of a life's length.
    let age = status.death.as_ref().map(|death| death.age.age());
    let mut phases = BTreeMap::new();
    let (mut fitness_series, mut nav_series) = (Vec::new(), Vec::new());
    let mut last_age = 0.0;
    for row in series {
        *phases.entry(row.phase.name().to_owned()).or_insert(0.0) += (row.age_days - last_age).max(0.0);
        last_age = row.age_days;
        fitness_series.push(row.vitality.epistemic);
        nav_series.push(row.balance.as_f64());
    }
    Ok(Obituary {
        id: status.id.to_string(),
        name: status.name.to_string(),
        cause: status.death.as_ref().map_or("alive", |d| d.cause.name()).to_owned(),
        age_ticks: age.map_or(status.age_ticks, |age| age.nominal_floor()),
        age_days: age.map_or(status.age_days, |age| age.as_days()),
        born_at,
        ended_at: age.map_or(status.at, |age| born_at.after(age)),
        budget,
        turns: tick.0,
        funded_micro_usdc: status.funded,
        final_nav_micro_usdc: status.worth(),
        spent_micro_usdc: status.spent,
        earned_micro_usdc: status.earned,
        trades: status.trades,
        fitness: status.vitality.epistemic,
        domains: status.domains,
        phases,
        story: told,
        // One that cannot be read is told by its own command; the story stands without it.
        testament: crate::testament::for_anybody(dir),
        hash: hash.to_string(),
        death: status.death,
        unread,
        fitness_series,
        nav_series,
    })
}

impl Obituary {
    /// For people, within 80 columns.
    pub fn text(&self, out: &Out, home_flag: &str) -> String {
        let mut lines = vec![out.paint("1", &self.title()), String::new()];
        lines.extend(self.story.page(WIDTH));
        lines.push(String::new());
        if let Some(testament) = &self.testament {
            lines.extend(golem_view::testament::excerpt(testament, WIDTH));
            lines.push(String::new());
        }
        lines.extend(self.charts());
        lines.push(String::new());
        lines.extend(self.figures());
        lines.push(String::new());
        lines.extend(self.look_deeper(home_flag));
        lines.join("\n")
    }

    fn title(&self) -> String {
        let turns = money::grouped(u128::from(self.turns));
        let age = time::age(self.age_days);
        match &self.death {
            Some(_) => {
                let days = calendar::stretch(self.born_at, self.ended_at);
                format!("† {} · {days} · {age} · {turns} turns", self.name)
            }
            None => format!("{} · born {} · {age} old · {turns} turns", self.name, calendar::date(self.born_at)),
        }
    }

    fn charts(&self) -> Vec<String> {
        let mut lines = vec!["  its worth, in USDC".to_owned()];
        lines.extend(chart(&self.nav_series, CHART, 3).into_iter().map(|l| format!("  {l}")));
        lines.push(format!("  its skill, where {NAIVE_FITNESS} is as good as a naive guess"));
        lines.extend(chart(&self.fitness_series, CHART, 3).into_iter().map(|l| format!("  {l}")));
        lines
    }

    /// What it was in the end, and what its budget meant.
    fn figures(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let phases: Vec<String> = BehavioralPhase::ALL
            .iter()
            .rev()
            .filter_map(|p| self.phases.get(p.name()).map(|d| format!("{p} {d:.1} d")))
            .collect();
        lines.extend(fold("  phases   ", &phases.join(", "), WIDTH));
        let domains: Vec<String> =
            self.domains.iter().map(|(d, f)| format!("{} {f:.3}", d.replace('_', " "))).collect();
        lines.extend(fold("  skill    ", &format!("{:.3}: {}", self.fitness, domains.join(", ")), WIDTH));
        for (n, line) in self.budget.lines().iter().enumerate() {
            lines.extend(fold(if n == 0 { "  budget   " } else { "           " }, line, WIDTH));
        }
        if self.unread > 0 {
            let text = format!("{} facts of another form than this program knows are left out", self.unread);
            lines.extend(fold("  note     ", &text, WIDTH));
        }
        lines.extend(fold("  hash     ", &self.hash, WIDTH));
        lines
    }

    fn look_deeper(&self, home_flag: &str) -> Vec<String> {
        let name = &self.name;
        let command = |words: &str| format!("bardo{home_flag} {words}");
        let mut all = Vec::new();
        if self.death.is_none() {
            let on = command(&format!("golem run {name} --speed max"));
            all.push((on, "it lives: let it go on"));
        }
        all.extend([
            (command(&format!("golem trades {name}")), "what it did with the money"),
            (command(&format!("golem logs {name}")), "what happened, fact by fact"),
            (command(&format!("golem verify {name}")), "the hash chain and every death roll"),
            (command(&format!("golem replay {name}")), "live it again and compare every turn"),
        ]);
        if self.testament.is_some() {
            all.push((command(&format!("golem testament {name}")), "all of its testament"));
        }
        if self.death.is_some() {
            all.push((command(&format!("golem successor {name} --inherit-grimoire")), "an heir of what it knew"));
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
}
