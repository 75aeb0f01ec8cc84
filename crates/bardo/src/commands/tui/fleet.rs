//! All golems of a home, looked at again and again: only files that have moved are read, and not more of them at once than
//! whoever types would notice.

use crate::fail::Fail;
use crate::home::{Home, Place};
use crate::retell;
use golem_core::GolemId;
use golem_home::cards;
use golem_home::stamp::{FileStamp, life_stamp};
use golem_life::LifeFact;
use golem_runtime::{GolemDir, Lock, Reader};
use golem_tui::{FleetLook, LifeCard};
use golem_view::trade::Trades;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a look may take before what is left waits for the next one.
const LOOK: Duration = Duration::from_millis(50);
/// A card is made anew after so long, whatever the file's date says.
const ANYWAY: Duration = Duration::from_secs(15);
/// The last trade is looked for in so many of the latest facts: no index leads to an older one.
const FACTS_BACK: u64 = 5_000;

/// The golems as they were seen last.
pub struct FleetWatch {
    kept: BTreeMap<GolemId, WatchedLife>,
    patience: Duration,
}

impl Default for FleetWatch {
    fn default() -> Self {
        Self { kept: BTreeMap::new(), patience: LOOK }
    }
}

struct WatchedLife {
    place: Place,
    card: LifeCard,
    stamps: [FileStamp; 2],
    read: Option<Instant>,
    /// How many trades it had when its last one was read.
    trades: u64,
}

impl FleetWatch {
    /// Look at all of them.
    pub fn look(&mut self, home: &Home) -> Result<FleetLook, Fail> {
        let begun = Instant::now();
        let ids = home.ids()?;
        self.kept.retain(|id, _| ids.binary_search(id).is_ok());
        let mut moved: Vec<(Option<Instant>, GolemId, [FileStamp; 2])> = Vec::new();
        for id in ids {
            let stamps = life_stamp(&home.golem_dir(id));
            let kept = match self.kept.entry(id) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(free) => match home.place_of(id) {
                    Some(place) => free.insert(WatchedLife::unread(place)),
                    None => continue,
                },
            };
            kept.card.running = !kept.card.is_dead() && is_running(&kept.place.dir);
            if kept.stamps != stamps || kept.read.is_none_or(|at| at.elapsed() >= ANYWAY) {
                moved.push((kept.read, id, stamps));
            }
        }
        // Who was not read for longest comes first, and one is read however long the rest took.
        moved.sort_by_key(|(read, ..)| *read);
        let mut left = moved.len();
        for (_, id, stamps) in moved {
            if let Some(kept) = self.kept.get_mut(&id) {
                kept.read_now(home, stamps);
            }
            left -= 1;
            if begun.elapsed() >= self.patience {
                break;
            }
        }
        Ok(FleetLook { cards: self.kept.values().map(|kept| kept.card.clone()).collect(), waiting: left })
    }
}

impl WatchedLife {
    fn unread(place: Place) -> Self {
        let card = LifeCard {
            id: place.id,
            name: place.name.to_string(),
            status: None,
            died_of: None,
            last_trade: None,
            running: false,
            problem: None,
            read: false,
        };
        Self { place, card, stamps: [None; 2], read: None, trades: 0 }
    }
    fn read_now(&mut self, home: &Home, stamps: [FileStamp; 2]) {
        // That it lives where it belongs is seen at the first look.
        let whole = self.read.is_some() && self.card.problem.is_none();
        let seen = if whole { cards::glance(&self.place) } else { cards::card(&self.place, home) };
        let trades = seen.status.as_ref().map_or(0, |s| s.trades);
        if trades != self.trades {
            // A file that is being written to may say it the next time.
            self.card.last_trade = last_trade(&self.place).ok().flatten().or(self.card.last_trade.take());
            self.trades = trades;
        }
        self.card.status = seen.status.map(Arc::from);
        self.card.died_of = seen.died_of.map(ToOwned::to_owned);
        (self.card.problem, self.card.read) = (seen.problem, true);
        (self.stamps, self.read) = (stamps, Some(Instant::now()));
    }
}

