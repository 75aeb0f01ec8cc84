//! Fewer points that look the same: of every stretch the lowest and the highest stay, so that no fall and no peak is lost.

use super::lines::PlotPoint;

/// At most about so many points. What is not a number leaves a hole, and stays one.
#[must_use]
pub fn thinned(points: Vec<PlotPoint>, most: usize) -> Vec<PlotPoint> {
    let stretch = points.len().div_ceil((most / 2).max(1));
    if points.len() <= most.max(2) || stretch < 3 {
        return points;
    }
    let (first, last) = (points.first().copied(), points.last().copied());
    let mut kept: Vec<PlotPoint> = first.into_iter().collect();
    for part in points.chunks(stretch) {
        if let Some(hole) = part.iter().find(|p| !(p.x.is_finite() && p.y.is_finite())) {
            kept.push(*hole);
        }
        let known = || part.iter().enumerate().filter(|(_, p)| p.x.is_finite() && p.y.is_finite());
        let low = known().min_by(|a, b| a.1.y.total_cmp(&b.1.y));
        let high = known().max_by(|a, b| a.1.y.total_cmp(&b.1.y));
        let mut ends: Vec<(usize, &PlotPoint)> = low.into_iter().chain(high).collect();
        ends.sort_by_key(|(n, _)| *n);
        ends.dedup_by_key(|(n, _)| *n);
        kept.extend(ends.into_iter().map(|(_, point)| *point));
    }
    kept.extend(last);
    kept
}
