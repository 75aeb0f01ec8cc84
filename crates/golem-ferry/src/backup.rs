//! What a golem knows, kept at the relay where the relay cannot read it; and what a newcomer, or one that was away for too long, takes
//! from the newest backup of a sibling.

use crate::crossing::Crossing;
use crate::dial::DialFault;
use crate::wall::now_ms;
use golem_clade::kin::{KinArrival, KinEnvelope, KinLetter, KinLimits, KinWord, backup_is_due};
use golem_clade::knowledge_domain::KnowledgeDomain;
use golem_clade::library::{EquipParcel, EquipTarget, WorldCalendar};
use golem_core::{GolemId, Hash, OwnerId};
use golem_life::Ask;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use styx_wire::archive::{BackupOf, back_up, restore};
use styx_wire::{ArchiveManifest, Blob, GolemFrame, GroupSecret, OwnerCertificate, RelayFrame, RestoreFault};

/// Manifests that are looked through: a relay shows the newest, and fewer.
const MOST_MANIFESTS: usize = 256;

/// A backup as the relay lists it, with the certificate of who made it.
#[derive(Debug, Clone)]
pub struct FoundArchive {
    pub manifest: ArchiveManifest,
    pub certificate: OwnerCertificate,
}

/// The first line of a backup: when it was made, until when it is worth restoring, and by which days it is dated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct BackupHead {
    made_s: u64,
    until_s: u64,
    calendar: WorldCalendar,
}

/// A backup that was put together again.
#[derive(Debug, Clone, PartialEq)]
pub struct RestoredBackup {
    golem: GolemId,
    calendar: WorldCalendar,
    parcels: Vec<EquipParcel>,
}

impl RestoredBackup {
    /// What is in it.
    #[must_use]
    pub fn parcels(&self) -> &[EquipParcel] {
        &self.parcels
    }
    /// As a golem is asked, each with its key. What its maker found out itself is told like a delta, and heard when its day has come; what
    /// that had from others is handed over like a parcel of the library.
    #[must_use]
    pub fn for_reader(self, to: &EquipTarget) -> Vec<(String, Ask)> {
        let Self { golem, calendar, parcels } = self;
        let asked = |parcel: EquipParcel| {
            let (root, own) = (parcel.passport().root, parcel.passport().learnt_by.golem == golem);
            let at = parcel.passport().times.learnt;
            let letter = KinLetter { at, word: KinWord::Entry { parcel: Box::new(parcel) } };
            let letter = KinEnvelope { calendar: calendar.clone(), letter }.for_reader(to);
            let ask = match (own, letter) {
                (false, KinLetter { word: KinWord::Entry { parcel }, .. }) => {
                    Ask::Equip { parcels: vec![golem_core::plain::json(&parcel)] }
                }
                (_, letter) => Ask::Kin { from: golem, at: letter.at, letter: letter.text() },
            };
            (format!("archive/{root}"), ask)
        };
        parcels.into_iter().map(asked).collect()
    }
}

/// Why a backup is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BackupFault {
    #[error(transparent)]
    Restore(#[from] RestoreFault),
    #[error("it does not begin like one")]
    Form,
    /// By who made it.
    #[error("its time is over")]
    Over,
}

/// The parcels of a backup, each a line, with every proof that there is.
///
/// # Errors
/// With the first thing that does not hold.
pub fn restored(
    found: &FoundArchive,
    owner: OwnerId,
    group: &GroupSecret,
    pieces: &BTreeMap<Hash, Vec<u8>>,
    now_s: u64,
) -> Result<RestoredBackup, BackupFault> {
    let golem = found.certificate.words.golem;
    let clear = restore(&found.manifest, &found.certificate, (owner, golem), group, pieces)?;
    let text = String::from_utf8(clear).map_err(|_| BackupFault::Form)?;
    let mut lines = text.lines();
    let head = lines.next().and_then(|line| serde_json::from_str::<BackupHead>(line).ok()).ok_or(BackupFault::Form)?;
    if head.until_s <= now_s {
        return Err(BackupFault::Over);
    }
    let parcels: Result<Vec<EquipParcel>, _> = lines.filter(|line| !line.is_empty()).map(EquipParcel::read).collect();
    let parcels = parcels.map_err(|_| BackupFault::Form)?;
    Ok(RestoredBackup { golem, calendar: head.calendar, parcels })
}

