//! How much there may be of everything, as one table, and the buckets by which rates are held.
//!
//! Rates are counted in whole numbers against a moment that is given: the same calls at the same moments are always answered
//! the same.

use serde::{Deserialize, Serialize};

/// The longest frame, either way. A relay that serves ten thousand sockets must be able to afford one of each.
pub const FRAME_BYTES: usize = 64 * 1024;
/// The longest piece of an archive, sealed: it fits a frame with all around it.
pub const CHUNK_BYTES: usize = 33 * 1024;
/// The most pieces of one archive: their names fit a frame.
pub const MANIFEST_CHUNKS: usize = 1_500;
/// The longest sealed body of a delta.
pub const PAYLOAD_BYTES: usize = 8 * 1024;
/// The longest sealed body of whatever travels at once (decision of the house: 2 KiB of words, and what a seal adds).
pub const URGENT_BYTES: usize = 2 * 1024 + 96;
/// The longest sealed part of a grave.
pub const GRAVE_BYTES: usize = 16 * 1024;
/// The most deltas in one push.
pub const BATCH: usize = 64;
/// The most marks of one bloodstain.
pub const MARKS: usize = 16;
/// The most answers to one question to the field.
pub const SCENTS: usize = 128;

const SECOND: u64 = 1_000;
const HOUR: u64 = 3_600 * SECOND;
const DAY: u64 = 24 * HOUR;

/// So many in an hour, and so many at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BucketRate {
    pub per_hour: u64,
    pub burst: u64,
}

/// What one relay grants. The defaults are the seeds' numbers where they have one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelayLimits {
    /// Sockets, all together.
    pub connections: usize,
    /// Sockets from one address.
    pub connections_per_address: usize,
    /// Sockets of one owner.
    pub connections_per_owner: usize,
    /// Sockets that have not said who they are.
    pub strangers: usize,
    /// Connections from one address that came to nothing: forged, malformed, or cut off for saying too much.
    pub failures: BucketRate,
    /// Owners that come for the first time, all together: keys of owners cost nothing.
    pub newcomers: BucketRate,
    /// Marks in one field, whoever left them.
    pub marks_per_field: usize,
    /// Golems of one owner that the relay remembers.
    pub golems_per_owner: usize,
    /// Frames of one socket; each delta of a push counts as one, and a question that is answered from many rows as eight.
    pub frames: BucketRate,
    /// Bytes of one socket.
    pub bytes: BucketRate,
    /// Entries of one golem.
    pub knowledge: BucketRate,
    /// Whatever of one golem travels at once. A budget of its own: it is the attacker's favourite channel.
    pub warnings: BucketRate,
    /// Entries of one owner.
    pub owner_entries: BucketRate,
    /// Pulses of one golem.
    pub pulses: BucketRate,
    /// Deposits of one golem into the field.
    pub deposits: BucketRate,
    /// Bytes of archives of one owner in a day, and at once.
    pub archive_bytes: BucketRate,
    /// Marks of one source in one field.
    pub marks_per_source: usize,
    /// Bytes that one owner's log may hold.
    pub owner_log_bytes: u64,
    /// Bytes that one owner's archives may hold.
    pub owner_archive_bytes: u64,
    /// How long deltas are kept, in milliseconds.
    pub keep_deltas_ms: u64,
    /// How much longer, so that no clock that is a little wrong loses any.
    pub grace_ms: u64,
    /// How long archives are kept.
    pub keep_archives_ms: u64,
    /// How long a socket may take to say who it is.
    pub hello_ms: u64,
    /// How long a socket may say nothing whole: three pulses.
    pub silence_ms: u64,
    /// How long a frame may take to be taken by the other side.
    pub send_ms: u64,
    /// Deltas on their way to one golem that it has not said to have taken.
    pub window: usize,
    /// Urgent frames that wait for one socket.
    pub urgent_queue: usize,
}

impl Default for RelayLimits {
    fn default() -> Self {
        Self {
            connections: 16_384,
            connections_per_address: 4_096,
            connections_per_owner: 1_024,
            strangers: 1_024,
            failures: BucketRate { per_hour: 3_600, burst: 60 },
            newcomers: BucketRate { per_hour: 1_000, burst: 1_000 },
            marks_per_field: 4_096,
            golems_per_owner: 4_096,
            frames: BucketRate { per_hour: 72_000, burst: 400 },
            bytes: BucketRate { per_hour: 1 << 30, burst: 4 << 20 },
            knowledge: BucketRate { per_hour: 100, burst: 100 },
            warnings: BucketRate { per_hour: 30, burst: 10 },
            owner_entries: BucketRate { per_hour: 20_000, burst: 5_000 },
            pulses: BucketRate { per_hour: 240, burst: 8 },
            deposits: BucketRate { per_hour: 60, burst: 20 },
            archive_bytes: BucketRate { per_hour: 1 << 29, burst: 256 << 20 },
            marks_per_source: 32,
            owner_log_bytes: 256 << 20,
            owner_archive_bytes: 4 << 30,
            keep_deltas_ms: 7 * DAY,
            grace_ms: HOUR,
            keep_archives_ms: 90 * DAY,
            hello_ms: 5 * SECOND,
            silence_ms: 180 * SECOND,
            send_ms: 10 * SECOND,
            window: 256,
            urgent_queue: 32,
        }
    }
}

/// What is left of a rate. Levels are counted in parts of 3,600,000, so that a millisecond adds a whole number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateBucket {
    level: u128,
    at_ms: u64,
}

impl RateBucket {
    /// A full one.
    #[must_use]
    pub fn full(rate: BucketRate, now_ms: u64) -> Self {
        Self { level: u128::from(rate.burst) * u128::from(HOUR), at_ms: now_ms }
    }

    /// Whether there is as much in it as there can be.
    #[must_use]
    pub fn is_full(mut self, rate: BucketRate, now_ms: u64) -> bool {
        self.take(rate, rate.burst, now_ms).is_ok()
    }

    /// Take so many, or say in how many milliseconds that many will be there. A clock that goes back adds nothing; one that was more than a day
    /// ahead is forgotten, or nothing would be granted until that day.
    ///
    /// # Errors
    /// When they are not there; nothing is taken then.
    pub fn take(&mut self, rate: BucketRate, n: u64, now_ms: u64) -> Result<(), u64> {
        let most = u128::from(rate.burst) * u128::from(HOUR);
        if self.at_ms > now_ms.saturating_add(DAY) {
            self.at_ms = now_ms;
        }
        let passed = u128::from(now_ms.saturating_sub(self.at_ms));
        self.level = self.level.saturating_add(passed * u128::from(rate.per_hour)).min(most);
        self.at_ms = self.at_ms.max(now_ms);
        let wanted = u128::from(n) * u128::from(HOUR);
        match self.level.checked_sub(wanted) {
            Some(left) => {
                self.level = left;
                Ok(())
            }
            None if wanted > most || rate.per_hour == 0 => Err(u64::MAX),
            None => {
                let wait = (wanted - self.level).div_ceil(u128::from(rate.per_hour));
                Err(u64::try_from(wait).unwrap_or(u64::MAX))
            }
        }
    }
}
