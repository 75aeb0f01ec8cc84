//! How long somebody takes to know as much as its parent did. Whoever dies or is not watched any longer before that has taken
//! at least so long: such times are kept as what they are and counted by Kaplan and Meier (1958), never as if they were the end.

use crate::Subject;
use golem_grimoire::experts::DOMAINS;
use serde::{Deserialize, Serialize};

/// Days over which it is watched.
pub const WATCHED_DAYS: f64 = 30.0;
/// Before this a skill is luck.
const FROM_DAY: f64 = 2.0;

/// A time, or that it was longer than so.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SkillTime {
    pub days: f64,
    /// False when it had not come to it by then.
    pub reached: bool,
}

/// Whoever is watched on the way to a skill.
#[derive(Debug, Clone, Copy)]
pub struct SkillWatch {
    target: f64,
    time: SkillTime,
}

impl SkillWatch {
    /// Towards the skill of a parent.
    #[must_use]
    pub fn towards(target: f64) -> Self {
        Self { target, time: SkillTime { days: 0.0, reached: false } }
    }

    /// A turn is over.
    pub fn look(&mut self, subject: &Subject) {
        let days = subject.age_days();
        if self.is_over() || days > WATCHED_DAYS {
            return;
        }
        let reached = days >= FROM_DAY && skill(subject).is_some_and(|skill| skill >= self.target);
        self.time = SkillTime { days, reached };
    }

    /// Whether there is nothing more to see.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.time.reached || self.time.days >= WATCHED_DAYS
    }

    /// The time so far.
    #[must_use]
    pub fn time(&self) -> SkillTime {
        self.time
    }
}

/// Skill against the naive rule since birth, mean over the domains that have settled anything.
#[must_use]
pub fn skill(subject: &Subject) -> Option<f64> {
    let mind = subject.life().mind();
    let settled: Vec<f64> = DOMAINS.iter().filter_map(|d| mind.forecasters().tally(*d).overall()).collect();
    (!settled.is_empty()).then(|| settled.iter().sum::<f64>() / settled.len() as f64)
}

/// The time by which half of them have come to it, by Kaplan and Meier; none when fewer than half did within what was seen.
#[must_use]
pub fn median_time(times: &[SkillTime]) -> Option<f64> {
    let mut sorted = times.to_vec();
    // At the same time whoever came to it comes first: who was only seen until then might have come to it too.
    sorted.sort_by(|a, b| a.days.total_cmp(&b.days).then(b.reached.cmp(&a.reached)));
    let mut left = 1.0;
    for (n, time) in sorted.iter().enumerate() {
        if time.reached {
            let watched = (sorted.len() - n) as f64;
            left *= 1.0 - 1.0 / watched;
            if left <= 0.5 + 1e-12 {
                return Some(time.days);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(days: f64, reached: bool) -> SkillTime {
        SkillTime { days, reached }
    }

    /// Whoever was lost sight of is neither fast nor slow.
    #[test]
    fn censored_times_are_neither_dropped_nor_taken_for_ends() {
        let seen = [time(2.0, true), time(4.0, true), time(6.0, true), time(8.0, true)];
        assert_eq!(median_time(&seen), Some(4.0));
        // The worked example of a textbook: 2, 3+, 5, 7+, 9: survival 0.8, 0.5333, then 0 at 9.
        let some = [time(2.0, true), time(3.0, false), time(5.0, true), time(7.0, false), time(9.0, true)];
        assert_eq!(median_time(&some), Some(9.0), "dropping the lost ones would say 5");
        assert_eq!(median_time(&[time(30.0, false), time(30.0, false), time(3.0, true)]), None);
        assert_eq!(median_time(&[]), None);
    }
}
