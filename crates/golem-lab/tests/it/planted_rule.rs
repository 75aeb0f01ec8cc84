//! The synthetic market with a planted rule: all else is as without it, and the causal graph finds the rule.

use golem_core::dice::{Dice, Strand};
use golem_core::door::World;
use golem_core::observed::{Field, Snapshot};
use golem_core::{Elapsed, RawObservation, Tick, VirtualTime};
use golem_grimoire::causal::{EdgeId, Graph};
use golem_grimoire::series::{Mining, Series, mine};
use golem_lab::world::{Planted, Synthetic, SyntheticConfig};

const RULE: Planted = Planted { after_ticks: 23, for_ticks: 40, times: 3.0, until_tick: None };

fn world(planted: Option<Planted>, seed: u64) -> Synthetic {
    let config = SyntheticConfig { gas_spikes_per_day: 15.0, planted, ..SyntheticConfig::default() };
    Synthetic::new(config, seed).expect("sound")
}

fn age(tick: u64) -> VirtualTime {
    VirtualTime(Elapsed::nominal(tick).0)
}

fn see(world: &mut Synthetic, tick: u64) -> RawObservation {
    world.observe(age(tick)).expect("it never ends")
}

#[test]
fn a_planted_rule_changes_the_fee_yield_and_nothing_else() {
    let (mut plain, mut ruled) = (world(None, 3), world(Some(RULE), 3));
    let mut raised = 0;
    for tick in 0..5_000 {
        let (without, with) = (see(&mut plain, tick), see(&mut ruled, tick));
        let factor = with.fee_yield.expect("there") / without.fee_yield.expect("there");
        assert!((factor - 1.0).abs() < 1e-12 || (factor - 3.0).abs() < 1e-12, "{factor} at {tick}");
        raised += u32::from(factor > 2.0);
        assert_eq!(RawObservation { fee_yield: None, ..with }, RawObservation { fee_yield: None, ..without });
        if tick == 2_500 {
            let saved = ruled.save();
            ruled = world(Some(RULE), 3);
            ruled.restore(&saved).expect("its own");
            assert!(plain.restore(&saved).is_err(), "another world");
        }
    }
    assert!((500..3_000).contains(&raised), "{raised}");
    let bad = SyntheticConfig { planted: Some(Planted { times: f64::NAN, ..RULE }), ..SyntheticConfig::default() };
    assert_eq!(Synthetic::new(bad, 1).err().map(|p| p[0].0), Some("planted.times"));
}

/// The fields that a life would fill, as far as the graph and mining look at them.
struct Watcher {
    usual: [f64; 3],
    variance: f64,
    prices: Vec<f64>,
    series: Series,
    graph: Graph,
    /// Looks at which mining claimed that high gas is followed by a high fee yield.
    claimed: u32,
}

impl Watcher {
    fn new() -> Self {
        Self {
            usual: [0.0; 3],
            variance: 1e-6,
            prices: Vec::new(),
            series: Series::new(),
            graph: Graph::new(),
            claimed: 0,
        }
    }
    fn watch(&mut self, tick: u64, seen: &RawObservation, dice: &Dice) {
        let mut snapshot = Snapshot::new();
        let mut put = |field, x: f64| snapshot.set_number(field, x).map(|_| ()).expect("a number");
        let logs = [seen.gas_gwei, seen.fee_yield, seen.volume].map(|x| x.expect("there").ln());
        let plain = [Field::MarketGasGwei, Field::MarketFeeYield, Field::MarketVolume];
        let ratios = [Field::MarketGasRatio, Field::MarketFeeYieldRatio, Field::MarketVolumeRatio];
        for i in 0..3 {
            put(plain[i], logs[i].exp());
            self.usual[i] = if tick == 0 { logs[i] } else { self.usual[i] + (logs[i] - self.usual[i]) / 2_000.0 };
            put(ratios[i], (logs[i] - self.usual[i]).exp());
        }
        let price = seen.price.expect("there");
        let change = self.prices.last().map_or(0.0, |last| (price / last).ln());
        self.variance += (change * change - self.variance) / 60.0;
        put(Field::MarketPrice, price);
        put(Field::MarketVolatility, self.variance.sqrt());
        self.prices.push(price);
        if let Some(protocol) = seen.protocol {
            snapshot.set(Field::MarketProtocol, protocol).expect("a word");
        }
        self.series.push(age(tick), &snapshot);
        self.graph.observe(age(tick), &snapshot);
        if tick % 250 == 249 {
            self.graph.learn(&self.series, age(tick), dice, Tick(tick));
            let claims = mine(&self.series, &Mining::default(), dice, Tick(tick));
            self.claimed += u32::from(claims.iter().any(|m| {
                m.claim.when.starts_with("market.gas_ratio >") && m.claim.then.starts_with("market.fee_yield_ratio >")
            }));
        }
    }
}

fn watched(planted: Option<Planted>, seed: u64, ticks: u64) -> Watcher {
    let (mut world, mut watcher) = (world(planted, seed), Watcher::new());
    let dice = Dice::open(seed, Strand::Diagnostics);
    for tick in 0..ticks {
        watcher.watch(tick, &see(&mut world, tick), &dice);
    }
    watcher
}

#[test]
fn the_graph_finds_the_planted_rule_with_its_lag_and_does_not_imagine_it() {
    let id = EdgeId::new(Field::MarketGasGwei, Field::MarketFeeYield, 23);
    let (mut found, mut mined) = (0, 0);
    for seed in 0..30 {
        let watcher = watched(Some(RULE), seed, 5_000);
        found += usize::from(watcher.graph.edge(&id).is_some_and(|e| e.holds() && e.weight > 0.0));
        mined += usize::from(watcher.claimed > 0);
    }
    assert!(found >= 27, "{found} of 30");
    assert!(mined >= 27, "{mined} of 30 claimed");
    // Mining is not asked here: gas and fees share the crowd and the hour in this world, so it may claim, and rightly.
    let imagined: usize = (100..130)
        .map(|seed| watched(None, seed, 4_000).graph)
        .map(|graph| graph.edges().filter(|e| e.from == Field::MarketGasGwei && e.to == Field::MarketFeeYield).count())
        .sum();
    assert!(imagined <= 1, "{imagined} in 30");
}

#[test]
fn a_rule_that_stops_is_given_up() {
    let id = EdgeId::new(Field::MarketGasGwei, Field::MarketFeeYield, 23);
    let mut given_up = 0;
    for seed in 0..6 {
        let watcher = watched(Some(Planted { until_tick: Some(5_000), ..RULE }), seed, 11_000);
        let edge = watcher.graph.edge(&id).expect("found while it held");
        given_up += usize::from(edge.invalidated.is_some_and(|at| at > age(5_000)));
    }
    assert!(given_up >= 5, "{given_up} of 6");
}
