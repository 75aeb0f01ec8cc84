//! Every rule of replay, held by a table or a property.

mod forward;
mod known;
mod patterns;
mod perturb;
mod select;
mod triage;
mod utility;

use super::kit::seen;
use super::{LivedEpisode, ReplayKnown, ReplayRules, ReplayScene};
use crate::schedule::DreamLegacy;
use crate::seen::DreamSeen;
use golem_core::{Dice, Strand};
use golem_grimoire::{Episode, Marks, Situation};

/// Everything a scene borrows.
struct ReplayStage {
    rules: ReplayRules,
    seen: DreamSeen,
    situation: Situation,
    known: ReplayKnown,
    cycle: u32,
    legacy: DreamLegacy,
    confused: bool,
    dice: Dice,
}

impl Default for ReplayStage {
    fn default() -> Self {
        Self {
            rules: ReplayRules::default(),
            seen: seen(),
            situation: Situation::default(),
            known: ReplayKnown::default(),
            cycle: 0,
            legacy: DreamLegacy::None,
            confused: false,
            dice: Dice::open(1, Strand::Mind),
        }
    }
}

impl ReplayStage {
    fn scene(&self) -> ReplayScene<'_> {
        let Self { rules, seen, situation, known, cycle, legacy, confused, dice } = self;
        let (cycle, legacy, confused) = (*cycle, *legacy, *confused);
        ReplayScene { rules, seen, situation, known, cycle, legacy, confused, dice }
    }
}

fn pairs(of: &[(Episode, Marks)]) -> Vec<LivedEpisode<'_>> {
    super::kit::lived(of)
}
