//! The rows of a comparison as a Parquet file: one life a row, one column an outcome.

use super::cannot_write;
use crate::fail::Fail;
use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::Compression;
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use golem_lab::compare::LifeRow;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// Write them; what was there is written over, as all files of a comparison's folder are.
pub fn lives_to_parquet(rows: &[LifeRow], path: &Path) -> Result<(), Fail> {
    let batch = batch(rows)?;
    let file = File::create(path).map_err(|e| cannot_write(path, e))?;
    let written = || -> Result<(), ParquetError> {
        let how = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(how))?;
        writer.write(&batch)?;
        writer.close().map(drop)
    };
    written().map_err(|e| cannot_write(path, e))
}

/// All rows have the same outcomes in the same order.
fn batch(rows: &[LifeRow]) -> Result<RecordBatch, Fail> {
    let words =
        |of: &dyn Fn(&LifeRow) -> String| -> ArrayRef { Arc::new(StringArray::from_iter_values(rows.iter().map(of))) };
    let paths: ArrayRef = Arc::new(UInt64Array::from_iter_values(rows.iter().map(|row| row.path)));
    let causes: ArrayRef = Arc::new(rows.iter().map(|row| row.cause.clone()).collect::<StringArray>());
    let mut columns: Vec<(String, ArrayRef, bool)> = vec![
        ("world".into(), words(&|row| row.world.clone()), false),
        ("template".into(), words(&|row| row.template.clone()), false),
        ("arm".into(), words(&|row| row.arm.clone()), false),
        ("path".into(), paths, false),
        ("cause".into(), causes, true),
    ];
    let names = rows.first().map(|row| &row.values[..]).unwrap_or_default();
    for (n, (name, _)) in names.iter().enumerate() {
        let values: Float64Array = rows.iter().map(|row| row.values.get(n).and_then(|(_, value)| *value)).collect();
        columns.push((name.to_string(), Arc::new(values), true));
    }
    RecordBatch::try_from_iter_with_nullable(columns).map_err(|e| Fail::Bug(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, UInt64Type};

    #[test]
    fn rows_come_back_from_parquet_to_the_bit() {
        let values = [Some(0.1 + 0.2), None, Some(-0.0), Some(f64::MIN_POSITIVE)];
        let row = |n: usize| LifeRow {
            world: "flat, or so".into(),
            template: "eth-dca".into(),
            arm: format!("x={n}"),
            path: u64::MAX - n as u64,
            values: vec![("worth".into(), values[n]), ("rent".into(), Some(n as f64))],
            cause: (n == 1).then(|| "stochastic".to_owned()),
        };
        let rows: Vec<LifeRow> = (0..4).map(row).collect();
        let path = tempfile::tempdir().unwrap().keep().join("rows.parquet");
        lives_to_parquet(&rows, &path).unwrap();
        let mut read = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap().build().unwrap();
        let batch = read.next().unwrap().unwrap();
        let column = |name: &str| batch.column_by_name(name).unwrap().clone();
        let bits = |v: Option<f64>| v.map(f64::to_bits);
        assert!(column("worth").as_primitive::<Float64Type>().iter().map(bits).eq(values.map(bits)));
        assert!(column("path").as_primitive::<UInt64Type>().iter().eq(rows.iter().map(|r| Some(r.path))));
        assert!(column("cause").as_string::<i32>().iter().eq(rows.iter().map(|r| r.cause.as_deref())));
        assert!(column("arm").as_string::<i32>().iter().eq(rows.iter().map(|r| Some(r.arm.as_str()))));
    }
}
