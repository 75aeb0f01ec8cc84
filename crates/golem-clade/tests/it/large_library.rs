//! A library as large as one may be: what a death, a starter kit, a proposal and a start cost there, and that one more does not come in.

use crate::kit::{claiming, proven};
use crate::library::{NOW, dead, kind, reread};
use golem_clade::library::owner::MOST_HOLDINGS;
use golem_clade::library::{KnowledgeBundle, LibraryVisitor, OwnerLibrary};
use golem_grimoire::embed::StaticEmbedder;
use golem_grimoire::{Entry, EntryBody};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Something that nobody else has learnt.
fn news(n: usize) -> Entry {
    let ratio = format!("{}.{:03}", 1 + n / 1_000, n % 1_000);
    let claim = claiming(&format!("market.gas_ratio > {ratio}"), "market.fee_yield_ratio > 1.5");
    let text = format!("When gas is {ratio} times the usual, fees follow; seen {n} times.");
    proven(EntryBody { text, ..claim }, 8_000)
}

#[allow(clippy::print_stdout, reason = "a measurement is told")]
fn timed<T>(what: &str, most: Duration, run: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let done = run();
    let took = begun.elapsed();
    println!("{what}: {took:?}");
    assert!(took < most, "{what} took {took:?}");
    done
}

/// In the slice a tenth of it: what costs the square of its size shows there too.
#[test]
fn a_full_library_is_still_read_changed_and_searched_in_moments() {
    let size = if std::env::var_os("BARDO_LONG").is_some() { MOST_HOLDINGS } else { MOST_HOLDINGS / 10 };
    let mut library = OwnerLibrary::default();
    for (n, from) in (0..size).step_by(1_000).enumerate() {
        let all = (from..from + 1_000).map(news).collect();
        let giver: LibraryVisitor = dead(u8::try_from(n).unwrap(), all);
        library.bury(&giver, NOW);
    }
    assert_eq!(library.holdings().count(), size);
    let (mut rows, generous) = (BTreeMap::new(), Duration::from_secs(60));
    let mut library = timed("written and read again", generous, || reread(&library, &mut rows));
    let late = dead(200, (size..size + 2_000).map(news).collect());
    timed("one more death", generous, || library.bury(&late, NOW));
    assert!(library.take_changes().len() <= 2_002, "a death writes what it brings, and not the library");
    assert!(library.holdings().count() <= MOST_HOLDINGS, "a full library takes nothing more");
    timed("a starter kit", generous, || assert!(!library.starter(&kind(), NOW).is_empty()));
    timed("proposals", generous, || library.propose(&StaticEmbedder::bundled(), NOW));
}

/// Whoever fills a library with what strangers sell keeps no death out of it; what one's own have left gives way to nothing.
#[test]
fn in_a_full_library_what_was_bought_makes_room_for_what_a_life_was_paid_for() {
    let mut own = OwnerLibrary::default();
    own.bury(&dead(1, (0..MOST_HOLDINGS).map(news).collect()), NOW);
    let holdings = own.holdings().map(|(_, held)| held.clone()).collect();
    let bundle = KnowledgeBundle { name: "flood".parse().unwrap(), archetype: None, written: NOW, holdings };
    let mut bought = OwnerLibrary::default();
    assert_eq!(bought.import(bundle, false, NOW).new.len(), MOST_HOLDINGS);
    let late = dead(200, (MOST_HOLDINGS..MOST_HOLDINGS + 20).map(news).collect());
    for (library, kept, no_room) in [(&mut bought, 20, 0), (&mut own, 0, 20)] {
        drop(library.take_changes());
        let death = library.bury(&late, NOW).expect("a deposit");
        assert_eq!((death.kept.len(), death.left, death.no_room), (kept, no_room, no_room));
        assert_eq!(library.holdings().count(), MOST_HOLDINGS);
        let gone = library.take_changes().into_iter().filter(|row| row.body.is_none()).count();
        assert_eq!(gone, kept, "what gave way goes from the file too");
    }
}
