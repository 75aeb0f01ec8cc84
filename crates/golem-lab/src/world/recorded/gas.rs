//! A recorded gas price, joined to the bars by time: a period is visible once it is over, and for a while after that.

use super::error::CsvError;
use super::read::{self, CheckedSeries};
use golem_core::Hash;
use std::path::Path;

/// So many periods without news, and the gas price counts as unknown.
const STALE_AFTER: i64 = 3;

/// Gas prices by period.
#[derive(Debug)]
pub(super) struct GasHistory(CheckedSeries<(i64, Option<f64>)>);

impl GasHistory {
    pub fn read(path: &Path) -> Result<Self, CsvError> {
        read::gas(path).map(Self)
    }

    pub fn hash(&self) -> Hash {
        self.0.hash
    }

    /// What is known at this moment: the mean of a day is not known before the day is over.
    pub fn at(&self, now_ms: i64) -> Option<f64> {
        let CheckedSeries { rows, spacing_s, .. } = &self.0;
        let ends_ms = |row: &(i64, _)| (row.0 + spacing_s) * 1_000;
        let (newest, _) = rows[..rows.partition_point(|row| ends_ms(row) <= now_ms)].split_last()?;
        newest.1.filter(|_| now_ms - ends_ms(newest) < STALE_AFTER * spacing_s * 1_000)
    }
}
