//! Lance: one dataset a table, named as LanceDB names its tables, so that it opens the directory as a database.

use super::columns::{Columns, WHOLE, lines};
use super::{Source, cannot_write, not_one};
use crate::fail::Fail;
use ::lance::Dataset;
use arrow_array::RecordBatchIterator;
use std::future::Future;
use std::path::{Path, absolute};

/// Write a table as `DIR/NAME.lance`.
pub fn write(table: &Columns, dir: &Path) -> Result<(), Fail> {
    let path = dir.join(format!("{}.lance", table.name));
    let (schema, batches) = (table.batches[0].schema(), table.batches.clone());
    let reader = RecordBatchIterator::new(batches.into_iter().map(Ok), schema);
    let place = address(&path)?;
    wait(Dataset::write(reader, place.as_str(), None))?.map(drop).map_err(|e| cannot_write(&path, e))
}

/// Read the rows of a table, as lines.
pub fn read(path: &Path) -> Result<Source, Fail> {
    let place = address(path)?;
    let read = async {
        let mut scan = Dataset::open(&place).await?.scan();
        scan.project(&[WHOLE])?.try_into_batch().await
    };
    let batch = wait(read)?.map_err(|e| not_one(path, e))?;
    lines([batch]).map_err(|e| not_one(path, e))
}

/// Lance takes addresses; a whole path is one.
fn address(path: &Path) -> Result<String, Fail> {
    let whole = absolute(path).map_err(|e| not_one(path, e))?;
    whole.into_os_string().into_string().map_err(|_| Fail::owner(format!("{} is not UTF-8", path.display())))
}

fn wait<T>(what: impl Future<Output = T>) -> Result<T, Fail> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(what))
}
