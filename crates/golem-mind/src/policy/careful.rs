//! Of two outlooks the one by which less is put at risk. The numbers of an outlook do not tell which of two that is: a higher
//! volatility makes a target smaller, and also widens a stop and softens a forecast of a fall; dearer gas keeps things from
//! being bought, and also from being sold, and a purchase that must be worth its gas becomes a larger one.

use super::{Permissions, Policy, PolicyConfig, Valuation};
use crate::math::ratio;
use crate::outlook::Outlook;
use golem_core::intent::Holdings;
use golem_core::{Intent, VirtualTime};

impl Policy {
    /// The first of two outlooks, unless what would be wanted by the other one puts less at risk.
    pub(crate) fn more_careful<'a>(
        &self,
        (first, other): (&'a Outlook, &'a Outlook),
        of: (&Holdings, &Valuation),
        may: &Permissions,
        config: &PolicyConfig,
        now: VirtualTime,
    ) -> &'a Outlook {
        let wanted = |outlook: &Outlook| {
            let mut policy = *self;
            at_risk(&policy.decide_with_reasons(outlook, of, may, config, now).0, outlook, of.1)
        };
        if wanted(other) < wanted(first) { other } else { first }
    }
}

/// What these wishes put at risk, as a share of wealth: what goes into the asset and into the pool, less what comes back. Of a
/// position half is taken to be the asset.
fn at_risk(wishes: &[Intent], outlook: &Outlook, value: &Valuation) -> f64 {
    let price = outlook.price.unwrap_or(0.0);
    let put = |wish: &Intent| match *wish {
        Intent::Buy { pay, .. } | Intent::Add { pay, .. } => pay.0 as f64,
        Intent::Sell { give, .. } => -give.as_f64() * price * 1e6,
        Intent::Remove { share_bps, .. } => -0.5 * value.liquidity.share_bps(share_bps).0 as f64,
        Intent::Hold | Intent::Collect | Intent::Rebalance { .. } | Intent::Home { .. } | Intent::Unwrap { .. } => 0.0,
    };
    ratio(wishes.iter().map(put).sum(), value.nav.0 as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Template;
    use crate::senses::PriceTrend;
    use golem_core::Usdc;
    use golem_core::intent::Asset;
    use proptest::prelude::*;

    const NOW: VirtualTime = VirtualTime(0);

    /// A price that has broken out, hourly deviations of 0.7 %, gas of 0.02 gwei and a fall to come.
    fn breaks_out() -> Outlook {
        let at = libm::log(2_000.0);
        Outlook {
            price: Some(2_000.0),
            mean_return: Some(-0.0012),
            log_vol: Some(libm::log(0.007)),
            usual_log_vol: Some(libm::log(0.007)),
            log_yield: Some(libm::log(0.001)),
            log_gas: Some(libm::log(0.02)),
            trend: Some(PriceTrend { fast: at - 0.01, slow: at - 0.05, high: at - 0.005, low: at - 0.1 }),
            ..Outlook::default()
        }
    }

    fn wanted(outlook: &Outlook, config: &PolicyConfig) -> f64 {
        let (holdings, value) = rich();
        let wishes = Policy::default().decide(outlook, &holdings, &value, &Permissions::ALL, config, NOW);
        at_risk(&wishes, outlook, &value)
    }

    fn rich() -> (Holdings, Valuation) {
        let nav = Usdc::whole(1_000);
        (Holdings { capital: nav, ..Holdings::default() }, Valuation { nav, ..Valuation::default() })
    }

    #[test]
    fn numbers_that_say_less_risk_do_not_put_more_at_risk() {
        let usual = breaks_out();
        for (what, template, first) in [
            (
                "dearer gas makes the least purchase larger",
                Template::EthDca,
                Outlook { log_gas: Some(libm::log(0.04)), ..usual },
            ),
            (
                "wider moves soften the fall that is expected",
                Template::TrendFollowing,
                Outlook { log_vol: Some(libm::log(0.014)), ..usual },
            ),
        ] {
            let config = PolicyConfig { template, ..PolicyConfig::default() };
            assert_eq!(first.smaller_risk(&usual), first, "{what}: by its numbers it is the smaller risk");
            assert!(wanted(&first, &config) > wanted(&usual, &config) + 1e-4, "{what}");
            let (holdings, value) = rich();
            for (pair, chosen) in [((&first, &usual), &usual), ((&usual, &first), &usual), ((&first, &first), &first)] {
                let of = (&holdings, &value);
                let careful = Policy::default().more_careful(pair, of, &Permissions::ALL, &config, NOW);
                assert_eq!(careful, chosen, "{what}");
            }
        }
    }

    proptest! {
        #[test]
        fn of_two_outlooks_none_puts_less_at_risk_than_the_careful_one(
            (template, held) in (0..Template::ALL.len(), 0.0..0.3_f64),
            one in prop::array::uniform4(-1.0..1.0_f64), two in prop::array::uniform4(-1.0..1.0_f64),
        ) {
            let config = PolicyConfig { template: Template::ALL[template], ..PolicyConfig::default() };
            let of = |[mean, vol, fees, gas]: [f64; 4]| {
                let usual = breaks_out();
                let by = |level: Option<f64>, by: f64| level.map(|level| level + by);
                usual.expecting([
                    Some(0.003 * mean), by(usual.log_vol, vol), by(usual.log_yield, fees), by(usual.log_gas, 2.0 * gas),
                ])
            };
            let (one, two) = (of(one), of(two));
            let (mut holdings, value) = rich();
            holdings.asset = Asset::of_whole(held / 2.0);
            let policy = Policy::default();
            let risk = |outlook: &Outlook| {
                let wishes = Policy::default().decide(outlook, &holdings, &value, &Permissions::ALL, &config, NOW);
                at_risk(&wishes, outlook, &value)
            };
            let careful = policy.more_careful((&one, &two), (&holdings, &value), &Permissions::ALL, &config, NOW);
            prop_assert!(risk(careful) <= risk(&one) && risk(careful) <= risk(&two));
        }
    }
}