/// What it did last with its money.
fn last_trade(place: &Place) -> Result<Option<String>, Fail> {
    let reader = Reader::open(&place.dir)?;
    let Some(last) = reader.last_facts(None, 1)?.pop() else { return Ok(None) };
    let after = golem_core::Seq(last.seq.0.saturating_sub(FACTS_BACK));
    let outcomes = reader.facts(Some(after), Some(LifeFact::named("Outcome")), FACTS_BACK as u32)?;
    let mut trades = Trades::midway();
    for fact in outcomes.iter().filter_map(|row| retell::fact(row, place.id)) {
        trades.see(&fact);
    }
    Ok(trades.all().last().map(golem_view::trade::Trade::sentence))
}

/// Whether somebody lets it live at this moment.
pub fn is_running(dir: &Path) -> bool {
    GolemDir::of_golem(dir).is_ok_and(|dir| Lock::holder(&dir).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::create;
    use crate::out::Out;
    use golem_core::Usdc;
    use std::time::SystemTime;

    /// A home of newborn golems.
    fn home(names: &[&str]) -> (tempfile::TempDir, Home) {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::find(Some(dir.path().to_owned())).unwrap();
        let out = Out { json: false, quiet: true, color: false, live: false };
        for (seed, name) in (1..).zip(names) {
            create::fresh(name.parse().unwrap(), Usdc::whole(50), "eth-dca", Some(seed), &home, &out).unwrap();
        }
        (dir, home)
    }

    #[test]
    fn only_what_has_moved_is_read_again() {
        let (_dir, home) = home(&["alma", "bruno", "clara"]);
        let mut watch = FleetWatch { patience: Duration::from_secs(60), ..FleetWatch::default() };
        let look = watch.look(&home).unwrap();
        assert_eq!((look.cards.len(), look.waiting), (3, 0));
        assert!(look.cards.iter().all(|card| card.read && card.problem.is_none() && !card.running));
        let when = |watch: &FleetWatch| {
            watch.kept.values().map(|kept| (kept.place.name.to_string(), kept.read)).collect::<BTreeMap<_, _>>()
        };
        let before = when(&watch);
        watch.look(&home).unwrap();
        assert_eq!(when(&watch), before);
        let bruno = home.golem("bruno").unwrap();
        let file = std::fs::File::options().write(true).open(bruno.dir.join("golem.db")).unwrap();
        file.set_modified(SystemTime::now() + Duration::from_secs(5)).unwrap();
        watch.look(&home).unwrap();
        let moved: Vec<String> =
            when(&watch).into_iter().filter(|(name, at)| before[name] != *at).map(|(name, _)| name).collect();
        assert_eq!(moved, ["bruno"]);
        std::fs::remove_dir_all(&bruno.dir).unwrap();
        assert_eq!(watch.look(&home).unwrap().cards.len(), 2, "who is gone is not shown");
    }

    #[test]
    fn a_look_is_short_and_the_next_one_goes_on() {
        let (_dir, home) = home(&["alma", "bruno", "clara"]);
        let mut watch = FleetWatch { patience: Duration::ZERO, ..FleetWatch::default() };
        for read in 1..=3 {
            let look = watch.look(&home).unwrap();
            assert_eq!(look.cards.len(), 3, "their names are known at once");
            assert_eq!((look.cards.iter().filter(|card| card.read).count(), look.waiting), (read, 3 - read));
        }
    }

    #[test]
    fn one_damaged_file_hides_nobody() {
        let (_dir, home) = home(&["alma", "bruno"]);
        std::fs::write(home.golem("alma").unwrap().dir.join("golem.db"), b"no database").unwrap();
        let look = FleetWatch::default().look(&home).unwrap();
        let problems: Vec<bool> = look.cards.iter().map(|card| card.problem.is_some()).collect();
        assert_eq!(problems.iter().filter(|p| **p).count(), 1, "{:?}", look.cards);
    }
}
