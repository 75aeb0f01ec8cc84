//! The owner's library: every threshold of every way in, what an entry is worth there, and that a death is deposited once.

use crate::kit::{Chance, body, claiming, clock, days, golem, proven, standing};
use golem_clade::library::holding::{BATTLE_TESTED, BATTLE_TESTED_BY, DEFAULT_FROM, word_on};
use golem_clade::library::inflow::{admits, deposits_edge};
use golem_clade::library::{
    Archetype, HoldingId, InflowRefusal, LibraryInflow, LibraryVisitor, OwnerLibrary, WorldCalendar, starter_name,
};
use golem_clade::provenance::{Lineage, PassportBook, ValidationWord};
use golem_core::observed::Field;
use golem_core::{GolemId, OwnerId, Tick, Timestamp};
use golem_grimoire::causal::{Edge, EdgeId};
use golem_grimoire::{Entry, EntryBody, EntryKind, EntryStatus, Provenance, Standing};
use proptest::prelude::*;

pub const NOW: Timestamp = Timestamp(1_800_000_000);

pub fn kind() -> Archetype {
    Archetype::named("lp-management")
}

/// A golem of its own line that believes these.
pub fn visitor(n: u8, entries: Vec<Entry>) -> LibraryVisitor {
    let id = golem(n);
    LibraryVisitor {
        lineage: Lineage { id, owner: OwnerId::LOCAL, golem: id, generation: 0, ancestors: Vec::new() },
        name: format!("g{n}"),
        archetype: kind(),
        calendar: WorldCalendar::Outside,
        clock: clock(),
        tick: Tick(100),
        now: clock().at(days(30)),
        dead: false,
        entries,
        edges: Vec::new(),
        playbook: "# Playbook".to_owned(),
        passports: PassportBook::default(),
    }
}

pub fn dead(n: u8, entries: Vec<Entry>) -> LibraryVisitor {
    LibraryVisitor { dead: true, ..visitor(n, entries) }
}

/// In use, and nothing said of it yet.
pub fn unproven(kind: EntryKind, text: &str, confidence_bp: u16) -> Entry {
    Entry::new(body(kind, text), standing(EntryStatus::Active, confidence_bp))
}

fn edge(confidence_bp: u16, held: u32) -> Edge {
    let (from, to) = (Field::ALL[0], Field::ALL[1]);
    Edge {
        id: EdgeId::new(from, to, 3),
        from,
        to,
        lag: 3,
        weight: 0.4,
        confidence_bp,
        held,
        failed: 0,
        failed_in_a_row: 0,
        fired: 0,
        last_fired: None,
        created: days(1),
        invalidated: None,
        judged: 0,
    }
}

/// The same library from the rows that it would have been written as.
pub fn reread(library: &OwnerLibrary, rows: &mut std::collections::BTreeMap<(String, String), String>) -> OwnerLibrary {
    for row in library.clone().take_changes() {
        let key = (row.table.name().to_owned(), row.key);
        match row.body {
            Some(body) => drop(rows.insert(key, body)),
            None => drop(rows.remove(&key)),
        }
    }
    let all = rows.iter().map(|((table, key), body)| (table.as_str(), key.as_str(), body.as_str()));
    OwnerLibrary::read(all).expect("a library")
}

