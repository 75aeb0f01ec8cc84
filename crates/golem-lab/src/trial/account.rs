//! The account of a line over its whole path: what its forecasts lost, whoever made them. Nothing is forgiven by a death.

use golem_grimoire::experts::DOMAINS;
use golem_mind::forecast::Forecasters;

/// LineLosses of the line and of the naive rule, by domain.
type LineLosses = [[f64; 2]; DOMAINS.len()];

/// Below this a domain has nothing to lose in this world: what never moves is forecast by anybody.
const NOTHING: f64 = 1e-9;

/// The losses of a line so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LineAccount {
    /// Hours within recovery: from, until.
    recovering: Vec<(u64, u64)>,
    /// What the present mind had lost when it was last looked at.
    looked: LineLosses,
    all: LineLosses,
    after_shifts: LineLosses,
}

impl LineAccount {
    /// A line on a path with these shifts.
    #[must_use]
    pub fn new(shifts: &[u64], recovery_hours: u64) -> Self {
        let recovering = shifts.iter().map(|from| (*from, from + recovery_hours)).collect();
        Self { recovering, ..Self::default() }
    }

    /// A turn is over at this hour of the path.
    pub fn turn(&mut self, mind: &Forecasters, hour: u64) {
        let recovers = self.recovering.iter().any(|(from, until)| (*from..*until).contains(&hour));
        for (n, domain) in DOMAINS.iter().enumerate() {
            let losses = mind.tally(*domain).losses();
            for (of, loss) in losses.iter().enumerate() {
                let new = loss - self.looked[n][of];
                self.all[n][of] += new;
                if recovers {
                    self.after_shifts[n][of] += new;
                }
            }
            self.looked[n] = losses;
        }
    }

    /// Another mind goes on, which has lost nothing yet. What the one before lost stays.
    pub fn another_mind(&mut self) {
        self.looked = LineLosses::default();
    }

    /// Loss in losses of the naive rule, mean over the domains that have anything to lose.
    #[must_use]
    pub fn forecast_loss(&self) -> Option<f64> {
        relative(&self.all)
    }

    /// The same after shifts.
    #[must_use]
    pub fn recovery_loss(&self) -> Option<f64> {
        relative(&self.after_shifts)
    }
}

fn relative(losses: &LineLosses) -> Option<f64> {
    let some: Vec<f64> =
        losses.iter().filter(|[_, naive]| *naive > NOTHING).map(|[loss, naive]| loss / naive).collect();
    (!some.is_empty()).then(|| some.iter().sum::<f64>() / some.len() as f64)
}
