//! What a golem's file keeps of it, read back: its status, and the points of its life page by page.

use crate::fail::Fail;
use golem_core::{Tick, Timestamp};
use golem_life::{LifePoint, Status};
use golem_runtime::Reader;

/// Points read at once.
const PAGE: u32 = 1_000;

/// A status record from its stored form.
pub fn parse(body: &str) -> Result<Status, Fail> {
    serde_json::from_str(body).map_err(|e| Fail::world(format!("a stored status cannot be read: {e}")))
}

/// The whole downsampled series, page by page, with the moment of each point.
pub fn points(reader: &Reader) -> Result<Vec<(Timestamp, LifePoint)>, Fail> {
    points_after(reader, Tick(0))
}

/// The series after a turn.
pub fn points_after(reader: &Reader, after: Tick) -> Result<Vec<(Timestamp, LifePoint)>, Fail> {
    let (mut all, mut after) = (Vec::new(), after);
    loop {
        let page = reader.series(after, PAGE)?;
        let Some(last) = page.last() else { return Ok(all) };
        after = last.tick;
        for row in &page {
            let point: Result<LifePoint, _> = serde_json::from_str(&row.body);
            all.push((row.at, point.map_err(|e| Fail::world(format!("a stored point cannot be read: {e}")))?));
        }
    }
}

/// The series alone.
pub fn series(reader: &Reader) -> Result<Vec<LifePoint>, Fail> {
    Ok(points(reader)?.into_iter().map(|(_, point)| point).collect())
}
