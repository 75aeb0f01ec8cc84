//! How much of what there is to gain an arm has reached: beside its worth stands what whoever knows the truth of a world gains on
//! the same paths.

use crate::fail::Fail;
use golem_core::NOMINAL_TICK_S;
use golem_lab::compare::{ComparePlan, cores, on_threads};
use golem_lab::stats::{ComparisonLine, mean_and_error};
use golem_lab::world::oracle::{OracleError, oracle};

/// Paths on which an oracle lives at most: it tells a bound, and costs two lives without a mind for each.
const MOST_PATHS: u64 = 24;
/// What an oracle could bring is told of this outcome.
const WORTH: &str = "worth_vs_nothing";

/// What knowing the truth is worth in a world.
#[derive(Debug, Clone, PartialEq)]
pub struct KnowingGain {
    pub world: String,
    pub paths: usize,
    /// Mean and half of its interval, as shares of what was begun with.
    pub mean: f64,
    pub half: f64,
}

/// What there is to gain in each world that has a law, where worth was judged.
pub fn gains(plan: &ComparePlan, lines: &[ComparisonLine]) -> Result<Vec<KnowingGain>, Fail> {
    if !lines.iter().any(|line| line.outcome.as_str() == WORTH) {
        return Ok(Vec::new());
    }
    let ticks = plan.days * 86_400 / NOMINAL_TICK_S;
    let mut all = Vec::new();
    for world in &plan.worlds {
        let seeds: Vec<u64> = (0..plan.paths().min(MOST_PATHS)).map(|path| plan.first_seed + path).collect();
        let each = on_threads(cores(), &seeds, |seed| Ok(gain(world, *seed, ticks))).map_err(super::refused)?;
        let Some(each) = each.into_iter().collect::<Result<Option<Vec<f64>>, Fail>>()? else { continue };
        let (mean, error) = mean_and_error(&each);
        all.push(KnowingGain { world: world.clone(), paths: each.len(), mean, half: 1.96 * error });
    }
    Ok(all)
}

/// What the oracle gains on one path; none where there is no law to know.
fn gain(world: &str, seed: u64, ticks: u64) -> Result<Option<f64>, Fail> {
    let lived = |knows: bool| oracle(world, seed, ticks, knows);
    match lived(true).and_then(|with| Ok((with, lived(false)?))) {
        Ok((with, without)) => Ok(Some(with.growth / without.growth - 1.0)),
        Err(OracleError::Lawless(_) | OracleError::Place(_)) => Ok(None),
        Err(OracleError::Venue(e)) => Err(Fail::world(e.to_string())),
    }
}

/// A row for each arm in each of these worlds: what there is to gain, what the arm adds, and the share that this is, where an
/// oracle has shown a gain at all.
pub fn rows(gains: &[KnowingGain], lines: &[ComparisonLine], told: &dyn Fn(f64) -> String) -> Vec<Vec<String>> {
    let worth = lines.iter().filter(|line| line.outcome.as_str() == WORTH && line.pairs > 0);
    let with_gain = worth.filter_map(|line| Some((line, gains.iter().find(|gain| gain.world == line.world)?)));
    let row = |(line, gain): (&ComparisonLine, &KnowingGain)| {
        let to_gain = format!("{} [{}, {}]", told(gain.mean), told(gain.mean - gain.half), told(gain.mean + gain.half));
        let shown = gain.mean > gain.half;
        let share = if shown { format!("{:.0} %", 100.0 * line.mean / gain.mean) } else { "none was shown".to_owned() };
        vec![
            line.world.clone(),
            format!("{}, {}", line.template, line.arm),
            to_gain,
            gain.paths.to_string(),
            told(line.mean),
            share,
        ]
    };
    with_gain.map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_oracle_is_asked_where_there_is_a_law_and_nowhere_else() {
        assert!(gain("contagion", 3, 2_160).expect("it is lived").is_some_and(|gain| gain.abs() < 0.2));
        for lawless in ["default", "flat", "flat+crash", "csv:/nowhere.csv"] {
            assert_eq!(gain(lawless, 3, 90).expect("nothing to live"), None, "{lawless}");
        }
        let none = gain("contagion@0", 3, 2_160).expect("it is lived").expect("it has a law, of no strength");
        assert!(none.abs() < 1e-2, "nothing can be gained by a law that does nothing: {none}");
    }
}
