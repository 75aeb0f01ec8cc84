//! Reads bars and gas prices from CSV files. Every row is checked here once, so that nothing behind it has to.

use super::error::{CsvError, CsvFault};
use golem_core::Hash;
use std::collections::BTreeMap;
use std::path::Path;

/// One bar of history, with its volume already in USDC.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bar {
    pub open_s: i64,
    pub open: f64,
    pub high: f64,
    pub low: f64,
    pub close: f64,
    pub volume: f64,
    pub fee_yield: Option<f64>,
}

/// A checked file: rows in ascending time, their usual distance, and the hash of the bytes they came from.
#[derive(Debug)]
pub(super) struct CheckedSeries<T> {
    pub rows: Vec<T>,
    pub spacing_s: i64,
    pub hash: Hash,
    /// Line of the first row that comes sooner than usual, and how soon.
    crowded: Option<(u64, i64)>,
}

/// Prices that a pool can hold: beyond them it would stand still at its end while the file goes on.
const POOL_PRICES: std::ops::RangeInclusive<f64> = 1e-9..=1e15;

/// The end of the year 9999. Times in milliseconds lie far beyond it.
const LATEST_S: i64 = 253_402_300_799;

/// Read bars; `in_usdc` says whether the volume column already is in USDC.
pub(super) fn bars(path: &Path, in_usdc: bool) -> Result<CheckedSeries<Bar>, CsvError> {
    let parse = || {
        let bytes = std::fs::read(path)?;
        let table = Table::new(&bytes)?;
        let columns = ["open", "high", "low", "close", "volume"];
        let mut at = [0; 5];
        for (place, name) in at.iter_mut().zip(columns) {
            *place = table.column(name)?;
        }
        let fee = table.find("fee_yield");
        let series = table.rows(Hash::of(&bytes), |row, open_s| {
            let mut cells = [0.0; 5];
            for i in 0..5 {
                cells[i] = row.number(at[i], columns[i])?;
                if cells[i] < 0.0 || (i < 4 && cells[i] <= 0.0) {
                    return Err(CsvFault::TooLow { line: row.line, column: columns[i], value: cells[i] });
                }
                if i < 4 && !POOL_PRICES.contains(&cells[i]) {
                    return Err(CsvFault::TooFar { line: row.line, column: columns[i], value: cells[i] });
                }
            }
            let [open, high, low, close, volume] = cells;
            if low > open.min(close) || high < open.max(close) {
                return Err(CsvFault::Crossed { line: row.line });
            }
            let fee_yield = fee.map_or(Ok(None), |at| row.not_negative(at, "fee_yield"))?;
            let volume = if in_usdc { volume } else { volume * close };
            Ok(Bar { open_s, open, high, low, close, volume, fee_yield })
        })?;
        // Two bars that share time would both claim it. For gas it does no harm: the later row wins.
        match series.crowded {
            Some((line, gap_s)) => Err(CsvFault::Overlapping { line, gap_s, bar_s: series.spacing_s }),
            None => Ok(series),
        }
    };
    parse().map_err(|fault| CsvError { path: path.into(), fault })
}

/// Read gas prices as (beginning of the period, gwei); `None` where nothing was measured.
pub(super) fn gas(path: &Path) -> Result<CheckedSeries<(i64, Option<f64>)>, CsvError> {
    let parse = || {
        let bytes = std::fs::read(path)?;
        let table = Table::new(&bytes)?;
        let at = table.find("avg_gas_gwei").map_or_else(|| table.column("gas_gwei"), Ok)?;
        table.rows(Hash::of(&bytes), |row, time| Ok((time, row.not_negative(at, "gas_gwei")?)))
    };
    parse().map_err(|fault| CsvError { path: path.into(), fault })
}

struct Table<'a> {
    reader: csv::Reader<&'a [u8]>,
    header: Vec<String>,
}

struct CsvRow<'a> {
    line: u64,
    record: &'a csv::StringRecord,
}

