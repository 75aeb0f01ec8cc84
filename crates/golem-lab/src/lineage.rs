//! A line of golems in one world, in memory: each lives until a clock ends it, and what it leaves is inherited by the next one, which
//! is born where it ended. Beside each heir's first days lives a newborn on the same path that inherited nothing.

use crate::Subject;
use crate::leaving::{Leaves, leaves};
use crate::reach::{SkillTime, SkillWatch, median_time, skill};
use crate::subject::{account, floor_of, hands_of};
use crate::world::{Blow, PlaceError, WorldPlace, place};
use golem_clade::divergence::{DivergenceVerdict, Negentropy, RatchetCounts, lineage_score, negentropy_slope};
use golem_clade::heirloom::Heirloom;
use golem_clade::inheritance::{Inheritance, InheritanceChoice};
use golem_core::birth::{Descent, Identity};
use golem_core::door::World;
use golem_core::{Hash, NOMINAL_TICK_S, Name, Secret, Usdc};
use golem_grimoire::experts::DOMAINS;
use golem_life::{Genesis, Settings};
use golem_venue::floor::{FloorWorld, SharedFloor};
use golem_venue::{Account, VenueError};
use serde::Serialize;
use std::sync::Arc;

/// Days over which heirs are held against newborns.
const FIRST_DAYS: f64 = 10.0;

/// Turns after which a floor lets go of its past.
const PAST_TURNS: u64 = 2_160;

/// A line to be lived.
#[derive(Debug, Clone)]
pub struct LineagePlan {
    /// The name of a world.
    pub world: String,
    pub seed: u64,
    /// What each of them is given.
    pub budget: Usdc,
    pub generations: u32,
    pub settings: Settings,
    /// Nobody is waited for longer than this.
    pub most_days: u64,
}

/// Why a line could not be lived.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LineageError {
    /// There is no such world.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// Its market cannot begin or go on.
    #[error(transparent)]
    Venue(#[from] VenueError),
}

/// One life of the line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GenerationRow {
    pub generation: u32,
    pub days: f64,
    /// Of what it died; none when it was not waited for any longer.
    pub cause: Option<String>,
    pub worth_micro_usdc: Usdc,
    pub fitness: f64,
    /// Things it knew that it had not inherited.
    pub novel: u32,
    /// Entries that it took in.
    pub inherited: u32,
    pub validated: u32,
    pub contradicted: u32,
    /// How it stands to the one before; a first ancestor is not judged.
    pub verdict: Option<DivergenceVerdict>,
    pub ratchet: Option<f64>,
    /// Bits that its knowledge tells, for each entry in use.
    pub negentropy_per_entry: f64,
    /// Summed loss of its forecasts over its first ten days, in losses of the naive rule; none for a first ancestor.
    pub first_days_loss: Option<f64>,
    /// The same of a newborn on the same path.
    pub newborn_loss: Option<f64>,
    /// How long it took to be as skilled as its parent had been, or that it took longer; none for a first ancestor.
    pub to_parent_skill: Option<SkillTime>,
    /// The same of a newborn on the same path.
    pub newborn_to_parent_skill: Option<SkillTime>,
}

/// What came of a line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LineageReport {
    pub world: String,
    pub seed: u64,
    pub generations: Vec<GenerationRow>,
    /// The ratchet of all of them, weighted by how long each lasted.
    pub lineage_score: Option<f64>,
    /// The change of bits per entry from one generation to the next.
    pub negentropy_slope: Option<f64>,
    /// How many heirs lost less in their first ten days than a newborn, of how many.
    pub heirs_with_less_loss: Option<(usize, usize)>,
    /// Days by which half of the heirs, and half of the newborns, were as skilled as the parent; none where fewer came to it.
    pub median_days_to_parent_skill: [Option<f64>; 2],
}

