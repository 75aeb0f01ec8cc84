//! The obituary: what a finished (or interrupted) life was, in one screen, and how to look deeper.

use crate::chart::chart;
use crate::fail::Fail;
use crate::out::Out;
use crate::show;
use golem_core::{Usdc, UsdcDelta};
use golem_life::{Point, Status};
use golem_mortality::economic::budget::BudgetMeaning;
use golem_runtime::Reader;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

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
    /// Turns taken.
    pub turns: u64,
    /// Given at birth and later.
    pub funded_micro_usdc: Usdc,
    /// Net asset value at the end.
    pub final_nav_micro_usdc: Usdc,
    /// Paid for living.
    pub spent_micro_usdc: Usdc,
    /// What the budget meant, at the prices of its end.
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
    /// Head of the hash chain: the life's fingerprint.
    pub hash: String,
    /// Fitness over time.
    #[serde(skip)]
    pub fitness_series: Vec<f64>,
    /// Net asset value over time.
    #[serde(skip)]
    pub nav_series: Vec<f64>,
}

/// Read it from a golem's file.
pub fn read(dir: &Path) -> Result<Obituary, Fail> {
    let reader = Reader::open(dir)?;
    let (tick, hash) = reader.tip()?;
    let row = reader.status()?.ok_or_else(|| Fail::hint("it has not lived yet", "bardo golem run ID"))?;
    let status: Status = parse(&row.body)?;
    let file = crate::birth::settings_of(&reader.origin()?)?;
    let gas_gwei = status.cortical.gas_gwei.map(f64::from);
    let budget = crate::budget::at_prices(status.funded, &file, gas_gwei, status.price);
    // Turns of dying are no part of a life's length.
    let age = status.death.as_ref().map(|death| death.age.age());
    let mut phases = BTreeMap::new();
    let (mut fitness_series, mut nav_series) = (Vec::new(), Vec::new());
    let mut last_age = 0.0;
    for row in series(&reader)? {
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
        budget,
        turns: tick.0,
        funded_micro_usdc: status.funded,
        final_nav_micro_usdc: status.balance,
        spent_micro_usdc: status.spent,
        earned_micro_usdc: status.earned,
        trades: status.trades,
        fitness: status.vitality.epistemic,
        domains: status.domains,
        phases,
        hash: hash.to_string(),
        death: status.death,
        fitness_series,
        nav_series,
    })
}

/// The whole downsampled series, page by page.
pub fn series(reader: &Reader) -> Result<Vec<Point>, Fail> {
    let (mut all, mut after) = (Vec::new(), golem_core::Tick(0));
    loop {
        let page = reader.series(after, 1_000)?;
        let Some(last) = page.last() else { return Ok(all) };
        after = last.tick;
        for row in &page {
            let body = serde_json::from_str(&row.body);
            all.push(body.map_err(|e| Fail::world(format!("a stored point cannot be read: {e}")))?);
        }
    }
}

/// A status record from its stored form.
pub fn parse(body: &str) -> Result<Status, Fail> {
    serde_json::from_str(body).map_err(|e| Fail::world(format!("a stored status cannot be read: {e}")))
}

impl Obituary {
    /// For people.
    pub fn text(&self, out: &Out, home_flag: &str) -> String {
        let mut lines = Vec::new();
        let title = match &self.death {
            Some(_) => format!("† {}, {}", self.name, show::age(self.age_days)),
            None => format!("{}, {} old and alive", self.name, show::age(self.age_days)),
        };
        lines.push(out.paint("1", &title));
        if let Some(death) = &self.death {
            lines.push(format!("  died of   {}", show::cause(&death.cause)));
            let v = &death.final_vitality;
            lines.push(format!(
                "  as        {} (vitality {:.2}: economic {:.2}, epistemic {:.2}, age {:.2})",
                v.phase, v.composite, v.economic, v.epistemic, v.age_factor
            ));
        }
        let (funded, left) = (self.funded_micro_usdc, self.final_nav_micro_usdc);
        lines.push(format!("  lived     {} turns, {} nominal ticks", self.turns, self.age_ticks));
        lines.push(format!(
            "  money     {:.2} USDC given, {:.2} left; {:.2} spent on living, {:+.2} earned in {} trades",
            funded.as_f64(),
            left.as_f64(),
            self.spent_micro_usdc.as_f64(),
            self.earned_micro_usdc.as_f64(),
            self.trades
        ));
        let titled = |(n, line)| format!("  {:<9} {line}", if n == 0 { "budget" } else { "" });
        lines.extend(self.budget.lines().iter().enumerate().map(titled));
        let phases: Vec<String> = ["thriving", "stable", "conservation", "declining", "terminal"]
            .iter()
            .filter_map(|p| self.phases.get(*p).map(|d| format!("{p} {d:.1} d")))
            .collect();
        lines.push(format!("  phases    {}", phases.join(", ")));
        let domains: Vec<String> = self.domains.iter().map(|(d, f)| format!("{d} {f:.3}")).collect();
        lines.push(format!("  skill     {:.3}, where 0.5 is as good as naive", self.fitness));
        lines.extend(domains.chunks(3).map(|some| format!("            {}", some.join(", "))));
        lines.push(String::new());
        lines.push("  fitness over its life".to_owned());
        lines.extend(chart(&self.fitness_series, 64, 4).into_iter().map(|l| format!("  {l}")));
        lines.push("  net asset value, USDC".to_owned());
        lines.extend(chart(&self.nav_series, 64, 3).into_iter().map(|l| format!("  {l}")));
        lines.push(String::new());
        lines.push(format!("  fingerprint  {}", self.hash));
        let id = &self.id[..8];
        lines.push("  look deeper".to_owned());
        for (command, what) in [
            (format!("bardo{home_flag} golem logs {id}"), "what happened, fact by fact"),
            (format!("bardo{home_flag} golem verify {id}"), "the hash chain and every death roll"),
            (format!("bardo{home_flag} golem replay {id}"), "live it again and compare every turn"),
        ] {
            lines.push(format!("    {command:<48} {what}"));
        }
        lines.join("\n")
    }
}
