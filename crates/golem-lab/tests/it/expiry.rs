//! A permit is spent in the turn in which it is used: too late is too late, and nothing happens.

use golem_cage::{Cage, CageAsk, CageConfig};
use golem_core::door::{Hands as _, World as _};
use golem_core::intent::{Asset, Holdings, Outcome, Refusal};
use golem_core::{Elapsed, Intent, Tick, Usdc, VirtualTime};
use golem_lab::subject::paper;
use golem_lab::world::{Synthetic, SyntheticConfig};
use golem_venue::Account;
use golem_venue::floor::{FloorHands, FloorWorld};

#[test]
fn a_permit_that_is_used_too_late_does_nothing() {
    let config = CageConfig::default();
    let given = Tick(7);
    for (used, done) in [(Tick(6), false), (given, true), (Tick(8), true), (Tick(9), false), (Tick(1_000), false)] {
        let floor = paper(1, Synthetic::new(SyntheticConfig::default(), 1).unwrap()).unwrap();
        let who = Account([1; 20]);
        let (mut world, mut hands) = (FloorWorld::new(floor.clone(), who, 0), FloorHands::new(floor.clone(), who));
        world.observe(VirtualTime::default().after(Elapsed::nominal(7))).unwrap();
        let (nav, mut facts) = (Usdc::whole(1_000), Vec::new());
        let holdings = Holdings { deposits: nav, on_chain: nav, capital: nav, ..Holdings::default() };
        let buy = Intent::Buy { pay: Usdc::whole(100), min_out: Asset(Asset::WHOLE / 1_000) };
        // The least that must come back is near what is expected.
        let got = match hands.preview(&[buy], &holdings)[0].outcome {
            Outcome::Bought { got, .. } => got,
            other => panic!("{other:?}"),
        };
        let buy = Intent::Buy { pay: Usdc::whole(100), min_out: Asset(got.0 / 1_000 * 995) };
        let preview = hands.preview(&[buy], &holdings).remove(0);
        let ask = CageAsk { tick: given, now: VirtualTime::default(), nav, preview: &preview };
        let permit = Cage::default().ask(&ask, &config, &mut facts).unwrap();
        assert_eq!(permit.expires(), Tick(given.0 + config.permit_ticks));
        let receipt = hands.act(used, &preview, permit);
        assert_eq!(receipt.was_done(), done, "used in turn {used}");
        assert!(done || receipt.outcome == Outcome::Refused { why: Refusal::Denied });
        let held = floor.hold().ground().book(who).unwrap().asset;
        assert_eq!(held > Asset::ZERO, done, "used in turn {used}");
    }
}
