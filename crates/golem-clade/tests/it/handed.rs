//! What a golem was handed in its life keeps its passport, through its death and back to the library.

use crate::kit::{claiming, clock, days, golem, knowing, proven};
use crate::library::{NOW, dead, kind};
use golem_clade::divergence::AntiProletarianizationConfig;
use golem_clade::heirloom::LeftPages;
use golem_clade::ingest::{ChainSaid, IngestMoment, KnowledgeCloud};
use golem_clade::library::{EquipParcel, EquipTarget, LibraryInflow, LibraryVisitor, OwnerLibrary, WorldCalendar};
use golem_clade::life_left::LifeLeft;
use golem_clade::provenance::{HandedPassport, PassportBook, TravelledValidation, ValidationWord, distinct_validators};
use golem_core::birth::Identity;
use golem_core::observed::{Field, Snapshot};
use golem_core::{Birth, Hash, Regime, Tick, Usdc, VirtualTime};
use golem_grimoire::embed::StaticEmbedder;
use golem_grimoire::grimoire::TwinDifference;
use golem_grimoire::{Entry, EntryBody, EntryId, EntryOrigin};

/// Three golems and one belief: the first learns it, the second is equipped with it by the library, the third is its heir.
#[test]
fn what_a_golem_was_equipped_with_keeps_its_passport_through_its_death() {
    let mut library = OwnerLibrary::default();
    let lesson = claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 1.5");
    let learner = EntryOrigin { golem: golem(2), generation: 0 };
    let own = proven(EntryBody { origin: learner, ..lesson }, 9_000);
    library.bury(&dead(2, vec![own.clone()]), NOW).expect("its death is deposited");
    let (id, held) = library.holdings().next().map(|(id, held)| (id, held.clone())).expect("it is held");
    let target = EquipTarget {
        golem: golem(9),
        archetype: kind(),
        calendar: WorldCalendar::Outside,
        born: clock().at(days(40)),
    };
    library.equip(id, &target);
    let parcel = EquipParcel::of(&held, &target);
    let mut grimoire = knowing(golem(9), Vec::new());
    let (shelf, near) = grimoire.known();
    let (cloud, embedder) = (KnowledgeCloud::default(), StaticEmbedder::bundled());
    let moment = IngestMoment {
        heir: golem(9),
        line: golem(9),
        now: days(1),
        world: clock().at(days(41)),
        shelf,
        near: &near,
        cloud: &cloud,
        embedder: &embedder,
        chain: &ChainSaid::default(),
    };
    let (verdict, arrival) = parcel.examine(&moment);
    let arrival = arrival.unwrap_or_else(|| panic!("{verdict:?}"));
    let (_, entry) = grimoire.take_in_vouched(arrival.entry, &arrival.vouched, days(1));
    let handed = [HandedPassport {
        entry: entry.expect("it is in"),
        passport: arrival.passport,
        validations: parcel.validations,
    }];

    let identity =
        Identity { name: &"nine".parse().unwrap(), public_key: Hash::default(), commitment: Hash::default() };
    let birth = identity.first_ancestor(true, clock().at(days(40)), Usdc::whole(50), Hash::default());
    let birth = Birth { id: golem(9), lineage: golem(9), ..birth };
    let left = |handed| {
        let pages = LeftPages { handed, ..LeftPages::default() };
        let (shelf, playbook) = (grimoire.shelf(), grimoire.playbook());
        let (inheritance, asked) = (None, &AntiProletarianizationConfig::USUAL);
        let (taken_in, now) = (days(0), days(30));
        let life = LifeLeft { birth: &birth, inheritance, taken_in, now, shelf, playbook, pages, asked };
        life.heirloom(std::iter::empty(), std::iter::empty(), 2_048)
    };
    let heirloom = left(&handed[..]);
    let one = &heirloom.entries[0];
    assert_eq!((one.passport.root, one.passport.learnt_by), (own.hash, learner), "who learnt it first stays known");
    assert_eq!(one.passport.forgery(&one.entry.body, &heirloom.lineage, heirloom.closed), None);
    assert_eq!(
        distinct_validators(&heirloom.validations, own.hash, ValidationWord::Confirmed),
        1,
        "{:?}",
        heirloom.validations
    );
    // Without its passport it would be this golem's own word, and who had seen it come true would be forgotten.
    let bare = left(&[]);
    assert_ne!(bare.entries[0].passport.root, own.hash);
    assert_eq!(distinct_validators(&bare.validations, own.hash, ValidationWord::Confirmed), 0);
    // A passport that names another carrier is nobody's here.
    let mut stolen = handed.clone();
    stolen[0].passport.crossings.carrier = golem(77);
    assert_ne!(left(&stolen[..]).entries[0].passport.root, own.hash);
    // What somebody else says in this golem's name of what it has not seen itself is nobody's word.
    let mut forged = handed.clone();
    let (entry, word) = (own.hash, ValidationWord::Contradicted);
    forged[0].validations.push(TravelledValidation { entry, validator: golem(9), word });
    let said: Vec<_> = left(&forged[..]).validations.into_iter().filter(|v| v.validator == golem(9)).collect();
    assert!(said.iter().all(|v| v.word == ValidationWord::Confirmed), "{said:?}");
    // And the blood of a stranger is no blood of this line, whatever passport it came with.
    let mut bloody = handed.clone();
    bloody[0].passport.blood = Some(golem(77));
    let crossed = left(&bloody[..]);
    assert!(crossed.entries.iter().all(|one| one.passport.blood.is_none() && !one.entry.body.is_bloodstain));
    // And back to the library: it is known as what it was, by whom it was learnt.
    let mut book = PassportBook::default();
    book.accept(handed[0].entry, handed[0].passport.clone());
    let carried: Vec<Entry> = grimoire.shelf().entries().cloned().collect();
    let mut other = OwnerLibrary::default();
    let visitor = LibraryVisitor { passports: book, ..dead(9, carried.clone()) };
    let taken = other.take(&visitor, &carried[0], LibraryInflow::ManualPull, NOW).expect("the owner takes it");
    assert_eq!(other.holding(taken).map(|h| h.entry.passport.learnt_by), Some(learner));
}