impl Crossing {
    pub(crate) async fn back_up_if_due(&mut self) -> Result<(), DialFault> {
        let Some(every) = self.passenger.backup_every else { return Ok(()) };
        let Some(signs) = self.passenger.signs.living() else { return Ok(()) };
        let last_words = signs.dead && self.state.backed_up.is_none_or(|last| last < signs.tick);
        if !last_words && !backup_is_due(self.state.backed_up, signs.tick, every) {
            return Ok(());
        }
        let Some(taken) = self.passenger.signs.backup() else { return Ok(()) };
        let words = &self.passenger.certificate.words;
        let of = BackupOf { owner: words.owner, golem: words.golem, tick: taken.tick.0, at: taken.at };
        let (key, group) = (&self.passenger.key, &self.passenger.group);
        let made_s = now_ms() / 1_000;
        let until_s = made_s.saturating_add(self.passenger.backup_ttl_s);
        let head = BackupHead { made_s, until_s, calendar: self.passenger.reader.calendar.clone() };
        let clear = [golem_core::plain::json(&head).as_bytes(), b"\n", &taken.clear].concat();
        if let Some((manifest, pieces)) = back_up(key, group, of, &clear).filter(|_| !taken.clear.is_empty()) {
            self.offer(manifest, &pieces).await?;
        }
        // Not before: where the line breaks on the way, the next one begins again with what the relay lacks.
        self.state.backed_up = Some(signs.tick.max(taken.tick));
        self.keep(&[])
    }

    async fn offer(&mut self, manifest: ArchiveManifest, pieces: &BTreeMap<Hash, Vec<u8>>) -> Result<(), DialFault> {
        // Offered, what is missing sent, and offered again: then it is kept.
        for _ in 0..2 {
            let missing = match self.ask(&GolemFrame::Offer(manifest.clone())).await? {
                RelayFrame::Want(missing) => missing,
                RelayFrame::Refuse(why) => return self.notice(&format!("the relay does not keep its backup: {why}")),
                _ => return Err(DialFault::Confused),
            };
            if missing.is_empty() {
                return Ok(());
            }
            for piece in missing.iter().filter_map(|name| pieces.get(name)) {
                match self.ask(&GolemFrame::Chunk(Blob(piece.clone()))).await? {
                    RelayFrame::Done => self.meanwhile().await?,
                    RelayFrame::Refuse(why) => {
                        return self.notice(&format!("the relay does not keep its backup: {why}"));
                    }
                    _ => return Err(DialFault::Confused),
                }
            }
        }
        Ok(())
    }

    /// Take the newest backup of a sibling, as far as its own examination lets it; the tail of the log comes by itself.
    pub(crate) async fn bootstrap(&mut self) -> Result<(), DialFault> {
        let own = self.passenger.certificate.words.golem;
        let mut newest = None;
        for manifest in self.manifests().await? {
            let words = &manifest.words;
            let known = self.state.siblings.iter().find(|s| s.certificate.words.origin == words.origin);
            let Some(certificate) = known.map(|s| s.certificate).filter(|_| words.golem != own) else { continue };
            newest = Some(FoundArchive { manifest, certificate });
            break;
        }
        let Some(found) = newest else {
            self.state.bootstrapped = true;
            return self.keep(&[]);
        };
        let mut pieces = BTreeMap::new();
        for name in &found.manifest.words.chunks {
            if pieces.contains_key(name) {
                continue;
            }
            match self.ask(&GolemFrame::Fetch { chunk: *name }).await? {
                RelayFrame::Chunk(Blob(piece)) => pieces.insert(*name, piece),
                RelayFrame::Refuse(why) => {
                    self.state.bootstrapped = true;
                    return self.notice(&format!("a sibling's backup cannot be had: {why}"));
                }
                _ => return Err(DialFault::Confused),
            };
            self.meanwhile().await?;
        }
        // Not before: where the line breaks on the way, the next one begins again.
        self.state.bootstrapped = true;
        let golem = found.certificate.words.golem;
        match restored(&found, self.passenger.certificate.words.owner, &self.passenger.group, &pieces, now_ms() / 1_000)
        {
            Ok(backup) => {
                for (key, ask) in backup.for_reader(&self.passenger.reader) {
                    if let Some(arrival) = from_archive(golem, key, &ask) {
                        self.state.queue.came(arrival, &KinLimits::default());
                    }
                }
                self.land()
            }
            Err(why) => self.notice(&format!("the backup of {golem} is not what was kept: {why}")),
        }
    }

    pub(crate) async fn manifests(&mut self) -> Result<Vec<ArchiveManifest>, DialFault> {
        let mut all = Vec::new();
        self.line.say(&GolemFrame::Archives).await?;
        loop {
            match self.answer().await? {
                RelayFrame::Manifest { manifest, more } => {
                    all.push(*manifest);
                    if more == 0 || all.len() >= MOST_MANIFESTS {
                        return Ok(all);
                    }
                }
                RelayFrame::Done => return Ok(all),
                RelayFrame::Refuse(why) => return Err(DialFault::Refused(why)),
                _ => return Err(DialFault::Confused),
            }
        }
    }
}

/// Something of a backup in the queue: it is nobody's alarm, and its field is the archive.
fn from_archive(source: GolemId, key: String, ask: &Ask) -> Option<KinArrival> {
    let body = serde_json::to_string(ask).ok()?;
    let (field, confidence_bp) = match ask {
        Ask::Kin { letter, .. } => KinLetter::read(letter).ok().map(|l| (l.word.field(), l.word.confidence_bp()))?,
        _ => (KnowledgeDomain::named("general/archive"), 5_000),
    };
    Some(KinArrival { key, source, urgent: false, confidence_bp, field, body })
}
