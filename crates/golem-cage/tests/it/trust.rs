//! Venues and their code: the list, the pins, trust at first sight, changed code, the cool-down.

use crate::kit::{CODE, DAY, Desk, Kept, desk, usd};
use golem_cage::Denial;
use golem_core::venue::VenueId;
use golem_core::{Elapsed, Hash, Preview};

const OTHER: Hash = Hash([8; 32]);

fn buy(n: u64) -> Preview {
    desk(1_000).buy(n)
}

fn at(mut preview: Preview, venue: VenueId, code: Hash) -> Preview {
    (preview.venue, preview.code) = (venue, code);
    preview
}

#[test]
fn only_listed_venues_are_used_by_anyone() {
    let mut kept = Kept::new(usd(1_000));
    let denial = kept.ask(&at(buy(1), VenueId::UniswapV2, CODE)).unwrap_err();
    assert_eq!(denial, Denial::Venue { venue: VenueId::UniswapV2 });
    let some = Desk { usdc: 0, asset: usd(10).0, position: None };
    assert_eq!(kept.why(&at(some.sell(5), VenueId::UniswapV2, CODE)), "venue");
    // It was not the first preview of this life, so the listed one still is.
    assert_eq!(kept.why(&buy(1)), "permitted");
    kept.config.venues.clear();
    assert_eq!(kept.why(&buy(2)), "venue");
}

#[test]
fn the_code_of_the_first_preview_is_trusted_and_no_other_for_good() {
    let mut kept = Kept::new(usd(1_000));
    // A preview that could not be made says nothing of the code.
    assert_eq!(kept.why(&Preview::refused(buy(9).intent, golem_core::intent::Refusal::NoMarket)), "would_fail");
    assert_eq!(kept.why(&buy(1)), "permitted");
    let changed = at(buy(2), VenueId::UniswapV3, OTHER);
    let denial = Denial::Code { venue: VenueId::UniswapV3, pinned: CODE, found: OTHER };
    assert_eq!(kept.ask(&changed).unwrap_err(), denial);
    // It comes back, and time passes: that mends nothing, not even for what reduces.
    kept.wait(100 * DAY);
    assert_eq!(kept.why(&buy(3)), "code");
    let some = Desk { usdc: 0, asset: usd(10).0, position: None };
    assert_eq!(kept.why(&some.sell(5)), "code");
    // The owner changes the settings: the old code is good again, the new one is not.
    kept.config.per_tx_usdc = usd(9_000);
    assert_eq!(kept.why(&buy(4)), "permitted");
    assert_eq!(kept.why(&at(buy(5), VenueId::UniswapV3, OTHER)), "code");
    // The owner pins the new code.
    kept.config.code.insert(VenueId::UniswapV3, OTHER);
    assert_eq!(kept.why(&at(buy(6), VenueId::UniswapV3, OTHER)), "permitted");
    assert_eq!(kept.why(&buy(7)), "code");
    // And takes the pin away again: the last that was trusted stays.
    kept.config.code.clear();
    assert_eq!(kept.why(&at(buy(8), VenueId::UniswapV3, OTHER)), "permitted");
    assert_eq!(kept.why(&buy(10)), "code");
}

#[test]
fn a_pin_holds_from_the_first_preview_on() {
    let mut kept = Kept::with(usd(1_000), |c| {
        c.code.insert(VenueId::UniswapV3, OTHER);
    });
    assert_eq!(kept.why(&buy(1)), "code");
    kept.config.per_tx_usdc = usd(9_000);
    assert_eq!(kept.why(&at(buy(2), VenueId::UniswapV3, OTHER)), "permitted");
    // The code that was refused at first sight is not what is trusted when the pin goes.
    let mut kept = Kept::with(usd(1_000), |c| {
        c.code.insert(VenueId::UniswapV3, OTHER);
    });
    assert_eq!(kept.why(&buy(1)), "code");
    kept.config.code.clear();
    assert_eq!(kept.why(&buy(2)), "code");
}

#[test]
fn a_later_venue_needs_a_pin_and_a_pause() {
    let mut kept = Kept::new(usd(1_000));
    assert_eq!(kept.why(&buy(1)), "permitted");
    kept.config.venues.insert(VenueId::UniswapV2);
    let later = |n| at(buy(n), VenueId::UniswapV2, OTHER);
    assert_eq!(kept.ask(&later(2)).unwrap_err(), Denial::Unpinned { venue: VenueId::UniswapV2 });
    kept.config.code.insert(VenueId::UniswapV2, OTHER);
    kept.wait(40);
    let denial = kept.ask(&later(3)).unwrap_err();
    assert_eq!(denial, Denial::Cooldown { venue: VenueId::UniswapV2, left: Elapsed::secs(DAY) });
    assert!(denial.to_string().contains("another 86400 s"), "{denial}");
    kept.wait(DAY - 1);
    assert_eq!(kept.why(&later(4)), "cooldown");
    assert_eq!(kept.why(&buy(5)), "permitted", "the first venue is not held up");
    kept.wait(1);
    assert_eq!(kept.why(&later(6)), "permitted");
    assert_eq!(kept.cage.status(&kept.config).denials["cooldown"], 2);
}