/// Live it. `told` hears of each life when it is over.
///
/// # Errors
/// When there is no such world, or its market cannot go on.
pub fn live_lineage(plan: &LineagePlan, told: &dyn Fn(&GenerationRow)) -> Result<LineageReport, LineageError> {
    let (mut joined, mut heirloom, mut parent_skill) = (0, None::<Heirloom>, None);
    let (mut rows, mut lives, mut bits) = (Vec::new(), Vec::new(), Vec::new());
    for generation in 0..plan.generations {
        let beside = match heirloom {
            Some(_) => newborn_beside(plan, generation, joined, parent_skill)?,
            None => NewbornBeside::default(),
        };
        // A market of its own that has come as far: the newborn beside it stands on one like it, and its parent's trades are no
        // part of what is held against each other.
        let floor = floor(plan)?;
        let born = born(plan, generation, joined, &floor, heirloom.take());
        let mut subject = put(&born, &floor, joined);
        let (mut first_days_loss, mut turns) = (None, 0_u64);
        let mut watch = parent_skill.map(SkillWatch::towards);
        while subject.age_days() < plan.most_days as f64 && subject.turn() {
            if let Some(watch) = &mut watch {
                watch.look(&subject);
            }
            if first_days_loss.is_none() && subject.age_days() >= FIRST_DAYS {
                first_days_loss = loss(&subject);
            }
            turns += 1;
            // Nobody goes back: the floor need not keep what is over.
            if turns.is_multiple_of(PAST_TURNS) {
                drop(FloorWorld::new(floor.clone(), account(&born.0), joined).hand_over());
            }
        }
        let (row, counts, negentropy, left) = judged(&born.0, &subject);
        let row = GenerationRow {
            first_days_loss: first_days_loss.filter(|_| beside.loss.is_some()),
            newborn_loss: beside.loss,
            to_parent_skill: watch.map(|watch| watch.time()),
            newborn_to_parent_skill: beside.to_parent_skill,
            ..row
        };
        parent_skill = skill(&subject);
        told(&row);
        lives.push((subject.life().age().age(), counts));
        bits.push(negentropy);
        rows.push(row);
        heirloom = Some(left);
        joined = joined.saturating_add(subject.life().age().age().nominal_floor()).saturating_add(1);
        if floor.hold().trouble().is_some() {
            break;
        }
    }
    let paired: Vec<bool> = rows.iter().filter_map(|r| Some(r.first_days_loss? < r.newborn_loss?)).collect();
    let faster = paired.iter().filter(|less| **less).count();
    let median =
        |of: fn(&GenerationRow) -> Option<SkillTime>| median_time(&rows.iter().filter_map(of).collect::<Vec<_>>());
    let median_days_to_parent_skill = [median(|r| r.to_parent_skill), median(|r| r.newborn_to_parent_skill)];
    Ok(LineageReport {
        world: plan.world.clone(),
        seed: plan.seed,
        lineage_score: lineage_score(&lives),
        negentropy_slope: negentropy_slope(&bits),
        heirs_with_less_loss: (!paired.is_empty()).then_some((faster, paired.len())),
        median_days_to_parent_skill,
        generations: rows,
    })
}

pub(crate) fn floor(plan: &LineagePlan) -> Result<SharedFloor, LineageError> {
    let WorldPlace { world, market, blow, .. } = place(&plan.world, plan.seed)?;
    Ok(floor_of(plan.seed, world, market, blow.as_ref().map(Blow::scenario))?)
}

/// The record of a birth in this line, and its secret. Each generation has chances of its own.
pub(crate) fn born(
    plan: &LineagePlan,
    generation: u32,
    joined: u64,
    floor: &SharedFloor,
    of: Option<Heirloom>,
) -> (Genesis, Secret) {
    let secret = Secret::from_seed(plan.seed.wrapping_mul(1_000_003).wrapping_add(u64::from(generation)));
    let name: Name =
        format!("line-{generation}").parse().unwrap_or_else(|_| unreachable!("a valid name by construction"));
    let identity = Identity { name: &name, public_key: Hash::default(), commitment: secret.commitment() };
    let born_at = FloorWorld::new(floor.clone(), Account([0; 20]), joined).epoch();
    let first = identity.first_ancestor(true, born_at, plan.budget, plan.settings.hash());
    let birth = match &of {
        None => first,
        Some(left) => first.descending(Descent {
            parent: left.lineage.golem,
            lineage: left.lineage.id,
            generation: left.lineage.generation.saturating_add(1),
            inheritance: left.checksum(),
        }),
    };
    let inheritance = of.map(|heirloom| Arc::new(Inheritance { heirloom, choice: InheritanceChoice::default() }));
    let set = plan.settings.heartbeat.tick_interval_s;
    let interval_s = if set > 0 { set } else { NOMINAL_TICK_S };
    (Genesis { birth, settings: plan.settings.clone(), interval_s, inheritance }, secret)
}

