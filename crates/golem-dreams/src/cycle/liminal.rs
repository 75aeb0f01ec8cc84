//! The edges of sleep: what is left of the day falls apart into fragments, and on the way back those that are worth it surface.

use super::{DreamCycle, DreamMemory, DreamRoom};
use crate::fact::DreamFact;
use crate::liminal::onset::{OnsetMaterial, onset};
use crate::liminal::surface::{LucidVerdict, surface};
use crate::liminal::{DreamTheme, has_onset};

impl DreamCycle {
    pub(super) fn fall_asleep(&mut self, room: &mut DreamRoom<'_, '_>) {
        let params = &room.rules.onset;
        if !self.bounds.imagines {
            return;
        }
        if !has_onset(room.seen.phase) {
            self.findings.because.push("no onset below Stable".to_owned());
            return;
        }
        let shelf = room.desk.shelf();
        let episodes: Vec<_> = shelf.episodes().collect();
        let recent = episodes.iter().rev().take(params.recent as usize).map(|(e, _)| *e);
        let theme = DreamTheme::of(recent, shelf.entries(), params, u64::from(self.number));
        let material = OnsetMaterial {
            episodes: &episodes,
            mood: room.mood,
            theme: theme.as_ref(),
            cycle: u64::from(self.number),
            tick: room.seen.tick.0,
            at: room.seen.at,
            alarm: room.onset_alarm,
        };
        let desk = &*room.desk;
        let out = onset(&material, params, room.dice, |a, b| desk.alike(a, b), |text| desk.nearest(text));
        if out.aborted.is_some() {
            self.findings.because.push("something happened while it fell asleep".to_owned());
        }
        let summary = out.summary();
        room.told.push(DreamFact::Onset {
            cycle_id: self.id(),
            theme: summary.theme.clone(),
            fragments: summary.fragments,
            kept: summary.kept,
            depth: summary.depth,
            aborted: summary.aborted,
        });
        self.journal.onset = summary;
        self.findings.fragments = out.fragments;
        self.plan_partials(room, out.drafts);
    }

    /// Wake up: what surfaces by itself is staged first, then the rest that reality can check.
    pub(super) fn surface(&mut self, memory: &mut DreamMemory, room: &mut DreamRoom<'_, '_>) {
        let mut fragments = std::mem::take(&mut self.findings.fragments);
        let back = surface(&mut fragments, &room.rules.onset);
        let verdicts = self.with_what_was_said(back.verdicts);
        let mut by_verdict: Vec<_> = fragments.into_iter().zip(verdicts).collect();
        by_verdict.sort_by_key(|(_, verdict)| *verdict);
        for (fragment, verdict) in by_verdict {
            if verdict != LucidVerdict::Discard {
                self.stage_fragment(memory, room, fragment);
            }
        }
        if self.journal.onset.kept > 0 {
            self.journal.onset.surfaced = Some(back.line);
        }
    }
}
