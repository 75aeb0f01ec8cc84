//! Phases folded: a life that flaps about a line for weeks is one sentence, not ninety.

use super::{StoryChapter, calendar};
use golem_core::Timestamp;
use golem_mortality::BehavioralPhase;

/// A change of phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Transition {
    pub(super) at: Timestamp,
    pub(super) from: BehavioralPhase,
    pub(super) to: BehavioralPhase,
}

/// Changes between the same two phases, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flapping {
    pub(super) first: Transition,
    pub(super) last: Transition,
    pub(super) changes: u32,
}

impl Flapping {
    fn takes(&self, next: &Transition) -> bool {
        let pair = [self.first.from, self.first.to];
        pair.contains(&next.from) && pair.contains(&next.to)
    }

    /// The better phase of the two, and the worse.
    fn pair(&self) -> (BehavioralPhase, BehavioralPhase) {
        let (a, b) = (self.first.from, self.first.to);
        if a > b { (a, b) } else { (b, a) }
    }

    fn text(&self) -> String {
        let (better, worse) = self.pair();
        let (from, until) = (calendar::day(self.first.at), calendar::day(self.last.at));
        let now = self.last.to;
        match self.changes {
            1 => format!("From {} it was {now}.", self.first.from),
            n if from == until => format!("It changed {n} times between {better} and {worse}, and stayed {now}."),
            n => format!(
                "Between {from} and {until} it changed {n} times between {better} and {worse}, and stayed {now}."
            ),
        }
    }
}

/// All changes of phase, folded as they come.
#[derive(Debug, Clone, Default)]
pub(super) struct Phases {
    all: Vec<Flapping>,
}

impl Phases {
    pub(super) fn see(&mut self, next: Transition) {
        match self.all.last_mut() {
            Some(last) if last.takes(&next) => {
                last.last = next;
                last.changes += 1;
            }
            _ => self.all.push(Flapping { first: next, last: next, changes: 1 }),
        }
    }

    /// Chapters; of a life with very many the longest, the others as a number.
    pub(super) fn chapters(&self, most: usize) -> Vec<StoryChapter> {
        // What leads into hard times is told with them.
        let worse = |f: &&Flapping| f.pair().1 >= BehavioralPhase::Stable;
        let mut chosen: Vec<&Flapping> = self.all.iter().filter(worse).collect();
        chosen.sort_by_key(|f| std::cmp::Reverse(f.changes));
        chosen.truncate(most);
        chosen.sort_by_key(|f| f.first.at);
        chosen.into_iter().map(|f| StoryChapter::new("state", f.first.at, f.text())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use BehavioralPhase::{Conservation, Stable, Thriving};

    #[test]
    fn weeks_of_flapping_are_one_sentence() {
        let mut phases = Phases::default();
        let day = |n: i64| Timestamp(1_767_225_600 + n * 86_400);
        for n in 0..40 {
            let (from, to) = if n % 2 == 0 { (Stable, Thriving) } else { (Thriving, Stable) };
            phases.see(Transition { at: day(n), from, to });
        }
        phases.see(Transition { at: day(41), from: Stable, to: Conservation });
        phases.see(Transition { at: day(42), from: Conservation, to: Stable });
        phases.see(Transition { at: day(43), from: Stable, to: Thriving });
        let told = phases.chapters(3);
        assert_eq!(
            told[0].text,
            "Between 1 January and 9 February it changed 40 times between thriving and stable, and stayed stable."
        );
        assert_eq!((told.len(), told[1].text.as_str()), (2, "From stable it was thriving."));
    }
}
