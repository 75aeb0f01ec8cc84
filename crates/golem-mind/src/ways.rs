//! The other ways to act, tried on paper beside the usual one on the same path: after some days the one that would have
//! earned most, costs included, is taken. Each of them takes less risk than the usual way, or as much.

use crate::mind::Mind;
use crate::paper::{Paper, PaperOutcome, Sheet};
use crate::policy::{Guidance, Permissions, PolicyConfig, Template, Valuation};
use golem_core::intent::Holdings;
use golem_core::{Elapsed, VirtualTime};
use serde::{Deserialize, Serialize};

/// How long they are tried.
const TRIAL: Elapsed = Elapsed::secs(2 * 86_400);

/// A way to act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OtherWay {
    /// As ever.
    #[default]
    Usual,
    /// Half as large.
    Smaller,
    /// Only for twice as good a reason.
    Slower,
    /// Nothing is opened.
    Aside,
    /// Nothing is opened, and what is held is given back piece by piece.
    Out,
}

impl OtherWay {
    /// Those that are tried on paper; standing aside earns nothing and costs nothing.
    const TRIED: [Self; 4] = [Self::Usual, Self::Smaller, Self::Slower, Self::Out];

    /// The guidance with this way on top: never more risk than without.
    #[must_use]
    pub fn on(self, by: &Guidance, template: Template) -> Guidance {
        let mut by = by.clone();
        match self {
            Self::Usual => {}
            Self::Smaller => by.risk *= 0.5,
            Self::Slower => {
                let key = match template {
                    Template::LpManagement => "lp_management.band",
                    Template::TrendFollowing => "trend_following.band",
                    Template::EthDca => "eth_dca.every_ticks",
                    Template::StableYield => "stable_yield.enter_yield",
                };
                by.scale.insert(key.to_owned(), 2.0);
            }
            Self::Aside | Self::Out => by.stand_aside = true,
        }
        by
    }

    /// What may be done this way: never more than without.
    #[must_use]
    pub fn narrow(self, may: &Permissions) -> Permissions {
        match self {
            Self::Out => Permissions { may_open: false, unwind: true, ..*may },
            _ => *may,
        }
    }
}

/// A trial under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WaysTrial {
    begun: VirtualTime,
    papers: Vec<Paper>,
    /// What each would have earned, in basis points of wealth.
    earned: Vec<f64>,
}

impl WaysTrial {
    /// Begin one.
    #[must_use]
    pub fn new(now: VirtualTime) -> Self {
        let n = OtherWay::TRIED.len();
        Self { begun: now, papers: vec![Paper::default(); n], earned: vec![0.0; n] }
    }

    /// One turn of it: each way decides on paper, and what is due is marked to market. The best way once it is over.
    pub fn turn(
        &mut self,
        mind: &Mind,
        of: (&Holdings, &Valuation),
        would: &Permissions,
        config: &PolicyConfig,
        now: VirtualTime,
    ) -> Option<OtherWay> {
        for ((way, paper), earned) in OtherWay::TRIED.into_iter().zip(&mut self.papers).zip(&mut self.earned) {
            let by = way.on(&Guidance::default(), config.template);
            let (may, tuned) = (way.narrow(&by.narrow(would)), by.tuned(config));
            let outlook = mind.outlook_for(&tuned);
            let sheet = Sheet { outlook: &outlook, holdings: of.0, value: of.1, may: &may, config: &tuned, rules: &[] };
            paper.decide(&sheet, mind.senses(), now);
            let mut came: Vec<PaperOutcome> = Vec::new();
            paper.settle(mind.senses(), &mut came);
            *earned += came.iter().map(|o| o.outcome_bps).sum::<f64>();
        }
        (now.since(self.begun) >= TRIAL).then(|| self.best())
    }

    /// The one that earned most; of equals the first, and standing aside where all lost.
    #[must_use]
    pub fn best(&self) -> OtherWay {
        let mut best = (OtherWay::Aside, 0.0);
        for (way, earned) in OtherWay::TRIED.into_iter().zip(&self.earned).rev() {
            if *earned >= best.1 {
                best = (way, *earned);
            }
        }
        best.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_on_paper_is_taken_and_none_takes_more_risk() {
        for (earned, best) in [
            ([5.0, 2.0, 1.0, 4.0], OtherWay::Usual),
            ([-5.0, 2.0, 1.0, 1.5], OtherWay::Smaller),
            ([-5.0, -2.0, 1.0, 0.5], OtherWay::Slower),
            ([-5.0, -2.0, 1.0, 3.0], OtherWay::Out),
            ([-5.0, -2.0, -1.0, -3.0], OtherWay::Aside),
            ([0.0, 0.0, 0.0, 0.0], OtherWay::Usual),
        ] {
            let trial = WaysTrial { earned: earned.to_vec(), ..WaysTrial::new(VirtualTime(0)) };
            assert_eq!(trial.best(), best, "{earned:?}");
        }
        for way in [OtherWay::Usual, OtherWay::Smaller, OtherWay::Slower, OtherWay::Aside, OtherWay::Out] {
            for template in Template::ALL {
                let may = way.narrow(&way.on(&Guidance::default(), template).narrow(&Permissions::ALL));
                let closes = matches!(way, OtherWay::Aside | OtherWay::Out);
                assert!(may.risk <= 1.0 && may.may_open != closes, "{way:?}");
                assert_eq!(may.unwind, way == OtherWay::Out, "{way:?}");
            }
        }
    }
}
