//! Changing a parameter of a living golem: within its range, and no further than its evidence reaches.

use super::config::PolicyConfig;
use golem_core::Problem;

/// How far one change goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stride {
    /// By a tenth of what it is at most; a count by at least one.
    Tenth,
    /// To the value itself: for what was tried with that very value.
    Whole,
}

/// Why a parameter was not tuned.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TuneError {
    /// The template has no such parameter.
    #[error("{key:?} is no parameter of {template}: it has {known}")]
    Unknown {
        /// The key.
        key: String,
        /// The template.
        template: &'static str,
        /// What it has.
        known: String,
    },
    /// Outside its range, or no number.
    #[error("{key}: {value} is out of range; it must lie between {low} and {high}")]
    Outside {
        /// The key.
        key: &'static str,
        /// What was asked for.
        value: f64,
        /// The lowest allowed.
        low: f64,
        /// The highest allowed.
        high: f64,
    },
    /// It is 0, which switches it off.
    #[error("{key} is 0, which only its owner changes")]
    Off {
        /// The key.
        key: &'static str,
    },
    /// It would contradict another setting.
    #[error("{0}")]
    Clash(Problem),
}

/// Move a parameter of the template in use towards a value, as far as a stride goes. Returns what it is now; on refusal
/// nothing has changed.
///
/// # Errors
/// When there is no such parameter, the value is outside its range, or it would contradict another setting.
pub fn tune(config: &mut PolicyConfig, key: &str, value: f64, stride: Stride) -> Result<f64, TuneError> {
    let parameters = config.template.parameters();
    let Some(p) = parameters.iter().find(|p| p.key == key) else {
        let known = parameters.iter().map(|p| p.key).collect::<Vec<_>>().join(", ");
        return Err(TuneError::Unknown {
            key: key.chars().take(60).collect(),
            template: config.template.name(),
            known,
        });
    };
    if !p.admits(value) {
        return Err(TuneError::Outside { key: p.key, value, low: p.low, high: p.high });
    }
    let now = p.get(config);
    if now <= 0.0 {
        return Err(TuneError::Off { key: p.key });
    }
    let step = match stride {
        Stride::Tenth if p.whole => libm::floor(now / 10.0).max(1.0),
        Stride::Tenth => now / 10.0,
        Stride::Whole => f64::INFINITY,
    };
    let mut changed = config.clone();
    p.put(&mut changed, value.max(now - step).min(now + step));
    if let Some(problem) = changed.problems().into_iter().next() {
        return Err(TuneError::Clash(problem));
    }
    *config = changed;
    Ok(p.get(config))
}
