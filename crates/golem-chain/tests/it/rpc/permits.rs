//! A permit on a node's path: it is spent in the turn in which it is used, and one that has expired sends nothing.

use crate::kit::{Town, anvil};
use crate::rpc::golem::{Golem, at_its_reference, buy};
use golem_cage::{CageAsk, Permit};
use golem_chain::rpc::{Booked, footing};
use golem_core::door::{EffectKey, Hands as _, KeyedHands as _, Reconciled, World as _};
use golem_core::intent::{Asset, Holdings, Intent, Outcome, Refusal};
use golem_core::{Preview, Tick, Timestamp, Usdc, VirtualTime};

#[test]
fn a_permit_that_has_expired_sends_nothing() {
    if anvil::is_missing() {
        return;
    }
    let mut golem = Golem::new(Town::new(true));
    let who = golem.account();
    let preview = golem.preview(buy(1_000));
    let Outcome::Bought { got, .. } = preview.outcome else { panic!("{preview:?}") };
    let wish = Intent::Buy { pay: Usdc::whole(1_000), min_out: Asset(got.0 - got.0 / 200) };
    let Golem { venue, town, mut cage, rules, .. } = golem;
    let (mut world, mut hands) = footing(venue, who, Booked::default(), Timestamp(0), Box::new(|_| ()));
    assert!(world.observe(VirtualTime(0)).is_some_and(|seen| seen.book.is_some()));
    let holdings = Holdings { capital: Usdc::whole(10_000), on_chain: Usdc::whole(10_000), ..Holdings::default() };
    let preview = at_its_reference(hands.preview(&[wish], &holdings).remove(0));
    let mut permit = |preview: &Preview, tick: Tick| -> Permit {
        let ask = CageAsk { tick, now: VirtualTime(tick.0 * 40_000), nav: Usdc::whole(10_000), preview };
        cage.ask(&ask, &rules, &mut Vec::new()).unwrap_or_else(|denial| panic!("{denial}"))
    };
    let (asked, key) = (Tick(7), EffectKey::new(Tick(7), 0));
    let expires = Tick(asked.0 + rules.permit_ticks);
    let before = (town.holdings(who.0.into()), town.anvil.height());

    let late = permit(&preview, asked);
    let Reconciled::Settled(receipt) = hands.act_keyed(key, expires, &preview, late) else { panic!("it is known") };
    assert_eq!(receipt.outcome, Outcome::Refused { why: Refusal::Denied });
    assert_eq!((town.holdings(who.0.into()), town.anvil.height()), before, "nothing was sent");
    assert_eq!(hands.reconcile(key, &preview), Reconciled::NeverSent);

    // In the last turn in which it holds, one is good.
    let again = permit(&preview, expires);
    let last = Tick(expires.0 + rules.permit_ticks - 1);
    let Reconciled::Settled(receipt) = hands.act_keyed(EffectKey::new(last, 0), last, &preview, again) else {
        panic!("it is known")
    };
    assert!(matches!(receipt.outcome, Outcome::Bought { .. }), "{receipt:?}");
}
