//! Reading an heirloom, strictly: another version, a wrong sum, anything out of bounds, any number that is none and any other
//! spelling of the same content is refused. No bytes make it panic.

use super::bounds::{MOST_HEIRLOOM_BYTES, out_of_bounds};
use super::{HEIRLOOM_VERSION, Heirloom, HeirloomBound, checksum};
use crate::first_line::{FirstLine, FirstLineFault};
use golem_core::{Hash, plain};

/// How it begins.
pub(super) const FIRST_LINE: FirstLine = FirstLine { magic: "bardo heirloom", version: HEIRLOOM_VERSION };

/// Why bytes are no heirloom.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeirloomError {
    /// Too many bytes.
    #[error("it has {0} bytes, and {MOST_HEIRLOOM_BYTES} may be")]
    TooLarge(usize),
    /// Something else.
    #[error("it does not begin like an heirloom")]
    NotOne,
    /// A version that this code does not know.
    #[error("it has version {0}, and {HEIRLOOM_VERSION} can be read")]
    Version(u64),
    /// Damaged or altered.
    #[error("its sum is {found}, and {said} stands in its first line")]
    Checksum {
        /// What stands there.
        said: Hash,
        /// What it is.
        found: Hash,
    },
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// Something in it is out of bounds.
    #[error("it holds {0}")]
    OutOfBounds(HeirloomBound),
    /// The same content can be written otherwise, and only one form is signed.
    #[error("it is not in its one form")]
    NotCanonical,
}

impl HeirloomError {
    /// Its number, which never changes.
    #[must_use]
    pub fn code(&self) -> u16 {
        self.entry().0
    }
    /// What would lift it.
    #[must_use]
    pub fn lifted_by(&self) -> &'static str {
        self.entry().1
    }
    fn entry(&self) -> (u16, &'static str) {
        match self {
            Self::TooLarge(_) => (800, "a smaller bundle"),
            Self::NotOne => (801, "the file that a dying golem wrote"),
            Self::Version(_) => (802, "a bardo that knows this version"),
            Self::Checksum { .. } => (803, "an undamaged copy"),
            Self::Unreadable(_) => (804, "an undamaged copy"),
            Self::OutOfBounds(_) => (805, "a bundle within its bounds"),
            Self::NotCanonical => (806, "the bundle as it was written"),
        }
    }
}

impl From<FirstLineFault> for HeirloomError {
    fn from(fault: FirstLineFault) -> Self {
        match fault {
            FirstLineFault::NotOne => Self::NotOne,
            FirstLineFault::Version(number) => Self::Version(number),
            FirstLineFault::NotCanonical => Self::NotCanonical,
        }
    }
}

impl Heirloom {
    /// Read one.
    ///
    /// # Errors
    /// With the first thing that is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<Self, HeirloomError> {
        if bytes.len() > MOST_HEIRLOOM_BYTES {
            return Err(HeirloomError::TooLarge(bytes.len()));
        }
        let (said, body) = FIRST_LINE.read(bytes)?;
        let found = checksum(body);
        if said != found {
            return Err(HeirloomError::Checksum { said, found });
        }
        let unreadable = |e: serde_json::Error| HeirloomError::Unreadable(e.to_string().chars().take(200).collect());
        let heirloom: Self = serde_json::from_slice(body).map_err(unreadable)?;
        if let Some(bound) = out_of_bounds(&heirloom) {
            return Err(HeirloomError::OutOfBounds(bound));
        }
        // Fields that nobody knows, other orders and other spellings of a number all end here.
        if plain::json(&heirloom).as_bytes() != body {
            return Err(HeirloomError::NotCanonical);
        }
        Ok(heirloom)
    }
}
