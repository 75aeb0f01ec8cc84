//! Labels that say nothing until the statistics are written. Lines are lived, kept and judged under letters; which letter is
//! whose can be asked only by whoever shows the statistics on disk.

use super::arm::{Contrast, TrialArm};
use super::error::TrialError;
use super::plan::TrialPlan;
use golem_core::Hash;
use std::fs::{self, File};
use std::path::Path;

/// Who has which letter. Whoever lives the lines asks it for letters; the other way round it opens once.
#[derive(Debug)]
pub struct BlindKey {
    /// By letter.
    order: Vec<TrialArm>,
}

/// The proof that statistics are on disk: made by writing them, and by nothing else.
#[derive(Debug)]
pub struct StatisticsOnDisk {
    hash: Hash,
}

impl StatisticsOnDisk {
    /// Write them, and see that they are there.
    ///
    /// # Errors
    /// When they cannot be written or read again.
    pub fn written(path: &Path, text: &str) -> Result<Self, TrialError> {
        super::files::write_whole(path, text)?;
        File::open(path).and_then(|file| file.sync_all()).map_err(TrialError::io(path))?;
        let there = fs::read(path).map_err(TrialError::io(path))?;
        Ok(Self { hash: Hash::of(&there) })
    }

    /// Of the bytes that are there.
    #[must_use]
    pub fn hash(&self) -> Hash {
        self.hash
    }
}

impl BlindKey {
    /// The key of a plan: letters are dealt by its hash, so that every shard deals alike.
    #[must_use]
    pub fn of(plan: &TrialPlan) -> Self {
        let name = plan.hash();
        let mut order = plan.arms.clone();
        order.sort_by_key(|arm| Hash::of(format!("{name} {}", arm.name()).as_bytes()));
        Self { order }
    }

    /// The letter of an arm.
    #[must_use]
    pub fn letter(&self, arm: TrialArm) -> String {
        let place = self.order.iter().position(|other| *other == arm).unwrap_or(self.order.len());
        letter(place)
    }

    /// A question in letters.
    #[must_use]
    pub fn lettered(&self, contrast: Contrast) -> [String; 2] {
        [self.letter(contrast.arm), self.letter(contrast.against)]
    }

    /// Open it: whose each letter is.
    #[must_use]
    pub fn open(self, _there: &StatisticsOnDisk) -> Vec<(String, TrialArm)> {
        self.order.into_iter().enumerate().map(|(place, arm)| (letter(place), arm)).collect()
    }
}

fn letter(place: usize) -> String {
    char::from(b'A' + u8::try_from(place.min(25)).unwrap_or(25)).to_string()
}
