//! What the policy may and may not do.

mod kit;
use golem_core::{Elapsed, Usdc};
use golem_mind::{Learning, Permissions, PolicyConfig};
use golem_mortality::Domain;
use kit::{Life, Market, Venue};

#[test]
fn a_few_actions_a_day() {
    for seed in 1..6 {
        let (mut market, mut life, mut venue) = (Market::new(seed), Life::new(), Venue::new(Usdc::whole(30), 5.0));
        let config = PolicyConfig::default();
        let mut kinds = std::collections::BTreeMap::<&str, u32>::new();
        for _ in 0..2_160 * 20 {
            let raw = market.tick();
            let (price, fees) = (raw.price.unwrap(), raw.fee_yield.unwrap());
            life.turn(&raw.admit(), Elapsed::nominal(1), Learning::FULL);
            venue.earn(price, fees);
            let value = venue.value(price);
            for intent in life.mind.decide(life.now, &venue.holdings, &value, &Permissions::ALL, &config) {
                let receipt = venue.act(&intent, price);
                *kinds.entry(intent.name()).or_default() += 1;
                let mut out = Vec::new();
                life.mind.verify(&receipt, Learning::FULL, &mut out);
                life.score.take(&out);
            }
        }
        println!(
            "{kinds:?} f {:.3} {} nav {} cost {:?} {:?}",
            life.score.f(Domain::ActionOutcome),
            life.score.count(Domain::ActionOutcome),
            venue.value(libm::exp(market.price)).nav,
            life.mind.outlook().cost_bps,
            venue.holdings
        );
    }
}
