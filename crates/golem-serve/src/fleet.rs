//! All golems of a home at a glance, kept fresh for as long as somebody asks. Each card has the number of the change that
//! made it, so that whoever comes back is told only what has changed since.

use crate::sse::{self, EventTeller, HEARTBEAT, StreamOver};
use axum::body::Bytes;
use golem_core::GolemId;
use golem_home::cards::{self, GolemCard};
use golem_home::stamp::{FileStamp, life_stamp};
use golem_home::vitals::VitalParts;
use golem_home::{Fail, HomeReader, Place};
use golem_life::Status;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, mpsc};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How often the home is looked at.
const EVERY: Duration = Duration::from_secs(1);
/// Whoever asks is answered with what was seen so long ago at most; beyond that it waits for a look.
const LATE: Duration = Duration::from_secs(5);
/// So long it waits for a look that is taken for it: a small home is seen in that time, a large one is told as it was.
const PATIENCE: Duration = Duration::from_millis(30);
/// A card is made anew after so long, whatever the file's date says.
const ANYWAY: Duration = Duration::from_secs(15);

/// A card, and what is worth a glance of how its golem stands.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct FleetCard {
    #[serde(flatten)]
    pub card: GolemCard,
    pub glance: Option<CardGlance>,
}

/// What is worth a glance.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct CardGlance {
    pub at: golem_core::Timestamp,
    pub vitality: VitalParts,
    pub behaviour: String,
    pub mode: String,
    pub survival_24h: f64,
    pub hazard_rate: f64,
    pub projected_life_h: Option<f64>,
    pub exposure: f64,
    pub earned_micro_usdc: golem_core::UsdcDelta,
    pub funded_micro_usdc: golem_core::Usdc,
    pub spent_micro_usdc: golem_core::Usdc,
    pub trades: u64,
    pub load: Option<f64>,
    pub band: Option<&'static str>,
    pub mood: Option<&'static str>,
    pub halted: bool,
    /// Whether it dies within turns unless it is fed.
    pub vigil: bool,
}

impl CardGlance {
    fn of(s: &Status) -> Self {
        Self {
            at: s.at,
            vitality: VitalParts::of(s),
            behaviour: s.phase.to_string(),
            mode: s.mode.to_string(),
            survival_24h: s.survival_24h,
            hazard_rate: s.hazard_rate,
            projected_life_h: s.projected_life_h,
            exposure: s.exposure,
            earned_micro_usdc: s.earned,
            funded_micro_usdc: s.funded,
            spent_micro_usdc: s.spent,
            trades: s.trades,
            load: s.load,
            band: s.band.map(|band| band.name()),
            mood: s.affect.as_ref().map(|affect| affect.mood.name()),
            halted: s.cage.halted.is_some(),
            vigil: s.vigil.is_some(),
        }
    }
}

/// The home as it was seen last.
#[derive(Debug, Clone)]
pub(crate) struct HomeFleet {
    reader: Arc<HomeReader>,
    seen: Arc<Mutex<FleetSeen>>,
    /// One looks at a time.
    looking: Arc<Mutex<()>>,
    news: Arc<watch::Sender<u64>>,
}

#[derive(Debug, Default)]
struct FleetSeen {
    /// Of this process: numbers of another one say nothing.
    epoch: u32,
    change: u64,
    cards: BTreeMap<GolemId, KeptCard>,
    /// Who is gone, and since which change.
    gone: BTreeMap<GolemId, u64>,
    looked: Option<Instant>,
}

#[derive(Debug)]
struct KeptCard {
    place: Place,
    card: Arc<FleetCard>,
    text: Bytes,
    change: u64,
    stamp: [FileStamp; 2],
    read: Instant,
}

impl HomeFleet {
    pub fn new(reader: Arc<HomeReader>) -> Self {
        let mut bytes = [0; 4];
        // Without randomness two processes may have the same epoch: then a client that comes back may miss a change until
        // the next one of the same golem.
        let _best_effort = getrandom::fill(&mut bytes);
        let seen = FleetSeen { epoch: u32::from_le_bytes(bytes), ..FleetSeen::default() };
        Self {
            reader,
            seen: Arc::new(Mutex::new(seen)),
            looking: Arc::default(),
            news: Arc::new(watch::Sender::new(0)),
        }
    }

