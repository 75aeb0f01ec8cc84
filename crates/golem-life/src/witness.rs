//! The end of a turn, for the end of the life: what is worth keeping of it goes into the chronicle, and whoever declines
//! drafts its testament.

use crate::chronicle::TestamentDraft;
use crate::life::Life;
use crate::scratch::Wished;
use golem_core::{Intent, Receipt, UsdcDelta};
use golem_mortality::BehavioralPhase;

/// Whoever declines drafts its testament once in so many turns.
const DRAFT_EVERY: u64 = 50;

impl Life {
    /// Keep what its end will want to know of this turn.
    pub(crate) fn keep_chronicle(&mut self, before: BehavioralPhase, wished: &[Wished], receipts: &[Receipt]) {
        let (tick, nav, phase) = (self.state.core.tick, self.balance(), self.phase());
        let mood = self.state.inner.affect.as_ref().map(|affect| affect.mood()).filter(|_| self.affect.is_on());
        let load = self.state.inner.suffering.as_ref().map(|suffering| suffering.load());
        let chronicle = &mut self.state.chronicle;
        for (n, (wish, receipt)) in wished.iter().zip(receipts).enumerate() {
            if wish.permit.is_some()
                && receipt.was_done()
                && receipt.intent != Intent::Hold
                && !receipt.intent.needs_leave()
            {
                chronicle.act(tick, self.turn.realised.get(n).copied().unwrap_or(UsdcDelta(0)));
            }
        }
        chronicle.is_worth(tick, nav);
        if let Some(mood) = mood {
            chronicle.feel(tick, mood);
        }
        if let Some(load) = load {
            chronicle.suffers(tick, load);
        }
        if phase != before {
            chronicle.changes_phase(tick, before, phase);
        }
        if phase <= BehavioralPhase::Declining && tick.is_every(DRAFT_EVERY) && !self.is_dying() {
            self.draft_testament();
        }
    }

    /// No fact tells of a draft: it is not news, and a life that is rescued must be the same as without it.
    fn draft_testament(&mut self) {
        let (tick, sections) = (self.state.core.tick, self.testament_sections());
        self.state.chronicle.draft = Some(TestamentDraft { tick, sections });
    }
}
