//! Parquet: one file a table, compressed with Snappy.

use super::columns::{Columns, WHOLE, lines};
use super::{Source, cannot_read, cannot_write, not_one};
use crate::fail::Fail;
use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use ::parquet::arrow::{ArrowWriter, ProjectionMask};
use ::parquet::basic::Compression;
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use std::fs::File;
use std::path::Path;

/// Write a table as `DIR/NAME.parquet`.
pub fn write(table: &Columns, dir: &Path) -> Result<(), Fail> {
    let path = dir.join(format!("{}.parquet", table.name));
    let file = File::create_new(&path).map_err(|e| cannot_write(&path, e))?;
    let written = || -> Result<(), ParquetError> {
        let how = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let mut writer = ArrowWriter::try_new(file, table.batches[0].schema(), Some(how))?;
        for batch in &table.batches {
            writer.write(batch)?;
        }
        writer.close().map(drop)
    };
    written().map_err(|e| cannot_write(&path, e))
}

/// Read the rows of a file, as lines.
pub fn read(path: &Path) -> Result<Source, Fail> {
    let file = File::open(path).map_err(|e| cannot_read(path, e))?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|e| not_one(path, e))?;
    let only = ProjectionMask::columns(builder.parquet_schema(), [WHOLE]);
    let reader = builder.with_projection(only).build().map_err(|e| not_one(path, e))?;
    let batches = reader.collect::<Result<Vec<_>, _>>().map_err(|e| not_one(path, e))?;
    lines(batches).map_err(|e| not_one(path, e))
}
