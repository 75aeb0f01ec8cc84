//! Who is carried: a golem with its key, its owner's certificate and what its siblings open with.

use crate::dial::RelayUrl;
use ed25519_dalek::SigningKey;
use golem_clade::kin::GraveLetter;
use golem_clade::library::EquipTarget;
use golem_clade::world_time::LifeClock;
use golem_core::{Hash, Name, Tick, VirtualTime};
use std::path::PathBuf;
use std::time::Duration;
use styx_wire::{GroupSecret, OwnerCertificate, PulseTerms, StainMark};

/// How often a golem says that it lives; the relay waits three times as long.
pub const PULSE: Duration = Duration::from_secs(60);

/// A golem that speaks with its siblings.
pub struct FerryPassenger {
    pub dir: PathBuf,
    pub name: Name,
    pub key: SigningKey,
    pub certificate: OwnerCertificate,
    pub group: GroupSecret,
    /// As a receiver: its calendar, and when it was born.
    pub reader: EquipTarget,
    /// Whether it hears what others of its fleet say.
    pub hears: bool,
    pub relay: RelayUrl,
    /// Ticks between two backups; none for who is not backed up.
    pub backup_every: Option<u64>,
    /// For how many seconds a backup is worth restoring.
    pub backup_ttl_s: u64,
    /// Whether everybody may know of what it warns and of what it died, where the relay has a layer for everybody.
    pub publishes: bool,
    /// How often it says that it lives; [`PULSE`] for whoever has no reason for another.
    pub pulse_every: Duration,
    pub signs: Box<dyn PassengerSigns>,
}

impl FerryPassenger {
    /// When its age was what, by the calendar of its world.
    pub(crate) fn clock(&self) -> LifeClock {
        LifeClock { zero: self.reader.born }
    }
}

/// How a golem is, for its pulse.
#[derive(Debug, Clone, PartialEq)]
pub struct LivingSigns {
    pub tick: Tick,
    pub at: VirtualTime,
    pub phase: String,
    /// Thousandths.
    pub vitality: u16,
    pub terms: PulseTerms,
    pub dreaming: bool,
    /// Its death is on record.
    pub dead: bool,
}

/// What a golem knows, as it is backed up: a line for each parcel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupTaken {
    pub tick: Tick,
    pub at: VirtualTime,
    pub clear: Vec<u8>,
}

/// What is said at a golem's grave. The letter is sealed to its siblings before it goes anywhere.
#[derive(Debug, Clone, PartialEq)]
pub struct GraveSaid {
    pub generation: u32,
    pub tick: Tick,
    pub at: VirtualTime,
    /// Of its testament.
    pub testament: Hash,
    pub marks: Vec<StainMark>,
    pub letter: GraveLetter,
}

/// Whoever can read a golem's file.
pub trait PassengerSigns: Send {
    /// How it is; none when its file cannot be read at the moment.
    fn living(&self) -> Option<LivingSigns>;
    /// What it knows.
    fn backup(&self) -> Option<BackupTaken>;
    /// What is said at its grave; none while its last word is not said.
    fn grave(&self) -> Option<GraveSaid>;
}