#[test]
fn every_threshold_of_every_way_in_is_where_the_table_says() {
    use EntryKind::{CausalLink, Heuristic, Insight, StrategyFragment, Warning};
    use LibraryInflow::{DeathDeposit, LiveExport, ManualPull, MarketplacePurchase, SiblingOverflow};
    // Way, kind, least confidence that comes in; nothing for any.
    let table = [
        (DeathDeposit, Insight, 6_000),
        (DeathDeposit, Heuristic, 6_000),
        (DeathDeposit, Warning, 0),
        (DeathDeposit, CausalLink, 5_000),
        (DeathDeposit, StrategyFragment, 4_000),
        (LiveExport, Insight, 5_000),
        (LiveExport, Heuristic, 5_000),
        (LiveExport, Warning, 5_000),
        (LiveExport, CausalLink, 5_000),
        (LiveExport, StrategyFragment, 5_000),
        (ManualPull, Insight, 0),
        (ManualPull, StrategyFragment, 0),
        (SiblingOverflow, Insight, 0),
        (MarketplacePurchase, Heuristic, 0),
    ];
    for (inflow, kind, least) in table {
        let with = |bp: u16| {
            let mut entry = unproven(kind, "gas rises", bp);
            (entry.standing.uses, entry.standing.validated) = (1, 3);
            admits(inflow, &entry, None, 3)
        };
        assert_eq!(with(least), Ok(()), "{inflow:?} {kind:?}");
        if least > 0 {
            let refused = Err(InflowRefusal::TooUnsure { found_bp: least - 1, least_bp: least });
            assert_eq!(with(least - 1), refused, "{inflow:?} {kind:?}");
        }
    }
    // Evidence of causal links, by checks of the entry or by the edge itself; use of strategies; distinct golems.
    for (held, validated, comes) in [(2, 0, false), (3, 0, true), (0, 3, true), (0, 2, false)] {
        let mut link = unproven(CausalLink, "gas drives fees", 5_000);
        link.standing.validated = validated;
        let told = admits(DeathDeposit, &link, Some(&edge(5_000, held)), 0);
        assert_eq!(told.is_ok(), comes, "{held} {validated}: {told:?}");
    }
    let mut skill = unproven(StrategyFragment, "narrow while calm", 9_000);
    assert_eq!(admits(DeathDeposit, &skill, None, 0), Err(InflowRefusal::Unused));
    skill.standing.uses = 1;
    assert_eq!(admits(DeathDeposit, &skill, None, 0), Ok(()));
    for (golems, comes) in [(0, false), (2, false), (3, true), (9, true)] {
        let told = admits(SiblingOverflow, &unproven(Insight, "gas rises", 100), None, golems);
        assert_eq!(told.is_ok(), comes, "{golems}");
    }
    for (bp, held, comes) in [(5_000, 3, true), (4_999, 3, false), (9_000, 2, false)] {
        assert_eq!(deposits_edge(&edge(bp, held)), comes, "{bp} {held}");
    }
    assert!(!deposits_edge(&Edge { invalidated: Some(days(3)), ..edge(9_000, 9) }), "what no longer holds is not left");
    assert_eq!(LibraryInflow::ALL.map(|way| way.rule().inflow), LibraryInflow::ALL);
    assert_eq!(MarketplacePurchase.rule().most_bp, 3_000);
}

#[test]
fn what_was_never_believed_comes_in_by_nobodys_word() {
    let since = days(2);
    for inflow in LibraryInflow::ALL {
        let with = |status| {
            let entry = Entry::new(body(EntryKind::Warning, "gas rises"), standing(status, 9_000));
            admits(inflow, &entry, None, 9)
        };
        assert_eq!(with(EntryStatus::Quarantined(since)), Err(InflowRefusal::NotInUse), "{inflow:?}");
        assert_eq!(with(EntryStatus::Burnt(since)), Err(InflowRefusal::NotInUse), "{inflow:?}");
        assert_eq!(with(EntryStatus::Archived(since)).is_ok(), inflow == LibraryInflow::ManualPull, "{inflow:?}");
        assert_eq!(with(EntryStatus::Candidate), Ok(()), "{inflow:?}");
    }
    let blood = EntryBody { is_bloodstain: true, ..body(EntryKind::Warning, "gas killed it") };
    let stained = Entry::new(blood, standing(EntryStatus::Archived(since), 9_000));
    assert_eq!(admits(LibraryInflow::DeathDeposit, &stained, None, 0), Ok(()), "blood comes from the archive too");
}