    /// All cards, by name; looks at the home where the last look is not fresh. Reads files, in a thread that may wait.
    pub fn cards(&self) -> Result<Vec<Arc<FleetCard>>, Fail> {
        let age = self.lock().looked.map(|at| at.elapsed());
        match age {
            Some(age) if age < EVERY => {}
            Some(age) if age < LATE => self.look_beside(),
            _ => self.look(EVERY)?,
        }
        let seen = self.lock();
        let mut all: Vec<Arc<FleetCard>> = seen.cards.values().map(|kept| Arc::clone(&kept.card)).collect();
        all.sort_by(|a, b| (&a.card.name, &a.card.id).cmp(&(&b.card.name, &b.card.id)));
        Ok(all)
    }

    /// Begin a look, unless there is one, and wait for it a moment only. What goes wrong in it is told to whoever waits for
    /// the next one.
    fn look_beside(&self) {
        let is_looked_at = matches!(self.looking.try_lock(), Err(TryLockError::WouldBlock));
        if is_looked_at {
            return;
        }
        let (done, seen) = mpsc::channel();
        let fleet = self.clone();
        tokio::task::spawn_blocking(move || {
            let _told_later = fleet.look(EVERY);
            let _nobody_waits = done.send(());
        });
        let _too_long = seen.recv_timeout(PATIENCE);
    }

    /// Look at the home, unless somebody just did. What was seen is held only while it is put down: those who are told
    /// never wait for the disk.
    fn look(&self, every: Duration) -> Result<(), Fail> {
        let _alone = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        if self.lock().looked.is_some_and(|at| at.elapsed() < every) {
            return Ok(());
        }
        let ids = self.reader.home().ids()?;
        let fresh: Vec<KeptCard> = ids.iter().filter_map(|id| self.fresh(*id)).collect();
        let mut seen = self.lock();
        let before = seen.change;
        let gone: Vec<GolemId> = seen.cards.keys().filter(|id| ids.binary_search(id).is_err()).copied().collect();
        for id in gone {
            seen.change += 1;
            let change = seen.change;
            seen.cards.remove(&id);
            seen.gone.insert(id, change);
        }
        for mut kept in fresh {
            let id = kept.place.id;
            match seen.cards.get(&id).filter(|old| old.text == kept.text) {
                Some(old) => kept.change = old.change,
                None => {
                    seen.change += 1;
                    kept.change = seen.change;
                }
            }
            seen.gone.remove(&id);
            seen.cards.insert(id, kept);
        }
        seen.looked = Some(Instant::now());
        let moved = seen.change != before;
        drop(seen);
        if moved {
            self.news.send_modify(|n| *n += 1);
        }
        Ok(())
    }

    /// The card of a golem, where its file has moved since the last look.
    fn fresh(&self, id: GolemId) -> Option<KeptCard> {
        let home = self.reader.home();
        let stamp = life_stamp(&home.golem_dir(id));
        let known =
            self.lock().cards.get(&id).map(|k| (k.place.clone(), k.stamp, k.read, k.card.card.problem.is_none()));
        let (place, whole) = match known {
            Some((_, then, read, _)) if then == stamp && read.elapsed() < ANYWAY => return None,
            Some((place, _, _, whole)) => (place, whole),
            None => (home.place_of(id)?, false),
        };
        // That it lives where it belongs is seen at the first look.
        let card = if whole { cards::glance(&place) } else { cards::card(&place, home) };
        let glance = card.status.as_deref().map(CardGlance::of);
        let card = FleetCard { card: GolemCard { status: None, ..card }, glance };
        let text = Bytes::from(sse::spelled(&card));
        Some(KeptCard { place, card: Arc::new(card), text, change: 0, stamp, read: Instant::now() })
    }

    /// Look at the home again and again for as long as somebody listens.
    pub async fn keep(self) {
        while self.news.receiver_count() > 0 {
            let fleet = self.clone();
            let looked = tokio::task::spawn_blocking(move || fleet.look(EVERY)).await;
            if looked.is_err() {
                return;
            }
            tokio::time::sleep(EVERY).await;
        }
    }

