//! What a predecessor was still testing: an heir's first dreams take it up before they imagine anything of their own. What is
//! unfinished is held against what the heir has seen itself, and goes to staging before whatever else the night brings.

use super::{DreamCycle, DreamMemory, DreamRoom};
use crate::fact::DreamFact;
use crate::journal::{DreamProvenance, TakenUpHypothesis};
use golem_grimoire::staging::{Staged, UnfinishedHypothesis};

/// Inherited hypotheses that one cycle takes up at most: a night has room for its own.
pub const TAKEN_UP_A_CYCLE: usize = 5;

impl DreamCycle {
    /// Take up what is next, as far as the golem's own record says anything of it.
    pub(super) fn take_up_inherited(&mut self, room: &mut DreamRoom<'_, '_>) {
        let places = (0u32..).zip(room.line.unfinished).filter(|(place, _)| !room.line.taken.contains(place));
        let due: Vec<(u32, UnfinishedHypothesis, f64)> = places
            .filter_map(|(place, left)| Some((place, left.clone(), room.desk.own_base_rate(&left.claim)?)))
            .take(TAKEN_UP_A_CYCLE)
            .collect();
        for (place, left, base_rate) in due {
            let seen = room.desk.seen_of(&left.claim);
            room.told.push(DreamFact::Hypothesis {
                cycle_id: self.id(),
                hypothesis: left.text.clone(),
                provenance: DreamProvenance::Inherited,
                seed_episode_tick: None,
                asked: None,
            });
            self.journal.inherited.push(TakenUpHypothesis {
                place,
                text: left.text,
                hits_there: left.hits,
                misses_there: left.misses,
                held_here: seen.held,
                seen_here: seen.n,
                base_rate,
                came: None,
            });
        }
    }

    /// What was taken up is staged, whatever else there is: it has waited for longer than a life.
    pub(super) fn stage_inherited(&mut self, memory: &mut DreamMemory, room: &mut DreamRoom<'_, '_>) {
        for at in 0..self.journal.inherited.len() {
            let place = self.journal.inherited[at].place;
            if !room.line.taken.insert(place) {
                continue;
            }
            let left = usize::try_from(place).ok().and_then(|place| room.line.unfinished.get(place));
            let Some(staged) = left.and_then(|left| room.desk.take_up(left)) else { continue };
            let came = match staged {
                Staged::Added(key) => match room.desk.proposals().find(|p| p.key() == key).map(|p| p.number) {
                    Some(number) => {
                        memory.proposed(self.number, number);
                        self.findings.proposed += 1;
                        format!("staged as proposal {number}")
                    }
                    None => "it had to go at once".to_owned(),
                },
                Staged::AlreadyStaged(_) => "it is staged already".to_owned(),
                Staged::Believed(_) => "it is believed already".to_owned(),
                Staged::FailedLately(_) => "it failed here lately".to_owned(),
                Staged::NoRoom => "what is staged is worth more".to_owned(),
                Staged::BadClaim(_) | Staged::Unfit => "it cannot be asked here".to_owned(),
            };
            self.journal.inherited[at].came = Some(came);
        }
    }
}
