//! The ferry: one thread, one line for each golem, and patience that grows while a relay is away.

use crate::crossing::{Ashore, COPIED, Crossing, stopped};
use crate::dial::DialFault;
use crate::file::{FerryFault, FerryFile};
use crate::passenger::FerryPassenger;
use crate::wall::now_ms;
use std::thread::JoinHandle;
use std::time::Duration;
use styx_wire::{OriginKey, RefuseReason};
use tokio::sync::{mpsc, watch};

/// How long the last exchange may take.
const FAREWELL: Duration = Duration::from_secs(5);
const SHORTEST_MS: u64 = 1_000;
const LONGEST_MS: u64 = 60_000;

/// How long to wait before the next try, after so many that failed: a second, two, four, up to half a minute, and somewhere between that and
/// twice as long. The first one too: a relay that is started again has cut off everybody in the same moment.
#[must_use]
pub fn pause_ms(failed: u32, draw: u64) -> u64 {
    let least = SHORTEST_MS.saturating_mul(1 << failed.min(6)).min(LONGEST_MS / 2);
    least + draw % (least + 1)
}

/// A ferry at work; it goes across once more when it ends.
#[derive(Debug)]
pub struct Ferry {
    stop: watch::Sender<bool>,
    join: mpsc::UnboundedSender<FerryPassenger>,
    thread: Option<JoinHandle<()>>,
}

impl Ferry {
    /// Begin to carry for these golems. `told` hears what an owner should know, with the golem's name.
    ///
    /// # Errors
    /// When there can be no thread for it.
    pub fn begin(
        passengers: Vec<FerryPassenger>,
        told: impl Fn(&str, &str) + Clone + Send + 'static,
    ) -> std::io::Result<Self> {
        let (stop, stopping) = watch::channel(false);
        let (join, mut joining) = mpsc::unbounded_channel();
        for passenger in passengers {
            let _there_is_room = join.send(passenger);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = std::thread::Builder::new().name("ferry".to_owned()).spawn(move || {
            let here = tokio::task::LocalSet::new();
            here.block_on(&runtime, async {
                let (mut all, mut stop) = (tokio::task::JoinSet::new(), stopping.clone());
                loop {
                    let passenger: FerryPassenger = tokio::select! {
                        biased;
                        Some(passenger) = joining.recv() => passenger,
                        () = stopped(&mut stop) => break,
                    };
                    let (told, name) = (told.clone(), passenger.name.to_string());
                    all.spawn_local(voyage(passenger, stopping.clone(), Box::new(move |text| told(&name, text))));
                }
                while all.join_next().await.is_some() {}
            });
        })?;
        Ok(Self { stop, join, thread: Some(thread) })
    }

    /// Carry for one more from now on: an heir that is born while others are on their way.
    pub fn join(&self, passenger: FerryPassenger) {
        let _not_after_the_end = self.join.send(passenger);
    }

    fn come_home(&mut self) {
        let _nobody_listens = self.stop.send(true);
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}

impl Drop for Ferry {
    fn drop(&mut self) {
        self.come_home();
    }
}

/// Open the file and try until somebody says stop.
async fn voyage(passenger: FerryPassenger, mut stop: watch::Receiver<bool>, told: Box<dyn Fn(&str) + Send>) {
    let words = passenger.certificate.words;
    let opened = FerryFile::open(&passenger.dir, words.owner, words.origin);
    let mut ashore = match opened {
        Ok((file, state)) => Ashore { passenger, file, state, told },
        Err(FerryFault::Held) => return told("its line to the relay is held by another process"),
        Err(why) => return told(&format!("it cannot speak with siblings: {why}")),
    };
    let (mut failed, mut complained) = (0, false);
    // How often another line of the same golem has taken this one's place: two copies must not take turns every second.
    let mut replaced = 0;
    // A file could not be written: marks in memory may stand past what was never kept.
    let mut astray = false;
    loop {
        let over = *stop.borrow();
        let limit = if over { FAREWELL } else { Duration::from_secs(86_400 * 365) };
        if astray {
            match ashore.file.kept_state(words.owner, words.origin) {
                Ok(kept) => ashore.state = kept,
                Err(_) if over => return,
                Err(_) => {
                    tokio::time::sleep(Duration::from_millis(SHORTEST_MS)).await;
                    continue;
                }
            }
        }
        let why = match tokio::time::timeout(limit, Crossing::begin(ashore)).await {
            Ok(Ok(mut crossing)) => {
                (failed, complained) = (0, false);
                let carried = async {
                    if *stop.borrow() {
                        return tokio::time::timeout(FAREWELL, crossing.farewell()).await.unwrap_or(Ok(()));
                    }
                    crossing.carry(&mut stop).await
                };
                let done = carried.await;
                let why = done.err();
                ashore = crossing.ashore();
                why
            }
            Ok(Err(back)) => {
                let why;
                (ashore, why) = *back;
                Some(why)
            }
            Err(_) => return,
        };
        if over || *stop.borrow() {
            return;
        }
        astray = matches!(why, Some(DialFault::File(_)));
        if matches!(why, Some(DialFault::Refused(RefuseReason::Replaced))) {
            replaced += 1;
            // An owner that asks something in the golem's name does so too, once.
            if replaced == 3 {
                (ashore.told)(COPIED);
                if let Err(why) = ashore.file.notice(COPIED, now_ms()) {
                    (ashore.told)(&why.to_string());
                }
            }
            failed = replaced - 1;
        } else if let Some(why) = why {
            // Once for each absence: a relay that is away for a week is one piece of news.
            if !std::mem::replace(&mut complained, true) && matches!(why, DialFault::Refused(_) | DialFault::File(_)) {
                (ashore.told)(&why.to_string());
            }
        }
        let mut draw = [0; 8];
        let _even = getrandom::fill(&mut draw);
        let pause = Duration::from_millis(pause_ms(failed, u64::from_le_bytes(draw)));
        failed = failed.saturating_add(1);
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = stopped(&mut stop) => {}
        }
    }
}

/// Whose chain a passenger's is.
impl FerryPassenger {
    /// As the relay knows it.
    #[must_use]
    pub fn origin(&self) -> OriginKey {
        self.certificate.words.origin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_grows_from_one_second_to_sixty_and_is_never_the_same() {
        for (failed, least, most) in
            [(0, 1_000, 2_000), (1, 2_000, 4_000), (3, 8_000, 16_000), (5, 30_000, 60_000), (99, 30_000, 60_000)]
        {
            let pauses: Vec<u64> = (0..500).map(|n| pause_ms(failed, n * 7_919 + n * n)).collect();
            assert!(pauses.iter().all(|p| (least..=most).contains(p)), "{failed}");
            let distinct: std::collections::BTreeSet<_> = pauses.iter().collect();
            assert!(distinct.len() > 100, "{failed}: {}", distinct.len());
            assert_eq!((pause_ms(failed, 0), pause_ms(failed, most - least)), (least, most), "{failed}");
        }
    }
}
