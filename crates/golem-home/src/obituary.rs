//! The obituary: what a finished (or interrupted) life was, as a story with figures.

use crate::departed::Departed;
use crate::fail::Fail;
use crate::home::Place;
use crate::likeness::HeirOffer;
use crate::retell::{self, Retold};
use golem_core::{Timestamp, Usdc, UsdcDelta};
use golem_grimoire::testament::Testament;
use golem_life::LifeStanding;
use golem_mortality::economic::budget::BudgetMeaning;
use golem_runtime::Reader;
use golem_view::story::Told;
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
    /// Whether it is over: whoever is dying has a cause too.
    pub standing: LifeStanding,
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
    /// Given after its birth, in all.
    pub fed_micro_usdc: Usdc,
    /// What the budget that it was born with meant, at the prices of its birth: as `create` said it.
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
    /// What there is for an heir; none of the living, and where its file cannot be read so far.
    pub heir: Option<HeirOffer>,
    /// Facts that could not be read.
    #[serde(skip)]
    pub unread: u64,
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
    let Retold { status, series, file, born_at, funding, told, unread, .. } = retell::read(dir)?;
    let budget = crate::budget::at_birth(funding, &file);
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
    let heir = status.death.as_ref().and_then(|_| offer(dir, &status));
    Ok(Obituary {
        id: status.id.to_string(),
        name: status.name.to_string(),
        standing: status.standing,
        cause: status.death.as_ref().map_or("alive", |d| d.cause.name()).to_owned(),
        age_ticks: age.map_or(status.age_ticks, |age| age.nominal_floor()),
        age_days: age.map_or(status.age_days, |age| age.as_days()),
        born_at,
        ended_at: age.map_or(status.at, |age| born_at.after(age)),
        budget,
        turns: tick.0,
        funded_micro_usdc: status.funded,
        fed_micro_usdc: status.funded.minus(funding),
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
        heir,
        death: status.death,
        unread,
        fitness_series,
        nav_series,
    })
}

/// What there is for an heir of somebody who is dead for good.
fn offer(dir: &Path, status: &golem_life::Status) -> Option<HeirOffer> {
    let place = Place { dir: dir.to_owned(), id: status.id, name: status.name.clone() };
    HeirOffer::of(&Departed::read(&place).ok()?).ok()
}