pub(crate) fn put((genesis, secret): &(Genesis, Secret), floor: &SharedFloor, joined: u64) -> Subject {
    let who = account(genesis);
    let seen = FloorWorld::new(floor.clone(), who, joined).like(Some(genesis.interval_s), None);
    Subject::on(genesis, secret, Box::new(seen), Box::new(hands_of(genesis, floor.clone()))).writing()
}

/// What came of somebody who inherited nothing.
#[derive(Debug, Clone, Copy, Default)]
struct NewbornBeside {
    /// In its first days.
    loss: Option<f64>,
    to_parent_skill: Option<SkillTime>,
}

/// Let somebody live beside an heir who inherits nothing: with the same dice, on a market like the heir's.
fn newborn_beside(
    plan: &LineagePlan,
    generation: u32,
    joined: u64,
    target: Option<f64>,
) -> Result<NewbornBeside, LineageError> {
    let floor = floor(plan)?;
    let mut subject = put(&born(plan, generation, joined, &floor, None), &floor, joined);
    let (mut watch, mut beside) = (target.map(SkillWatch::towards), NewbornBeside::default());
    while beside.loss.is_none() || watch.is_some_and(|watch| !watch.is_over()) {
        if !subject.turn() {
            break;
        }
        if let Some(watch) = &mut watch {
            watch.look(&subject);
        }
        if beside.loss.is_none() && subject.age_days() >= FIRST_DAYS {
            beside.loss = loss(&subject);
            if beside.loss.is_none() {
                break;
            }
        }
    }
    Ok(NewbornBeside { to_parent_skill: watch.map(|watch| watch.time()), ..beside })
}

/// Losses of all domains so far, each in losses of the naive rule; none where nothing was settled.
pub(crate) fn loss(subject: &Subject) -> Option<f64> {
    let mind = subject.life().mind();
    let settled: Vec<f64> = DOMAINS.iter().filter_map(|d| mind.forecasters().tally(*d).overall()).collect();
    (!settled.is_empty()).then(|| settled.iter().map(|skill| 1.0 - skill).sum())
}

pub(crate) fn judged(genesis: &Genesis, subject: &Subject) -> (GenerationRow, RatchetCounts, Negentropy, Heirloom) {
    let (life, status) = (subject.life(), subject.status());
    let death = status.death.as_ref();
    let age = death.map_or_else(|| life.age(), |d| d.age);
    let row = GenerationRow {
        generation: genesis.birth.generation,
        days: age.age().as_days(),
        cause: death.map(|d| d.cause.name().to_owned()),
        worth_micro_usdc: status.worth(),
        fitness: status.vitality.epistemic,
        novel: 0,
        inherited: 0,
        validated: 0,
        contradicted: 0,
        verdict: None,
        ratchet: None,
        negentropy_per_entry: 0.0,
        first_days_loss: None,
        newborn_loss: None,
        to_parent_skill: None,
        newborn_to_parent_skill: None,
    };
    let Leaves { work, divergence, heirloom } = leaves(genesis, subject);
    let row = GenerationRow {
        novel: work.counts.novel,
        inherited: work.counts.inherited,
        validated: work.counts.validated,
        contradicted: work.counts.contradicted,
        verdict: divergence.as_ref().map(|d| d.verdict),
        ratchet: divergence.as_ref().and_then(|d| d.ratchet),
        negentropy_per_entry: work.negentropy.per_entry(),
        ..row
    };
    (row, work.counts, work.negentropy, heirloom)
}
