//! A cycle in a room, for tests of what its stages make of what they find.

use super::{DreamCycle, DreamModels, DreamRoom, DreamRules, DreamWeights, HeldNow, LineOfDreams};
use crate::config::{DreamConfig, DreamMoney};
use crate::imagine::samples::watched;
use crate::schedule::testing::{config, seen};
use crate::schedule::{DreamScheduler, DreamTrigger};
use crate::state::DreamTier;
use golem_core::{Dice, GolemId, Regime, Strand, Usdc};
use golem_grimoire::Grimoire;
use golem_grimoire::entry::EntryOrigin;
use std::collections::BTreeSet;

pub(super) const BOTH: DreamModels = DreamModels { t1: true, t2: true };

/// A cycle of somebody who understands little, with a room of few episodes.
pub(super) fn dreaming(
    options: impl FnOnce(&mut DreamConfig),
    run: impl FnOnce(&mut DreamCycle, &mut DreamRoom<'_, '_>),
) {
    let mut config = config();
    config.tier = DreamTier::Hardened;
    config.budget.per_cycle_max = DreamMoney::Known(Usdc(100_000));
    options(&mut config);
    let mut seen = seen();
    seen.fitness = 0.3;
    let plan = DreamScheduler::default().plan(&seen, &config, DreamTrigger::Owner, Usdc::whole(1));
    let mut cycle = DreamCycle::begin(1, DreamTrigger::Owner, &plan, &seen, &config);
    let name = "ash".parse().unwrap();
    let mut grimoire = Grimoire::new(name, EntryOrigin { golem: GolemId([7; 16]), generation: 0 });
    for id in 1..=12 {
        grimoire.record(watched(id, id * 100, Regime::Volatile).0);
    }
    let here = grimoire.situation(&golem_core::observed::Snapshot::default(), None);
    let (rules, dice, mut told) = (DreamRules::of(&config), Dice::open(1, Strand::Mind), Vec::new());
    let mut desk = grimoire.dream_desk(seen.now);
    let mut room = DreamRoom {
        seen: &seen,
        config: &config,
        rules: &rules,
        desk: &mut desk,
        dice: &dice,
        here,
        held: HeldNow::default(),
        onset_alarm: None,
        is_thin: false,
        market_volatility: None,
        mood: None,
        weights: DreamWeights::default(),
        tunables: &[],
        models: BOTH,
        line: LineOfDreams { unfinished: &[], taken: &mut BTreeSet::new(), dreamt: &[] },
        told: &mut told,
    };
    run(&mut cycle, &mut room);
}
