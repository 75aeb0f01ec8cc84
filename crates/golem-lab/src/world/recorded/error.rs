//! What can be wrong with a recorded market, told so that its owner can mend the file.

use golem_core::Timestamp;
use std::path::PathBuf;

/// A file that cannot be lived in, and why.
#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}", path.display())]
pub struct CsvError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    #[source]
    pub fault: CsvFault,
}

/// What is wrong with a file. Lines are counted from 1, the header included.
#[derive(Debug, thiserror::Error)]
pub enum CsvFault {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(#[from] std::io::Error),
    /// It has no rows, or no header.
    #[error("has no rows")]
    Empty,
    /// A column is not there.
    #[error("has no column {wanted}; it has: {found}")]
    NoColumn {
        /// The column that was looked for.
        wanted: &'static str,
        /// The columns that are there.
        found: String,
    },
    /// A row that is no row: not UTF-8, or with too many or too few cells.
    #[error("line {line}: {what}")]
    Broken {
        /// Where.
        line: u64,
        /// What the CSV reader said.
        what: String,
    },
    /// A cell that is no number.
    #[error("line {line}, {column}: {cell:?} is not a number")]
    NotANumber {
        /// Where.
        line: u64,
        /// In which column.
        column: &'static str,
        /// What is there.
        cell: String,
    },
    /// A price of zero or less, or a flow below zero.
    #[error("line {line}, {column}: {value} is too low")]
    TooLow {
        /// Where.
        line: u64,
        /// In which column.
        column: &'static str,
        /// What is there.
        value: f64,
    },
    /// A price that no pool can hold.
    #[error("line {line}, {column}: {value:e} is no price that a pool can hold")]
    TooFar {
        /// Where.
        line: u64,
        /// In which column.
        column: &'static str,
        /// What is there.
        value: f64,
    },
    /// A time that is not unix seconds.
    #[error("line {line}, timestamp: {cell} is not a time in unix seconds")]
    NotATime {
        /// Where.
        line: u64,
        /// What is there.
        cell: String,
    },
    /// A time that is not after the one before.
    #[error("line {line}: timestamp {now} does not come after {before}")]
    NotAscending {
        /// Where.
        line: u64,
        /// The time of the row before.
        before: i64,
        /// The time of this row.
        now: i64,
    },
    /// A bar whose high and low do not enclose its open and close.
    #[error("line {line}: open and close are not between low and high")]
    Crossed {
        /// Where.
        line: u64,
    },
    /// A bar that begins before the one before has closed.
    #[error("line {line}: the bar begins {gap_s} s after the one before, but bars here are {bar_s} s long")]
    Overlapping {
        /// Where.
        line: u64,
        /// Time since the bar before.
        gap_s: i64,
        /// Usual length of a bar.
        bar_s: i64,
    },
    /// A window that ends before it begins.
    #[error("the window begins at {from} and ends at {until}")]
    Backwards {
        /// Its beginning.
        from: Timestamp,
        /// Its end.
        until: Timestamp,
    },
    /// No bar lies in the window.
    #[error("has no bars in the window: it covers {first} to {last}")]
    NotCovered {
        /// The opening of its first bar.
        first: Timestamp,
        /// The close of its last bar.
        last: Timestamp,
    },
    /// Too few bars to live in.
    #[error("has {found} usable bars where at least 2 are needed")]
    TooFew {
        /// How many there are.
        found: usize,
    },
    /// Bars with no room for a path through open, high, low and close, or with far too much.
    #[error("has bars of {bar_s} s, which cannot be filled in")]
    Unfillable {
        /// Length of a bar.
        bar_s: i64,
    },
}

impl CsvError {
    /// What would mend it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match &self.fault {
            CsvFault::Unreadable(_) => "check the path and that this user may read it",
            CsvFault::Empty => "the file needs a header line and one row per bar",
            CsvFault::NoColumn { wanted: "gas_gwei", .. } => {
                "a gas file needs the columns timestamp and gas_gwei (or avg_gas_gwei)"
            }
            CsvFault::NoColumn { .. } => "a market file needs the columns timestamp,open,high,low,close,volume",
            CsvFault::Broken { .. } => "every row needs as many cells as the header, separated by commas, in UTF-8",
            CsvFault::NotANumber { .. } => "write plain numbers: digits and a point, no units, no separators",
            CsvFault::TooLow { .. } => "prices must be above zero, volume, gas and fee_yield not below zero",
            CsvFault::TooFar { .. } => "write prices in USDC for one whole unit, between 1e-9 and 1e15",
            CsvFault::Backwards { .. } => "a window begins before it ends: change from (--from) or until (--to)",
            CsvFault::NotCovered { .. } => "choose a window inside what the file covers: from (--from), until (--to)",
            CsvFault::NotATime { .. } => "write whole unix seconds in UTC; divide milliseconds by 1000",
            CsvFault::NotAscending { .. } => "sort the rows by timestamp and remove repeated ones",
            CsvFault::Crossed { .. } => "check the order of the columns; a true bar has low <= open, close <= high",
            CsvFault::Overlapping { .. } => "keep bars of one length in one file",
            CsvFault::TooFew { .. } => "widen the window (from, until) or use a longer file",
            CsvFault::Unfillable { .. } => "use one turn per bar, or bars from 160 s to a week",
        }
    }
}
