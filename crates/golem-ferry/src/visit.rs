//! Short visits: one exchange for an owner that asks for it, and questions that change nothing here.

use crate::backup::FoundArchive;
use crate::crossing::{Ashore, Crossing, enter};
use crate::dial::{DialFault, RelayLine};
use crate::file::{FerryFile, FerryState};
use crate::passenger::FerryPassenger;
use golem_core::Hash;
use std::collections::BTreeMap;
use std::time::Duration;
use styx_wire::{Blob, ClosedEpochs, GolemFrame, OwnerCertificate, PheromoneDeposit, RelayFrame, Scent, SenseQuery};

/// After so long without a word everything has been heard.
const QUIET: Duration = Duration::from_millis(700);

/// Tell everything, hear everything, hand it on. Says how the golem's file stands then.
///
/// # Errors
/// When the relay is away, or another process holds the line.
pub fn crossed_once(passenger: FerryPassenger, told: impl Fn(&str) + Send + 'static) -> Result<FerryState, DialFault> {
    let words = passenger.certificate.words;
    let opened = FerryFile::open(&passenger.dir, words.owner, words.origin);
    let (file, state) = opened.map_err(|e| DialFault::File(e.to_string()))?;
    alone(async {
        let begun = Crossing::begin(Ashore { passenger, file, state, told: Box::new(told) }).await;
        let mut crossing = begun.map_err(|back| back.1)?;
        if !crossing.state.bootstrapped {
            crossing.bootstrap().await?;
        }
        crossing.farewell().await?;
        crossing.look_around(true).await?;
        crossing.drain(QUIET).await?;
        Ok(crossing.ashore().state)
    })
}

fn alone<T>(work: impl Future<Output = Result<T, DialFault>>) -> Result<T, DialFault> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|e| DialFault::File(e.to_string()))?.block_on(work)
}

/// A golem that comes to ask. Nothing is taken or told.
pub struct RelayVisit {
    passenger: FerryPassenger,
}

impl RelayVisit {
    #[must_use]
    pub fn of(passenger: FerryPassenger) -> Self {
        Self { passenger }
    }

    /// What is smelt in a field.
    ///
    /// # Errors
    /// When the relay is away, or refuses.
    pub fn sense(&self, query: SenseQuery) -> Result<Vec<Scent>, DialFault> {
        alone(async {
            match self.asked(GolemFrame::Sense(query)).await? {
                RelayFrame::Field(scents) => Ok(scents),
                other => Err(unexpected(other)),
            }
        })
    }

    /// Leave a mark.
    ///
    /// # Errors
    /// When the relay is away, or refuses.
    pub fn deposit(&self, mark: PheromoneDeposit) -> Result<(), DialFault> {
        alone(async {
            match self.asked(GolemFrame::Deposit(mark)).await? {
                RelayFrame::Done => Ok(()),
                other => Err(unexpected(other)),
            }
        })
    }

    /// Close epochs: whoever was certified in them is let in no more.
    ///
    /// # Errors
    /// When the relay is away, or refuses.
    pub fn close_epochs(&self, closed: ClosedEpochs) -> Result<(), DialFault> {
        alone(async {
            match self.asked(GolemFrame::Close(closed)).await? {
                RelayFrame::Done => Ok(()),
                other => Err(unexpected(other)),
            }
        })
    }

    async fn asked(&self, frame: GolemFrame) -> Result<RelayFrame, DialFault> {
        let mut line = self.enter().await?;
        line.say(&frame).await?;
        let answer = line.hear_soon().await?;
        line.close().await;
        Ok(answer)
    }

    async fn enter(&self) -> Result<RelayLine, DialFault> {
        let mut line = RelayLine::dial(&self.passenger.relay).await?;
        enter(&mut line, &self.passenger, self.passenger.certificate).await?;
        Ok(line)
    }

    /// The backups of the owner's golems, newest first, each with the certificate of who made it.
    ///
    /// # Errors
    /// When the relay is away, or refuses.
    pub fn archives(&self) -> Result<Vec<FoundArchive>, DialFault> {
        alone(async {
            let mut line = self.enter().await?;
            let certificates = siblings(&mut line).await?;
            line.say(&GolemFrame::Archives).await?;
            let mut all = Vec::new();
            loop {
                match line.hear_soon().await? {
                    RelayFrame::Manifest { manifest, more } => {
                        let origin = manifest.words.origin;
                        let by = certificates.iter().find(|c| c.words.origin == origin);
                        all.extend(by.map(|c| FoundArchive { manifest: *manifest, certificate: *c }));
                        if more == 0 || all.len() >= 256 {
                            break;
                        }
                    }
                    RelayFrame::Done => break,
                    other => return Err(unexpected(other)),
                }
            }
            line.close().await;
            Ok(all)
        })
    }

    /// The pieces of a backup.
    ///
    /// # Errors
    /// When the relay is away, or has a piece no more.
    pub fn pieces(&self, of: &FoundArchive) -> Result<BTreeMap<Hash, Vec<u8>>, DialFault> {
        alone(async {
            let (mut line, mut pieces) = (self.enter().await?, BTreeMap::new());
            for name in &of.manifest.words.chunks {
                if pieces.contains_key(name) {
                    continue;
                }
                line.say(&GolemFrame::Fetch { chunk: *name }).await?;
                match line.hear_soon().await? {
                    RelayFrame::Chunk(Blob(piece)) => pieces.insert(*name, piece),
                    other => return Err(unexpected(other)),
                };
            }
            line.close().await;
            Ok(pieces)
        })
    }
}

fn unexpected(frame: RelayFrame) -> DialFault {
    match frame {
        RelayFrame::Refuse(why) => DialFault::Refused(why),
        _ => DialFault::Confused,
    }
}

async fn siblings(line: &mut RelayLine) -> Result<Vec<OwnerCertificate>, DialFault> {
    let mut all = Vec::new();
    loop {
        let from = u32::try_from(all.len()).unwrap_or(u32::MAX);
        line.say(&GolemFrame::Siblings { from }).await?;
        match line.hear_soon().await? {
            RelayFrame::Siblings { siblings, more } => {
                let last = siblings.is_empty() || !more || all.len() >= 4_096;
                all.extend(siblings.into_iter().map(|(certificate, _)| certificate));
                if last {
                    return Ok(all);
                }
            }
            other => return Err(unexpected(other)),
        }
    }
}
