//! Where a chain's file stood: what a golem keeps of it in its own file, so that the two know each other.

use super::archive::HeadName;
use alloy_primitives::hex;
use std::fmt;
use std::str::FromStr;

/// How often the file had been written, and the name of its head then, which covers everything before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainMark {
    /// Writes until then.
    pub writes: u64,
    pub(super) head: HeadName,
}

impl fmt::Display for ChainMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.writes, hex::encode(self.head))
    }
}

impl FromStr for ChainMark {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let no_mark = || format!("{text:?} is no mark of a chain");
        let (writes, head) = text.split_once('/').ok_or_else(no_mark)?;
        let head = hex::decode(head).ok().and_then(|head| head.try_into().ok()).ok_or_else(no_mark)?;
        Ok(Self { writes: writes.parse().map_err(|_| no_mark())?, head })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_as_it_was_written() {
        let mark = ChainMark { writes: 57, head: [0xab; 16] };
        assert_eq!(mark.to_string().parse(), Ok(mark));
        for bad in ["", "57", "57/ab", "x/abababababababababababababababab", "57/zbababababababababababababababab"] {
            assert!(bad.parse::<ChainMark>().is_err(), "{bad}");
        }
    }
}
