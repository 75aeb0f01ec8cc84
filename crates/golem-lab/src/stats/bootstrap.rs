//! Drawing paths with replacement: one draw for all lines of a page, and how far |t| of each goes in it.

use golem_core::dice::{Dice, Strand};
use std::collections::BTreeSet;

/// Lines that differ on fewer units than this are not resampled: many drawings would hold none of them.
pub(super) const FEW: usize = 16;

/// The differences of one line, summed over each independent unit of its world. A unit may have nothing of this line.
pub(super) struct UnitSums {
    /// Sum of the differences less the line's mean, by unit.
    centred: Vec<f64>,
    /// How many differences, by unit.
    counts: Vec<f64>,
    pub mean: f64,
    /// Standard error of the mean; where units hold several differences, that of a ratio of sums.
    pub error: f64,
    /// Units that have something to say.
    pub units: usize,
    /// Units whose differences are not all zero.
    pub differing: usize,
    /// Units whose mean difference is not the one that most of them have; all, where most have none in common.
    pub varying: usize,
}

impl UnitSums {
    /// Of differences with their unit's place among all units of the world.
    pub(super) fn of(differences: &[(usize, f64)], places: usize) -> Self {
        let (mut sums, mut counts, mut differs) = (vec![0.0; places], vec![0.0; places], vec![false; places]);
        for (place, difference) in differences {
            sums[*place] += difference;
            counts[*place] += 1.0;
            differs[*place] |= difference.abs() > 0.0;
        }
        let mean = sums.iter().sum::<f64>() / (differences.len().max(1) as f64);
        // What varies is measured from the first difference, so that equal ones leave exactly nothing.
        let constant = differences.iter().all(|(_, d)| d.total_cmp(&differences[0].1).is_eq());
        let mean = if constant { differences.first().map_or(0.0, |(_, d)| *d) } else { mean };
        let centred: Vec<f64> =
            sums.iter().zip(&counts).map(|(sum, n)| if constant { 0.0 } else { sum - mean * n }).collect();
        let units = counts.iter().filter(|n| **n > 0.0).count();
        let squares: f64 = centred.iter().map(|r| r * r).sum();
        let error = match units {
            0 | 1 => f64::INFINITY,
            n => libm::sqrt(squares * n as f64 / (n - 1) as f64) / differences.len() as f64,
        };
        let differing = differs.iter().filter(|d| **d).count();
        let alike = most_alike(sums.iter().zip(&counts).filter(|(_, n)| **n > 0.0).map(|(sum, n)| sum / n));
        // Two equal numbers among many are chance.
        let varying = if alike * 2 > units { units - alike } else { units };
        Self { centred, counts, mean, error, units, differing, varying }
    }

    /// Whether there is enough to draw from. Where nearly all differences are the same one, whatever it is, many drawings
    /// would hold no other, and have no error at all.
    pub(super) fn can_be_drawn(&self) -> bool {
        self.differing >= FEW && self.varying >= FEW && self.error > 0.0 && self.error.is_finite()
    }

    /// Degrees of freedom of a line that is not drawn: it is known by what varies in it.
    pub(super) fn freedom(&self) -> f64 {
        self.varying.min(self.differing).saturating_sub(1) as f64
    }

    /// |t| of a drawing, given how often each unit was drawn.
    fn t(&self, drawn: &[f64]) -> f64 {
        let (mut r, mut n, mut rr, mut rn, mut nn, mut units) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        for ((w, centred), count) in drawn.iter().zip(&self.centred).zip(&self.counts) {
            r += w * centred;
            n += w * count;
            rr += w * centred * centred;
            rn += w * centred * count;
            nn += w * count * count;
            units += if *count > 0.0 { *w } else { 0.0 };
        }
        if units < 2.0 {
            return f64::INFINITY;
        }
        let off = r / n;
        let squares = (rr - 2.0 * off * rn + off * off * nn).max(0.0);
        let error = libm::sqrt(squares * units / (units - 1.0)) / n;
        if error > 0.0 {
            (off / error).abs()
        } else if off.abs() > 0.0 {
            f64::INFINITY
        } else {
            0.0
        }
    }
}

/// How many of these are the same number, at most.
fn most_alike(values: impl Iterator<Item = f64>) -> usize {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    sorted.chunk_by(|a, b| a.total_cmp(b).is_eq()).map(<[f64]>::len).max().unwrap_or(0)
}

/// For each line, how many standard errors to either side, so that all lines hold at once with the chance `level` and each
/// is as likely as any other to be the one that does not (Beran 1988): a line whose differences have long tails is wide by
/// itself and widens no other. Lines whose worlds have as many units are drawn together, so that what they share does not
/// count twice.
pub(super) fn critical(lines: &[&UnitSums], level: f64, resamples: u32, seed: u64) -> Vec<f64> {
    let dice = Dice::open(seed, Strand::Diagnostics);
    let sizes: BTreeSet<usize> = lines.iter().map(|line| line.counts.len()).collect();
    let mut drawn: Vec<Vec<f64>> = lines.iter().map(|_| Vec::with_capacity(resamples as usize)).collect();
    for time in 0..resamples {
        for units in &sizes {
            let weights = drawing(&dice, time, *units);
            let alike = lines.iter().zip(&mut drawn).filter(|(line, _)| line.counts.len() == *units);
            alike.for_each(|(line, all)| all.push(line.t(&weights)));
        }
    }
    // The highest rank that any line reaches in a drawing, among the drawings of that line.
    let mut highest = vec![0; resamples as usize];
    for all in &mut drawn {
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by(|a, b| all[*a].total_cmp(&all[*b]));
        for (rank, time) in order.into_iter().enumerate() {
            highest[time] = highest[time].max(rank);
        }
        all.sort_by(f64::total_cmp);
    }
    highest.sort_unstable();
    let place = (libm::ceil(f64::from(resamples + 1) * level) as usize).saturating_sub(1);
    let rank = highest.get(place).copied();
    drawn.iter().map(|all| rank.and_then(|rank| all.get(rank)).copied().unwrap_or(f64::INFINITY)).collect()
}

/// How often each of so many units is drawn.
fn drawing(dice: &Dice, time: u32, units: usize) -> Vec<f64> {
    let mut drawn = vec![0.0; units];
    // The address holds the number of units: worlds of another size are drawn by themselves.
    let mut draws = dice.draws(u64::from(time) << 32 | units as u64);
    for _ in 0..units {
        drawn[((draws.uniform() * units as f64) as usize).min(units - 1)] += 1.0;
    }
    drawn
}
