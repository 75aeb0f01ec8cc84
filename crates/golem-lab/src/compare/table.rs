//! Rows as CSV, there and back to the bit: numbers are written so that reading them gives the same number.

use super::outcome::{self, OutcomeKind};
use super::plan::{ComparePlan, LifeOf};
use super::row::{LifeRow, OutcomeName};

/// The columns before the outcomes.
const LABELS: [&str; 4] = ["world", "template", "arm", "path"];

/// The first line over rows with these outcomes.
#[must_use]
pub fn head(kinds: &[OutcomeKind]) -> String {
    head_of(kinds.iter().map(|kind| &kind.name))
}

fn head_of<'a>(names: impl Iterator<Item = &'a OutcomeName>) -> String {
    let names = names.map(ToString::to_string);
    line(LABELS.into_iter().map(str::to_owned).chain(names).chain(["cause".to_owned()]))
}

/// The names of outcomes in a first line, where it is one that this program writes: all that any life has, and what a plan
/// asks for besides.
fn names(head: &csv::StringRecord) -> Option<Vec<OutcomeName>> {
    let cells: Vec<&str> = head.iter().collect();
    let names = cells.strip_prefix(LABELS.as_slice())?.strip_suffix(&["cause"])?;
    let every_life = outcome::kinds();
    let is_known = names.len() >= every_life.len() && names.iter().zip(&every_life).all(|(n, k)| *n == k.name.as_str());
    is_known.then(|| names.iter().map(|name| OutcomeName::from(*name)).collect())
}

/// A row as a line, with its end.
#[must_use]
pub fn row_line(row: &LifeRow) -> String {
    let labels = [row.world.clone(), row.template.clone(), row.arm.clone(), row.path.to_string()];
    let values = row.values.iter().map(|(_, value)| value.map_or(String::new(), |value| value.to_string()));
    line(labels.into_iter().chain(values).chain([row.cause.clone().unwrap_or_default()]))
}

/// All rows, with their head.
#[must_use]
pub fn to_csv(rows: &[LifeRow]) -> String {
    let every_life = || outcome::kinds().into_iter().map(|kind| kind.name).collect::<Vec<_>>();
    let names = rows.first().map_or_else(every_life, |row| row.values.iter().map(|(name, _)| name.clone()).collect());
    let head = head_of(names.iter());
    rows.iter().map(row_line).fold(head, |all, line| all + &line)
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let quoted = |cell: String| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    };
    cells.map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

/// Rows from CSV; the line that is wrong, and why.
///
/// # Errors
/// When it is no such table.
pub fn from_csv(text: &str) -> Result<Vec<LifeRow>, String> {
    let mut reader = csv::ReaderBuilder::new().has_headers(true).from_reader(text.as_bytes());
    let names = reader.headers().ok().and_then(names).ok_or("other columns than this program writes")?;
    let mut rows = Vec::new();
    for (n, record) in reader.records().enumerate() {
        let wrong = |why: &str| format!("line {}: {why}", n + 2);
        let record = record.map_err(|e| wrong(&e.to_string()))?;
        rows.push(row(&record, &names).ok_or_else(|| wrong("a cell that is no number"))?);
    }
    Ok(rows)
}

fn row(record: &csv::StringRecord, names: &[OutcomeName]) -> Option<LifeRow> {
    let label = |n: usize| record.get(n).map(ToOwned::to_owned);
    let value = |(n, name): (usize, &OutcomeName)| {
        let cell = record.get(LABELS.len() + n)?;
        let value = if cell.is_empty() { None } else { Some(cell.parse().ok()?) };
        Some((name.clone(), value))
    };
    Some(LifeRow {
        world: label(0)?,
        template: label(1)?,
        arm: label(2)?,
        path: record.get(3)?.parse().ok()?,
        values: names.iter().enumerate().map(value).collect::<Option<_>>()?,
        cause: label(LABELS.len() + names.len()).filter(|cause| !cause.is_empty()),
    })
}

/// Which life of a plan a row tells of.
#[must_use]
pub fn life_of(plan: &ComparePlan, row: &LifeRow) -> Option<LifeOf> {
    let at = |names: &[String], name: &str| names.iter().position(|n| n == name);
    Some(LifeOf {
        world: at(&plan.worlds, &row.world)?,
        template: at(&plan.templates, &row.template)?,
        arm: at(&plan.arms, &row.arm)?,
        path: Some(row.path).filter(|path| *path < plan.most_paths())?,
    })
}