/// What acting by somebody else's rule was worth beyond acting without goes back to whoever learnt it, in a loss too.
#[test]
fn what_a_rule_of_others_brought_is_told_by_who_learnt_it() {
    let of = |n: u8, at: u64| {
        let body = claiming(&format!("market.gas_ratio > {at}.0"), "market.fee_yield_ratio > 1.5");
        proven(EntryBody { origin: EntryOrigin { golem: golem(n), generation: 0 }, ..body }, 8_000)
    };
    let entries = [of(20, 2), of(20, 3), of(21, 4), of(1, 5)];
    let ids: Vec<EntryId> = entries.iter().map(|entry| entry.id).collect();
    let mut mine = knowing(golem(1), entries.to_vec());
    let seen = |price: f64| {
        let mut seen = Snapshot::new();
        seen.set_number(Field::MarketPrice, price).expect("a number");
        seen
    };
    let bought = TwinDifference { exposure: 0.1, ..TwinDifference::default() };
    let sold = TwinDifference { exposure: -0.1, ..TwinDifference::default() };
    for (id, difference) in ids.iter().zip([bought, bought, sold, bought]) {
        mine.try_twin(*id, false, difference, &seen(100.0), days(0));
    }
    assert_eq!(mine.attributed(), [], "nothing is over yet");
    mine.observe(Tick(9), VirtualTime(days(0).0 + 3_600_000), Regime::default(), &seen(102.0));
    let told = mine.attributed();
    let [first, second] = &told[..] else { panic!("its own rule owes nothing to anybody: {told:?}") };
    assert_eq!((first.learnt_by, first.trials), (golem(20), 2));
    assert_eq!((second.learnt_by, second.trials), (golem(21), 1));
    // A tenth of what it has, two per cent up: twenty basis points for each.
    assert!((first.bps - 40.0).abs() < 1e-6 && (second.bps + 20.0).abs() < 1e-6, "{told:?}");
    let mut of_each: Vec<EntryId> = first.by_rule.iter().map(|one| one.rule).collect();
    of_each.sort_unstable();
    let mut theirs = ids[..2].to_vec();
    theirs.sort_unstable();
    assert_eq!(of_each, theirs, "rule by rule");
    assert!(first.by_rule.iter().all(|one| one.trials == 1 && (one.bps - 20.0).abs() < 1e-6), "{first:?}");
}
