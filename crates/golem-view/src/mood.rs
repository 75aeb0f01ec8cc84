//! A mood as a colour, and what shows through of a dead golem's where somebody living carries what it paid for.

use golem_daimon::affect::Pad;

/// How much of a dead golem's last mood shows through the mood of whoever carries its entry.
pub const UNDER: f64 = 0.3;

/// A mood as a colour: pleasure greens it and pain reddens it, arousal makes it hot and dominance cool.
#[must_use]
pub fn mood_rgb(mood: Pad) -> [u8; 3] {
    let (p, a, d) = (mood.pleasure(), mood.arousal(), mood.dominance());
    let part = |x: f64| x.clamp(0.0, 255.0) as u8;
    [
        part(140.0 + 70.0 * (-p).max(0.0) + 40.0 * a),
        part(140.0 + 70.0 * p.max(0.0) + 20.0 * a),
        part(140.0 + 50.0 * d - 30.0 * a),
    ]
}

/// The dead one's colour at 30 % under the living one's.
#[must_use]
pub fn under(living: [u8; 3], dead: [u8; 3]) -> [u8; 3] {
    let mix = |n: usize| (f64::from(living[n]) * (1.0 - UNDER) + f64::from(dead[n]) * UNDER).round() as u8;
    [mix(0), mix(1), mix(2)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dead_show_through_at_thirty_per_cent() {
        assert_eq!(under([0, 100, 200], [100, 100, 0]), [30, 100, 140]);
        let (calm, afraid) = (Pad::new(0.5, -0.2, 0.3), Pad::new(-0.8, 0.9, -0.7));
        let mixed = under(mood_rgb(calm), mood_rgb(afraid));
        for (n, part) in mixed.iter().enumerate() {
            let (low, high) = (mood_rgb(calm)[n].min(mood_rgb(afraid)[n]), mood_rgb(calm)[n].max(mood_rgb(afraid)[n]));
            assert!((low..=high).contains(part));
        }
        assert!(mood_rgb(afraid)[0] > mood_rgb(calm)[0], "pain is redder");
    }
}
