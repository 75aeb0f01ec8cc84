//! Why a notice did not arrive.

/// What is said of one that was on its way when the process had to end.
pub const BROKEN_OFF: &str = "it was broken off: there was no more time";

/// Why a notice is not known to have arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendFault {
    /// It may arrive later.
    Failed(String),
    /// It arrived, and was refused.
    Refused(String),
}

impl SendFault {
    /// In words, without an address: addresses may be keys.
    pub fn words(&self) -> &str {
        match self {
            Self::Failed(why) | Self::Refused(why) => why,
        }
    }
}