impl<'a> Table<'a> {
    fn new(bytes: &'a [u8]) -> Result<Self, CsvFault> {
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(bytes);
        let header: Vec<_> = reader.headers().map_err(broken)?.iter().map(str::to_ascii_lowercase).collect();
        if header.iter().all(String::is_empty) { Err(CsvFault::Empty) } else { Ok(Self { reader, header }) }
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|h| h == name)
    }

    fn column(&self, wanted: &'static str) -> Result<usize, CsvFault> {
        self.find(wanted).ok_or_else(|| CsvFault::NoColumn { wanted, found: self.header.join(", ") })
    }

    /// All rows, in ascending time.
    fn rows<T>(
        mut self,
        hash: Hash,
        mut read: impl FnMut(&CsvRow<'_>, i64) -> Result<T, CsvFault>,
    ) -> Result<CheckedSeries<T>, CsvFault> {
        let time_at = self.column("timestamp")?;
        let (mut rows, mut gaps) = (Vec::new(), Vec::new());
        let (mut record, mut before) = (csv::StringRecord::new(), None);
        while self.reader.read_record(&mut record).map_err(broken)? {
            let row = CsvRow { line: record.position().map_or(0, csv::Position::line), record: &record };
            let now = row.time(time_at)?;
            if let Some(before) = before {
                if now <= before {
                    return Err(CsvFault::NotAscending { line: row.line, before, now });
                }
                gaps.push((row.line, now - before));
            }
            before = Some(now);
            rows.push(read(&row, now)?);
        }
        match rows.len() {
            0 => return Err(CsvFault::Empty),
            1 => return Err(CsvFault::TooFew { found: 1 }),
            _ => {}
        }
        let spacing_s = most_common(gaps.iter().map(|(_, gap)| *gap));
        let crowded = gaps.into_iter().find(|(_, gap)| *gap < spacing_s);
        Ok(CheckedSeries { rows, spacing_s, hash, crowded })
    }
}

impl CsvRow<'_> {
    fn cell(&self, at: usize) -> &str {
        self.record.get(at).unwrap_or_default()
    }

    fn number(&self, at: usize, column: &'static str) -> Result<f64, CsvFault> {
        let cell = self.cell(at);
        let number = cell.parse().ok().filter(|x: &f64| x.is_finite());
        number.ok_or_else(|| CsvFault::NotANumber { line: self.line, column, cell: cell.into() })
    }

    /// A number that may be missing: an empty cell and a zero both mean that there was nothing to measure.
    fn not_negative(&self, at: usize, column: &'static str) -> Result<Option<f64>, CsvFault> {
        if self.cell(at).is_empty() {
            return Ok(None);
        }
        let value = self.number(at, column)?;
        if value < 0.0 {
            return Err(CsvFault::TooLow { line: self.line, column, value });
        }
        Ok(Some(value).filter(|x| *x > 0.0))
    }

    fn time(&self, at: usize) -> Result<i64, CsvFault> {
        let (line, cell) = (self.line, self.cell(at));
        let whole = cell.strip_suffix(".0").unwrap_or(cell);
        match whole.parse() {
            Ok(time) if (0..=LATEST_S).contains(&time) => Ok(time),
            _ => Err(CsvFault::NotATime { line, cell: cell.into() }),
        }
    }
}

fn broken(e: csv::Error) -> CsvFault {
    CsvFault::Broken { line: e.position().map_or(1, csv::Position::line), what: e.to_string() }
}

/// The most common distance, the smallest of several; 0 when there is none.
fn most_common(gaps: impl Iterator<Item = i64>) -> i64 {
    let mut counts = BTreeMap::new();
    for gap in gaps {
        *counts.entry(gap).or_insert(0usize) += 1;
    }
    counts.into_iter().max_by_key(|(gap, count)| (*count, -*gap)).map_or(0, |(gap, _)| gap)
}
