//! Thinning: all snapshots of the last virtual day, the last one of each day for a week, of each week after that, and
//! always the newest. Chunks that nobody refers to any more are removed.

use super::chunks;
use super::line;
use super::manifest::{self, Manifest, ReadManifests};
use crate::durable::sync_dir;
use crate::error::Error;
use golem_core::{Elapsed, Tick, VirtualTime};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const DAY: Elapsed = Elapsed::secs(86_400);

/// Which of these snapshots stay.
#[must_use]
pub fn keepers(all: &[(Tick, VirtualTime)]) -> BTreeSet<Tick> {
    let Some(now) = all.iter().map(|(_, age)| *age).max() else { return BTreeSet::new() };
    // The last one of each slot; a slot of the last day is the snapshot itself.
    let mut slots: BTreeMap<(u8, u64), (VirtualTime, Tick)> = BTreeMap::new();
    for &(tick, age) in all {
        let since = now.since(age);
        let slot = if since < DAY {
            (0, tick.0)
        } else if since < Elapsed(DAY.0 * 8) {
            (1, age.day())
        } else {
            (2, age.day() / 7)
        };
        let kept = slots.entry(slot).or_insert((age, tick));
        *kept = (*kept).max((age, tick));
    }
    slots.into_values().map(|(_, tick)| tick).collect()
}

/// Remove the manifests that do not stay, and then the chunks that only they referred to. While there is a manifest that cannot be
/// read, nobody knows which chunks it needs: all of them stay.
pub(crate) fn thin(dir: &Path) -> Result<(), Error> {
    let ReadManifests { all, complete } = manifest::readable(dir)?;
    let keep = keepers(&all.iter().map(|(_, tick, age)| (*tick, *age)).collect::<Vec<_>>());
    let (kept, gone): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, tick, _)| keep.contains(tick));
    for (path, ..) in &gone {
        fs::remove_file(path).map_err(|e| Error::io(path, "remove", &e))?;
    }
    let removed = !gone.is_empty();
    if removed {
        sync_dir(dir)?;
    }
    if removed && complete {
        let mut wanted = chunks::ChunksWanted::default();
        for (path, ..) in kept {
            // What could be read a moment ago: otherwise all stays until the next time.
            let Ok(manifest) = Manifest::read(&path) else { return Ok(()) };
            wanted.add(&manifest.chunks);
        }
        // What was set aside can be asked for.
        for (_, path) in line::aside(dir)? {
            match Manifest::read(&path) {
                Ok(manifest) => wanted.add(&manifest.chunks),
                // Nobody can ask for what it was.
                Err(Error::Damaged { .. }) => {}
                Err(_) => return Ok(()),
            }
        }
        chunks::collect(&chunks::dir(dir), &wanted)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Snapshots every 6 hours for so many days: tick = hours of age.
    fn every_six_hours(days: u64) -> Vec<(Tick, VirtualTime)> {
        (1..=days * 4).map(|n| (Tick(n * 6), VirtualTime(n * 6 * 3_600_000))).collect()
    }

    #[test]
    fn the_table() {
        assert!(keepers(&[]).is_empty());
        assert_eq!(keepers(&every_six_hours(1)).len(), 4, "all of the first day");
        let kept: Vec<u64> = keepers(&every_six_hours(30)).into_iter().map(|t| t.0).collect();
        // The newest is 720 h old: the last day in full, then the last of each of days 22 to 29 that is older, then
        // the last of each week.
        let day: Vec<u64> = kept.iter().copied().filter(|h| *h > 696).collect();
        assert_eq!(day, [702, 708, 714, 720]);
        let week: Vec<u64> = kept.iter().copied().filter(|h| (529..=696).contains(h)).collect();
        assert_eq!(week, [546, 570, 594, 618, 642, 666, 690, 696]);
        let before: Vec<u64> = kept.iter().copied().filter(|h| *h <= 528).collect();
        assert_eq!(before, [162, 330, 498, 528]);
    }

    #[test]
    fn thinning_again_and_again_keeps_the_same_shape() {
        let mut kept: Vec<(Tick, VirtualTime)> = Vec::new();
        for next in every_six_hours(100) {
            kept.push(next);
            let keep = keepers(&kept);
            kept.retain(|(tick, _)| keep.contains(tick));
            assert_eq!(kept.last(), Some(&next), "the newest stays");
        }
        assert!(kept.len() <= 4 + 9 + 15, "{}", kept.len());
        let gaps = kept.windows(2).map(|w| w[1].0.0 - w[0].0.0).max().unwrap();
        assert!(gaps <= 14 * 24, "no gap longer than two weeks: {gaps} h");
    }
}