    /// Who keeps it fresh: the first who listens.
    pub fn subscribe(&self) -> (watch::Receiver<u64>, bool) {
        let listening = self.news.subscribe();
        let first = self.news.receiver_count() == 1;
        (listening, first)
    }

    /// Tell one client how all of them stand, and go on with what changes until it leaves.
    pub async fn tell(&self, to: &EventTeller, mut news: watch::Receiver<u64>, last: Option<&str>) -> StreamOver {
        let mut known = last.and_then(|id| self.since(id)).unwrap_or(0);
        // What it knows is of another process: who is gone since cannot be told one by one.
        if last.is_some() && known == 0 {
            let id = format!("{:x}-0", self.lock().epoch);
            if let Err(over) = to.send(sse::event(&id, "reset", "{}")).await {
                return over;
            }
        }
        loop {
            news.mark_unchanged();
            let (chunks, change) = self.changes(known);
            known = change;
            for chunk in chunks {
                if let Err(over) = to.send(chunk).await {
                    return over;
                }
            }
            let changed = tokio::select! {
                () = to.gone() => return StreamOver::Gone,
                changed = news.changed() => changed.is_ok(),
                () = tokio::time::sleep(HEARTBEAT) => false,
            };
            if !changed && let Err(over) = to.send(": still here\n\n").await {
                return over;
            }
        }
    }

    /// The change that an id of ours names.
    fn since(&self, id: &str) -> Option<u64> {
        let (epoch, change) = id.split_once('-')?;
        let seen = self.lock();
        let ours = u32::from_str_radix(epoch, 16).ok()? == seen.epoch;
        change.parse().ok().filter(|change| ours && *change <= seen.change)
    }

    /// What has changed since, in the order of the changes, in chunks.
    fn changes(&self, since: u64) -> (Vec<Vec<u8>>, u64) {
        let seen = self.lock();
        let mut all: Vec<(u64, &'static str, Bytes)> = seen
            .cards
            .values()
            .filter(|kept| kept.change > since)
            .map(|kept| (kept.change, "golem", kept.text.clone()))
            .collect();
        let gone = seen.gone.iter().filter(|(_, change)| **change > since && since > 0);
        all.extend(gone.map(|(id, change)| (*change, "gone", Bytes::from(format!("{{\"id\":\"{id}\"}}")))));
        all.sort_by_key(|(change, ..)| *change);
        let mut chunks: Vec<Vec<u8>> = Vec::new();
        for (change, kind, text) in all {
            let id = format!("{:x}-{change}", seen.epoch);
            let bytes = sse::event(&id, kind, &String::from_utf8_lossy(&text));
            match chunks.last_mut().filter(|chunk| chunk.len() < sse::CHUNK) {
                Some(chunk) => chunk.extend_from_slice(&bytes),
                None => chunks.push(bytes.to_vec()),
            }
        }
        (chunks, seen.change)
    }

    fn lock(&self) -> MutexGuard<'_, FleetSeen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_home::Home;

    /// Whether cards are told within a second while the home is being looked at, so long after the last look.
    fn told_after(last: Option<Duration>) -> bool {
        let dir = tempfile::tempdir().unwrap();
        let fleet = HomeFleet::new(Arc::new(HomeReader::open(Home::find(Some(dir.path().to_owned())).unwrap())));
        fleet.lock().looked = last.map(|ago| Instant::now().checked_sub(ago).unwrap());
        let looks = fleet.looking.lock().unwrap();
        let (done, told) = mpsc::channel();
        let asked = fleet.clone();
        let asks = std::thread::spawn(move || done.send(asked.cards().is_ok()));
        let answered = told.recv_timeout(Duration::from_secs(1)).is_ok();
        drop(looks);
        asks.join().unwrap().unwrap();
        answered
    }

    #[test]
    fn whoever_asks_waits_for_a_long_look_only_when_what_was_seen_is_old() {
        for (last, answered) in
            [(Some(EVERY / 2), true), (Some(EVERY * 2), true), (Some(LATE + EVERY), false), (None, false)]
        {
            assert_eq!(told_after(last), answered, "{last:?}");
        }
    }
}