#[test]
fn a_death_is_deposited_once_and_a_life_never() {
    let entries = vec![
        proven(claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 1.1"), 8_000),
        unproven(EntryKind::Insight, "unsure of this", 5_900),
        unproven(EntryKind::Warning, "beware of spikes", 100),
    ];
    let mut gone = dead(1, entries);
    gone.edges = vec![edge(6_000, 4), edge(4_000, 9)];
    let mut library = OwnerLibrary::default();
    assert!(library.bury(&LibraryVisitor { dead: false, ..gone.clone() }, NOW).is_none());
    let death = library.bury(&gone, NOW).expect("a deposit").clone();
    assert_eq!((death.kept.len(), death.left, death.edges.len()), (2, 1, 1));
    assert_eq!(death.playbook, "# Playbook");
    let mut rows = Default::default();
    let mut again = reread(&library, &mut rows);
    for _ in 0..3 {
        assert!(again.bury(&gone, NOW).is_none(), "once");
        assert!(again.take_changes().is_empty(), "and nothing is written");
    }
    assert_eq!(again.holdings().count(), 2);
    assert!(again.holdings().all(|(id, held)| held.id() == id && held.inflow == LibraryInflow::DeathDeposit));
}

/// Let golems from `first` on say this of one entry.
fn said(library: &mut OwnerLibrary, entry: &Entry, first: u8, n: u8, word: ValidationWord) {
    for golem in first..first + n {
        let standing = match word {
            ValidationWord::Confirmed => entry.standing.clone(),
            ValidationWord::Contradicted => {
                Standing { validated: 1, contradicted: 4, own_validation: false, ..entry.standing.clone() }
            }
        };
        library.look(&visitor(golem, vec![Entry::new(entry.body.clone(), standing)]), NOW);
    }
}

#[test]
fn what_three_golems_have_seen_comes_in_by_itself() {
    let seen = proven(claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 1.1"), 3_000);
    let id = HoldingId::of(&seen.body);
    let mut library = OwnerLibrary::default();
    for (n, held) in [(10, false), (11, false), (12, true), (13, true)] {
        let promoted = library.look(&visitor(n, vec![seen.clone()]), NOW);
        assert_eq!(library.holding(id).is_some(), held, "{n}");
        assert_eq!(promoted, if n == 12 { vec![id] } else { vec![] });
    }
    let held = library.holding(id).unwrap();
    assert_eq!((held.inflow, held.words.len()), (LibraryInflow::SiblingOverflow, 4));
    // The same golem many times is one golem.
    let other = proven(claiming("market.gas_ratio > 3.0", "market.fee_yield_ratio > 1.1"), 3_000);
    for tick in 101..120 {
        library.look(&LibraryVisitor { tick: Tick(tick), ..visitor(20, vec![other.clone()]) }, NOW);
    }
    assert!(library.holding(HoldingId::of(&other.body)).is_none());
    let mut rows = Default::default();
    assert_eq!(reread(&library, &mut rows).holdings().count(), 1);
}

#[test]
fn five_golems_make_it_battle_tested_worth_a_tenth_more_and_never_above_the_cap() {
    for (stored, boosted) in [(6_000, 6_600), (8_600, 9_460), (8_640, 9_500), (9_400, 9_500), (9_700, 9_700)] {
        let entry = proven(claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 1.1"), stored);
        let id = HoldingId::of(&entry.body);
        let mut library = OwnerLibrary::default();
        library.bury(&dead(1, vec![entry.clone()]), NOW);
        said(&mut library, &entry, 2, 3, ValidationWord::Confirmed);
        let four = library.holding(id).unwrap();
        assert_eq!(four.count(ValidationWord::Confirmed), BATTLE_TESTED_BY - 1);
        assert_eq!((four.is_battle_tested(), four.confidence_bp()), (false, stored));
        said(&mut library, &entry, 5, 1, ValidationWord::Confirmed);
        let five = library.holding(id).unwrap();
        assert_eq!((five.is_battle_tested(), five.confidence_bp()), (true, boosted));
        assert_eq!(five.tags().filter(|tag| *tag == BATTLE_TESTED).count(), 1);
    }
}

#[test]
fn blood_ranks_higher_and_fades_more_slowly_by_the_one_flag() {
    let plain = unproven(EntryKind::Warning, "spikes hurt", 8_000);
    let mut library = OwnerLibrary::default();
    let stained = EntryBody { is_bloodstain: true, ..body(EntryKind::Warning, "spikes kill") };
    let stained = Entry::new(stained, plain.standing.clone());
    library.bury(&dead(1, vec![plain.clone(), stained.clone()]), NOW);
    let of = |entry: &Entry| library.holding(HoldingId::of(&entry.body)).unwrap();
    let (plain, stained) = (of(&plain), of(&stained));
    assert!((stained.rank(NOW) / plain.rank(NOW) - 1.2).abs() < 1e-9);
    // A tactical entry is half in a week, with a death behind it in three.
    let weeks = |n: i64| Timestamp(NOW.0 + n * 7 * 86_400);
    assert!((plain.effective(weeks(1)) - 0.4).abs() < 1e-9, "{}", plain.effective(weeks(1)));
    assert!((stained.effective(weeks(3)) - 0.4).abs() < 1e-9, "{}", stained.effective(weeks(3)));
}

#[test]
fn what_five_equipped_golems_have_proven_belongs_to_every_kit_of_their_archetype() {
    let entry = proven(claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 1.1"), 7_000);
    let id = HoldingId::of(&entry.body);
    let mut library = OwnerLibrary::default();
    library.bury(&dead(1, vec![entry.clone()]), NOW);
    let target = |n: u8, archetype: Archetype| golem_clade::library::EquipTarget {
        golem: golem(n),
        archetype,
        calendar: WorldCalendar::Outside,
        born: clock().zero,
    };
    // Five that were never given it prove it, and make no default of it.
    said(&mut library, &entry, 50, 5, ValidationWord::Confirmed);
    assert!(library.defaults(&kind()).is_empty());
    let proving = u8::try_from(DEFAULT_FROM).unwrap();
    for n in 10..10 + proving {
        assert!(library.defaults(&kind()).is_empty(), "{n}");
        library.equip(id, &target(n, kind()));
        said(&mut library, &entry, n, 1, ValidationWord::Confirmed);
    }
    assert_eq!(library.defaults(&kind()), [id]);
    assert!(library.defaults(&Archetype::named("eth-dca")).is_empty(), "of another archetype it is not");
    library.collect(&"mine".parse().unwrap(), Some(kind()), &[], NOW);
    assert_eq!(library.contents("mine", NOW), Some(vec![id]), "every bundle of the archetype has it");
    assert_eq!(library.contents(&starter_name(&kind()), NOW), Some(vec![id]));
    // Disputed it is offered to nobody.
    said(&mut library, &entry, 100, 30, ValidationWord::Contradicted);
    assert!(library.defaults(&kind()).is_empty() && library.starter(&kind(), NOW).is_empty());
    assert!(library.holding(id).is_some(), "and kept");
}

#[test]
fn questions_are_held_and_take_no_place_from_answers() {
    let question = EntryBody { is_question: true, ..body(EntryKind::Insight, "What works in calm weather?") };
    let answers: Vec<Entry> =
        (0..30).map(|n| unproven(EntryKind::Warning, &format!("spike number {n} hurts"), 3_000)).collect();
    let asked = Entry::new(question, standing(EntryStatus::Active, 9_000));
    let mut library = OwnerLibrary::default();
    library.bury(&dead(1, answers.into_iter().chain([asked.clone()]).collect()), NOW);
    let kit = library.starter(&kind(), NOW);
    assert_eq!((library.holdings().count(), library.of_archetype(&kind()).len()), (31, 30));
    assert!(kit.len() == golem_clade::library::STARTER_SIZE && !kit.contains(&HoldingId::of(&asked.body)));
}

#[test]
fn a_stranger_gives_way_and_blood_gives_way_to_nothing() {
    let text = "spikes kill";
    let stained = EntryBody { is_bloodstain: true, ..body(EntryKind::Warning, text) };
    let stained = Entry::new(stained, standing(EntryStatus::Active, 3_000));
    let id = HoldingId::of(&stained.body);
    let mut library = OwnerLibrary::default();
    library.bury(&dead(1, vec![stained]), NOW);
    library.bury(&dead(2, vec![proven(body(EntryKind::Warning, text), 9_000)]), NOW);
    let held = library.holding(id).unwrap();
    assert!(held.body().is_bloodstain && held.learners.len() == 2);
    assert_eq!(held.words.get(&golem(2)), Some(&ValidationWord::Confirmed));
}

fn any_entry() -> impl Strategy<Value = Entry> {
    let kinds = prop_oneof![
        Just(EntryKind::Insight),
        Just(EntryKind::Heuristic),
        Just(EntryKind::Warning),
        Just(EntryKind::CausalLink),
        Just(EntryKind::StrategyFragment)
    ];
    (kinds, 0u16..=9_900, 0u32..6, 0u32..6, 0u32..3, any::<bool>(), 0usize..12).prop_map(
        |(kind, bp, validated, contradicted, uses, own, text)| {
            let mut entry = unproven(kind, &format!("lesson number {text} about gas"), bp);
            (entry.standing.validated, entry.standing.contradicted) = (validated, contradicted);
            (entry.standing.uses, entry.standing.own_validation) = (uses, own);
            entry
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// Whatever golems bring, in whatever order: what is held passed the table, nobody counts twice, rows say all of it.
    #[test]
    fn nothing_is_held_that_the_table_keeps_out(lives in proptest::collection::vec((1u8..40, any::<bool>(), proptest::collection::vec(any_entry(), 0..12)), 0..12)) {
        let (mut library, mut rows) = (OwnerLibrary::default(), Default::default());
        let mut brought: Vec<(GolemId, bool, Entry)> = Vec::new();
        for (n, is_dead, entries) in lives {
            let guest = if is_dead { dead(n, entries.clone()) } else { visitor(n, entries.clone()) };
            brought.extend(entries.into_iter().map(|e| (golem(n), is_dead, e)));
            library.bury(&guest, NOW);
            library.look(&guest, NOW);
            let again = reread(&library, &mut rows);
            library = again;
        }
        for (id, held) in library.holdings() {
            let same = || brought.iter().filter(|(.., e)| HoldingId::of(&e.body) == id);
            let by_death = same().any(|(_, dead, e)| *dead && admits(LibraryInflow::DeathDeposit, e, None, 0).is_ok());
            let saw: std::collections::BTreeSet<_> = same()
                .filter(|(golem, _, e)| word_on(e, *golem) == Some(ValidationWord::Confirmed))
                .map(|(golem, ..)| *golem)
                .collect();
            prop_assert!(by_death || saw.len() >= 3, "{held:?}");
            prop_assert!(held.count(ValidationWord::Confirmed) as usize <= saw.len());
            prop_assert!(held.confidence_bp() <= 9_900);
        }
    }
}

#[test]
fn rows_that_are_no_library_are_refused() {
    let mut library = OwnerLibrary::default();
    library.bury(&dead(1, vec![unproven(EntryKind::Warning, "beware", 5_000)]), NOW);
    let mut rows = std::collections::BTreeMap::new();
    reread(&library, &mut rows);
    let mut chance = Chance(7);
    for _ in 0..400 {
        let mut spoilt: Vec<((String, String), String)> = rows.clone().into_iter().collect();
        let at = chance.below(spoilt.len());
        let ((table, key), body) = &mut spoilt[at];
        match chance.below(3) {
            0 => table.push('x'),
            1 => key.replace_range(0..1, "z"),
            _ => {
                let cut = chance.below(body.len().max(1));
                if body.is_char_boundary(cut) {
                    body.truncate(cut);
                }
            }
        }
        let read = OwnerLibrary::read(spoilt.iter().map(|((t, k), b)| (t.as_str(), k.as_str(), b.as_str())));
        assert!(read.is_err(), "{spoilt:?}");
    }
}

#[test]
fn a_provenance_from_elsewhere_is_not_the_carriers_own() {
    let heard =
        EntryBody { provenance: Provenance::Testament, ..claiming("market.gas_ratio > 2.0", "market.shock > 1.0") };
    let origin = heard.origin;
    let entry = proven(heard, 8_000);
    let mut library = OwnerLibrary::default();
    library.bury(&dead(9, vec![entry.clone()]), NOW);
    let held = library.holding(HoldingId::of(&entry.body)).unwrap();
    assert_eq!(held.entry.passport.learnt_by, origin);
    assert!(held.learners.is_empty() && held.words.get(&golem(9)) == Some(&ValidationWord::Confirmed));
}

/// A row under the key of something else is damage, and not a belief under a false name.
#[test]
fn a_row_that_says_something_else_than_its_key_is_damage() {
    let mut library = OwnerLibrary::default();
    let entries =
        vec![unproven(EntryKind::Insight, "gas rises", 9_000), unproven(EntryKind::Insight, "fees follow", 9_000)];
    library.bury(&dead(1, entries), NOW);
    let rows: Vec<_> =
        library.take_changes().into_iter().filter_map(|row| Some((row.table.name(), row.key, row.body?))).collect();
    let read = |rows: &[(&'static str, String, String)]| {
        OwnerLibrary::read(rows.iter().map(|(table, key, body)| (*table, key.as_str(), body.as_str())))
    };
    assert_eq!(read(&rows), Ok(library));
    let mut changed = rows.clone();
    let held: Vec<usize> = (0..rows.len()).filter(|n| rows[*n].0 == "holding").collect();
    let [first, second] = held[..] else { panic!("{held:?}") };
    (changed[first].2, changed[second].2) = (rows[second].2.clone(), rows[first].2.clone());
    assert!(read(&changed).is_err_and(|damage| damage.table == "holding" && damage.what.contains("something else")));
}
