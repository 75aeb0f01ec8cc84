//! A pool that no reference bears out, neither where it is looked at nor where it is dealt with: the living open nothing,
//! and the dying are out of everything in tenths, within their turns.

use crate::dying::{holding, settings, settled, told};
use crate::life_kit::{Turn, Watched};
use golem_cage::{CageFact, Permit};
use golem_core::door::Hands;
use golem_core::intent::{Holdings, Outcome};
use golem_core::reference::BLIND_PARTS;
use golem_core::{Asset, Intent, Preview, Receipt, Tick};
use golem_grimoire::testament::{LeftOpen, OpenHolding};
use golem_lab::pushing::busy_settings;
use golem_life::drive::InMemory;
use golem_life::{Ask, Being, Fact, LifeFact, LifeStanding, Settings};
use golem_mind::policy::Template;
use golem_venue::floor::FloorHands;

/// Hands whose previews have no reference.
struct Unreferenced<'a>(&'a mut FloorHands);

impl Hands<Permit> for Unreferenced<'_> {
    fn is_external(&self) -> bool {
        Hands::<Permit>::is_external(self.0)
    }
    fn redo(&mut self, preview: &Preview, receipt: &Receipt, holdings: &Holdings) -> Result<(), String> {
        Hands::<Permit>::redo(self.0, preview, receipt, holdings)
    }
    fn preview(&mut self, wishes: &[Intent], holdings: &Holdings) -> Vec<Preview> {
        let previews = Hands::<Permit>::preview(self.0, wishes, holdings);
        previews.into_iter().map(|preview| Preview { reference: None, ..preview }).collect()
    }
    fn act(&mut self, now: Tick, preview: &Preview, permit: Permit) -> Receipt {
        self.0.act(now, preview, permit)
    }
}

/// A turn without a reference.
fn unreferenced(golem: &mut Watched) -> Turn {
    let mut input = golem.input();
    input.seen.reference = None;
    let Watched { life, hands, models, .. } = golem;
    let (_, end) = InMemory { being: life, hands: &mut Unreferenced(hands), models: models.as_mut() }.turn(input);
    let facts = std::mem::take(golem.life.facts());
    Turn { facts, changes: golem.life.changes(), end }
}

/// What left in each act, in their order: of the asset, and of the liquidity.
fn parts(turns: &[Turn]) -> (Vec<u128>, Vec<u128>) {
    let (mut asset, mut liquidity) = (Vec::new(), Vec::new());
    for fact in told(turns) {
        let LifeFact::Outcome { verification, .. } = fact else { continue };
        match verification.tx_receipt.outcome {
            Outcome::Sold { gave, .. } => asset.push(gave.0),
            Outcome::Removed { liquidity: out, .. } => liquidity.push(out),
            _ => {}
        }
    }
    (asset, liquidity)
}

/// Its settlement takes so many turns at most: a death that was foreseen has thirty, chance twelve.
fn ended(template: Template, turns: u32, open: fn(&Watched) -> bool) -> (Watched, Vec<Turn>, Holdings) {
    let mut settings: Settings = settings(template);
    settings.mortality.dying.settlement_turns = turns;
    let mut golem = holding(&settings, open);
    golem.asked(vec![Ask::Kill { reason: "enough".into() }]);
    let (held, mut turns) = (golem.life.holdings(), Vec::new());
    while golem.life.standing() != LifeStanding::Dead {
        turns.push(unreferenced(&mut golem));
        assert!(turns.len() < 100, "it never ends");
    }
    (golem, turns, held)
}

#[test]
fn the_dying_are_out_of_an_asset_in_tenths_also_by_chances_twelve_turns() {
    for most_turns in [30, 12] {
        let (golem, turns, held) = ended(Template::EthDca, most_turns, |g| g.life.holdings().asset > Asset::ZERO);
        let report = settled(&turns);
        assert_eq!((golem.life.holdings().asset, &report.failed[..]), (Asset::ZERO, &[][..]), "{report:?}");
        assert!(report.actions.len() >= 10 && report.turns <= most_turns, "{report:?}");
        let (asset, _) = parts(&turns);
        let tenth = held.asset.0.div_ceil(BLIND_PARTS);
        assert!(asset.iter().all(|part| *part <= tenth), "{asset:?} of {}", held.asset.0);
        assert_eq!(asset.iter().sum::<u128>(), held.asset.0);
        // What it lost by that is fees and what the market did meanwhile.
        let worth = golem.life.status().worth().as_f64();
        assert!(worth > 0.9 * golem.life.ledger().funded.as_f64(), "{worth}");
    }
}

#[test]
fn the_dying_are_out_of_a_position_in_tenths() {
    let in_the_pool = |g: &Watched| g.life.holdings().liquidity > 0 && g.life.holdings().asset > Asset::ZERO;
    for most_turns in [30, 12] {
        let (golem, turns, held) = ended(Template::LpManagement, most_turns, in_the_pool);
        let (report, (asset, liquidity)) = (settled(&turns), parts(&turns));
        let tenth = held.liquidity.div_ceil(BLIND_PARTS);
        assert!(liquidity.iter().all(|part| *part <= tenth), "{liquidity:?} of {}", held.liquidity);
        assert!((10..=11).contains(&liquidity.len()) && asset.len() >= 10, "{report:?}");
        assert_eq!(golem.life.holdings().asset, Asset::ZERO, "{report:?}");
        assert!(report.turns <= most_turns && report.gas <= report.gas_limit, "{report:?}");
        // A share is asked for in basis points, rounded down: what is left of ten tenths may be less than its own gas.
        let dust = held.liquidity - liquidity.iter().sum::<u128>();
        assert!(dust <= held.liquidity / 1_000, "{dust} of {}: {report:?}", held.liquidity);
        let is_dust = |left: &LeftOpen| left.what == OpenHolding::Liquidity && left.why.contains("that it brings");
        assert!(report.failed.iter().all(is_dust), "{report:?}");
    }
}

/// Nothing is opened: not by a policy that would buy every few turns, and not by one that would add liquidity.
#[test]
fn the_living_open_nothing() {
    for template in [Template::EthDca, Template::LpManagement, Template::TrendFollowing] {
        let opened = |live: fn(&mut Watched) -> Turn| {
            let mut settings = busy_settings(template);
            settings.mortality.stochastic.enabled = false;
            let mut golem = Watched::born(11, 10_000, &settings);
            let (mut opened, mut denied) = (0, 0);
            for _ in 0..2_000 {
                let turn = live(&mut golem);
                opened +=
                    turn.told().filter(|f| matches!(f, LifeFact::Decided { action } if !action.only_reduces())).count();
                denied += turn.facts.iter().filter(|f| is_unreferenced(&f.body)).count();
            }
            (opened, denied)
        };
        let (seen, unseen) = (opened(Watched::turn), opened(unreferenced));
        assert!(seen.0 > 0 && seen.1 == 0, "{template}: {seen:?} with a reference");
        assert!(unseen.0 == 0 && unseen.1 > 0, "{template}: {unseen:?} without");
    }
}

/// A denial for want of a reference.
fn is_unreferenced(fact: &Fact) -> bool {
    matches!(fact, Fact::Cage(fact) if matches!(&**fact, CageFact::Denied { why, .. } if why.name() == "no_reference"))
}
