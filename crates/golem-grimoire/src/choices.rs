//! What else could have been done: the other choices of a moment, each valued on the path that was lived, at the same
//! horizon and with its costs. Doing nothing is a choice like the others.
//!
//! Liquidity is no choice here: what it earns does not show within an hour.

use serde::{Deserialize, Serialize};

/// The share of wealth that another choice would have moved, where there is so much.
const STEP: f64 = 0.1;
/// What a trade costs, in basis points of what is traded.
const COST_BPS: f64 = 5.0;

/// Something that could have been done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OtherChoice {
    /// Nothing.
    Hold,
    /// More of the asset.
    Buy,
    /// Less of it.
    Sell,
}

/// What there was to choose with, as shares of wealth.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Choices {
    /// What could be sold.
    pub asset: f64,
    /// What could be bought with.
    pub free: f64,
}

/// What a choice would have brought.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Counterfactual {
    /// Which.
    pub choice: OtherChoice,
    /// In basis points of wealth, against doing nothing.
    pub bps: f32,
}

impl Choices {
    /// Every choice that there was but the one that was taken, and what it would have brought with this return.
    pub fn others(&self, taken: Option<OtherChoice>, earned: f64) -> impl Iterator<Item = Counterfactual> {
        let step = |there: f64| if there.is_finite() { there.clamp(0.0, STEP) } else { 0.0 };
        let (buys, sells) = (step(self.free), step(self.asset));
        let all = [
            (OtherChoice::Hold, true, 0.0),
            (OtherChoice::Buy, buys > 0.0, buys * (earned * 1e4 - COST_BPS)),
            (OtherChoice::Sell, sells > 0.0, sells * (-earned * 1e4 - COST_BPS)),
        ];
        all.into_iter()
            .filter(move |(choice, there, bps)| *there && bps.is_finite() && Some(*choice) != taken)
            .map(|(choice, _, bps)| Counterfactual { choice, bps: bps.clamp(-1e4, 1e4) as f32 })
    }
    /// The best of them.
    #[must_use]
    pub fn best(&self, taken: Option<OtherChoice>, earned: f64) -> Option<Counterfactual> {
        self.others(taken, earned).reduce(|a, b| if b.bps > a.bps { b } else { a })
    }
    /// What they would have brought in the mean.
    #[must_use]
    pub fn mean(&self, taken: Option<OtherChoice>, earned: f64) -> Option<f64> {
        let (n, sum) = self.others(taken, earned).fold((0u32, 0.0), |(n, sum), c| (n + 1, sum + f64::from(c.bps)));
        (n > 0).then(|| sum / f64::from(n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holding_is_held_against_what_there_was_to_do() {
        let both = Choices { asset: 0.5, free: 0.5 };
        // Up two percent: buying a tenth would have brought 19.5 basis points of wealth.
        let best = both.best(Some(OtherChoice::Hold), 0.02).unwrap();
        assert_eq!((best.choice, (best.bps * 10.0).round()), (OtherChoice::Buy, 195.0));
        assert_eq!(both.best(Some(OtherChoice::Hold), -0.02).unwrap().choice, OtherChoice::Sell);
        // Whatever happens, trading costs on average.
        assert!((both.mean(Some(OtherChoice::Hold), 0.03).unwrap() + 0.5).abs() < 1e-6);
        // Who has nothing cannot sell, and who has bought could have held.
        let empty = Choices { asset: 0.0, free: 1.0 };
        assert!(empty.best(Some(OtherChoice::Hold), -0.05).unwrap().bps < 0.0);
        assert_eq!(empty.best(Some(OtherChoice::Buy), -0.05).unwrap().choice, OtherChoice::Hold);
        assert_eq!(both.others(None, 0.01).count(), 3);
    }
}
