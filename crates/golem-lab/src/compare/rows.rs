//! Rows as CSV: one life a line, one column an outcome. What is read back is what was written, to the bit.

use super::row::{LifeRow, OutcomeName};
use std::io::{Read, Write};

/// The columns before the outcomes.
const HEAD: [&str; 5] = ["world", "template", "arm", "path", "cause"];

/// Why rows cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum RowsError {
    #[error("{0}")]
    Csv(#[from] csv::Error),
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("path {path} of {world} has other outcomes than the rows before it")]
    Outcomes { world: String, path: u64 },
    #[error("it begins with {found:?}, and not with world,template,arm,path,cause")]
    Head { found: Vec<String> },
    #[error("line {line}: {value:?} in the column {column} is no number")]
    Number { line: u64, column: String, value: String },
}

/// Write rows that all have the same outcomes. Without any row there is nothing to write, not even a head.
pub fn write_csv(rows: &[LifeRow], to: impl Write) -> Result<(), RowsError> {
    let Some(first) = rows.first() else { return Ok(()) };
    let mut writer = csv::Writer::from_writer(to);
    let names = first.values.iter().map(|(name, _)| name.as_str());
    writer.write_record(HEAD.into_iter().chain(names))?;
    for row in rows {
        let same = row.values.iter().map(|(name, _)| name).eq(first.values.iter().map(|(name, _)| name));
        if !same {
            return Err(RowsError::Outcomes { world: row.world.clone(), path: row.path });
        }
        writer.write_record(cells(row))?;
    }
    Ok(writer.flush()?)
}

/// A row's cells. The shortest text that reads back as the same number; nothing where there was nothing to measure.
fn cells(row: &LifeRow) -> Vec<String> {
    let head = [&row.world, &row.template, &row.arm].map(Clone::clone);
    let path = [row.path.to_string(), row.cause.clone().unwrap_or_default()];
    let values = row.values.iter().map(|(_, value)| value.map_or(String::new(), |v| v.to_string()));
    head.into_iter().chain(path).chain(values).collect()
}

/// Read rows back.
pub fn read_csv(from: impl Read) -> Result<Vec<LifeRow>, RowsError> {
    let mut reader = csv::Reader::from_reader(from);
    let head: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
    if head.is_empty() {
        return Ok(Vec::new());
    }
    if head.len() < HEAD.len() || head[..HEAD.len()] != HEAD {
        return Err(RowsError::Head { found: head });
    }
    let names: Vec<OutcomeName> = head[HEAD.len()..].iter().map(|name| name.as_str().into()).collect();
    reader.records().map(|record| row(&record?, &head, &names)).collect()
}

fn row(record: &csv::StringRecord, head: &[String], names: &[OutcomeName]) -> Result<LifeRow, RowsError> {
    let cell = |n: usize| record.get(n).unwrap_or_default();
    let no_number = |n: usize| RowsError::Number {
        line: record.position().map_or(0, csv::Position::line),
        column: head[n].clone(),
        value: cell(n).to_owned(),
    };
    let values = names.iter().enumerate().map(|(i, name)| {
        let n = HEAD.len() + i;
        let value = match cell(n) {
            "" => None,
            text => Some(text.parse::<f64>().map_err(|_| no_number(n))?),
        };
        Ok((name.clone(), value))
    });
    Ok(LifeRow {
        world: cell(0).to_owned(),
        template: cell(1).to_owned(),
        arm: cell(2).to_owned(),
        path: cell(3).parse().map_err(|_| no_number(3))?,
        values: values.collect::<Result<_, RowsError>>()?,
        cause: Some(cell(4).to_owned()).filter(|cause| !cause.is_empty()),
    })
}
