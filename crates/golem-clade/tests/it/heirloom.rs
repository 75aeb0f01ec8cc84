//! The one object that crosses a death.

use crate::kit::{body, claiming, clock, days, golem, line, passport, proven, standing};
use golem_clade::barrier::Crossings;
use golem_clade::bottleneck::INHERITANCE_BUDGET;
use golem_clade::heirloom::{
    Bequeather, Heirloom, HeirloomBound, HeirloomError, InheritancePreview, LeftPages, LineDream, MOST_DREAMS,
    MOST_OPEN, TestamentPassage, UnfinishedHypothesis, dreams_to_leave,
};
use golem_clade::provenance::{PassportBook, TravelledValidation, ValidationWord};
use golem_core::{GolemId, Hash, Timestamp, VirtualTime};
use golem_grimoire::experts::LevelShare;
use golem_grimoire::playbook::PlaybookWriter;
use golem_grimoire::shelf::Shelf;
use golem_grimoire::staging::{ProposalDraft, Proposed, Staged, Staging};
use golem_grimoire::{Entry, EntryBody, EntryKind, EntryOrigin, EntryStatus, Provenance, Standing};
use proptest::prelude::*;

/// A golem of generation 2 at its end: its own lessons, some of its grandparents', a question, blood and chaff.
fn assembled(own: u32) -> Heirloom {
    let (mut shelf, mut book, lineage) = (Shelf::default(), PassportBook::default(), line(2));
    for n in 0..own {
        let effect = ["market.fee_yield_ratio > 1.5", "market.volume_ratio > 2.0"][n as usize % 2];
        assert!(shelf.add(proven(claiming(&format!("market.gas_ratio > {n}.5"), effect), 9_000)));
    }
    let old =
        EntryBody { provenance: Provenance::Testament, ..claiming("market.shock > 3.0", "market.return_15 < 0.0") };
    let old = proven(old, 8_000);
    book.accept(
        old.id,
        passport(Crossings { survived: 2, generations: 0, carrier: golem(3), ..Crossings::learnt_by(golem(1), 8_000) }),
    );
    assert!(shelf.add(old));
    let told =
        EntryBody { provenance: Provenance::Testament, ..claiming("market.shock > 9.0", "market.volume_ratio > 2.0") };
    let told = Entry::new(told, standing(EntryStatus::Candidate, 7_225));
    book.accept(
        told.id,
        passport(Crossings { generations: 2, carrier: golem(3), ..Crossings::learnt_by(golem(1), 10_000) }),
    );
    assert!(shelf.add(told));
    let question = EntryBody { is_question: true, ..body(EntryKind::Insight, "Why do fees fall before gas does?") };
    let blood = EntryBody { is_bloodstain: true, ..body(EntryKind::Warning, "The drain on day nine killed me.") };
    assert!(shelf.add(proven(question, 5_000)));
    assert!(shelf.add(Entry::new(blood, standing(EntryStatus::Archived(days(1)), 6_000))));
    for (text, status) in
        [("Kept aside.", EntryStatus::Quarantined(days(1))), ("Faded.", EntryStatus::Archived(days(1)))]
    {
        assert!(shelf.add(Entry::new(body(EntryKind::Insight, text), standing(status, 5_000))));
    }
    let mut staging = Staging::default();
    let claim = claiming("market.volatility_ratio > 2.0", "market.volume_ratio > 1.5");
    let draft = ProposalDraft {
        claim: claim.claim.clone().expect("it claims"),
        change: Proposed::Entry(Box::new(claim)),
        base_rate: 0.3,
        confidence_bp: 2_500,
        utility: 0.5,
        liminal: false,
        source: Provenance::SelfGenerated,
        among: LevelShare::Staged,
    };
    assert!(matches!(staging.stage(&shelf, draft, days(1)), Staged::Added(_)));
    let writer = PlaybookWriter::new("elder".parse().expect("a name"), lineage.golem);
    let validator = |n: u8, entry| TravelledValidation { entry, validator: golem(n), word: ValidationWord::Confirmed };
    let bare = Bequeather {
        lineage: &lineage,
        clock: clock(),
        now: days(1),
        shelf: &Shelf::default(),
        book: &book,
        playbook: writer.playbook(),
        before: None,
        untried: &[],
        pages: LeftPages::default(),
        low_divergence: false,
    };
    let mut before = Heirloom::assemble(&bare, std::iter::empty(), std::iter::empty(), 0);
    before.validations = vec![validator(1, Hash([3; 32])), validator(9, Hash([9; 32]))];
    let of = Bequeather {
        lineage: &lineage,
        clock: clock(),
        now: days(30),
        shelf: &shelf,
        book: &book,
        playbook: writer.playbook(),
        before: Some(&before),
        untried: &[],
        pages: LeftPages::default(),
        low_divergence: true,
    };
    Heirloom::assemble(&of, std::iter::empty(), staging.proposals(), INHERITANCE_BUDGET)
}

#[test]
fn it_holds_what_was_known_and_how_it_came_to_be() {
    let heirloom = assembled(20);
    let texts = |all: &[golem_clade::provenance::TravellingEntry]| {
        all.iter().map(|e| e.entry.body.text.clone()).collect::<Vec<_>>()
    };
    assert_eq!((heirloom.entries.len(), texts(&heirloom.questions).len()), (23, 1));
    let entries = texts(&heirloom.entries);
    assert!(entries.iter().any(|t| t.contains("killed me")), "blood also from the archive");
    assert!(!entries.iter().any(|t| t == "Kept aside." || t == "Faded."));
    assert_eq!(heirloom.hypotheses.len(), 1);
    assert!(heirloom.low_divergence);
    assert_eq!(heirloom.closed, clock().at(days(30)));
    let said = |n: u8, entry: Hash| heirloom.validations.iter().any(|v| v.validator == golem(n) && v.entry == entry);
    assert!(said(1, Hash([3; 32])) && said(3, Hash([3; 32])), "what was said before, and what this life adds");
    assert!(!heirloom.validations.iter().any(|v| v.entry == Hash([9; 32])), "of what is not in it nothing is said");
    for one in heirloom.entries.iter().chain(&heirloom.questions) {
        assert_eq!(one.passport.forgery(&one.entry.body, &heirloom.lineage, heirloom.closed), None, "{one:?}");
    }
}

#[test]
fn the_bottleneck_holds_and_it_reads_back_as_it_was() {
    let heirloom = assembled(2_500);
    assert_eq!(heirloom.entries.len(), INHERITANCE_BUDGET);
    let bytes = heirloom.canonical();
    assert_eq!(bytes, assembled(2_500).canonical(), "the same bytes for the same life");
    let again = Heirloom::read(&bytes).expect("what was written can be read");
    assert_eq!((&again, again.canonical() == bytes), (&heirloom, true));
    let head = format!("bardo heirloom 1 {}\n", heirloom.checksum());
    assert!(bytes.starts_with(head.as_bytes()));
}

fn sealed(json: &str) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 heirloom");
    hasher.update(json.as_bytes());
    format!("bardo heirloom 1 {}\n{json}", Hash(*hasher.finalize().as_bytes())).into_bytes()
}

#[test]
fn reading_is_strict() {
    let heirloom = assembled(3);
    let bytes = heirloom.canonical();
    let text = String::from_utf8(bytes.clone()).expect("it is text");
    let json = text.split_once('\n').expect("a first line").1;
    assert!(Heirloom::read(&sealed(json)).is_ok());
    let version = text.replacen("heirloom 1 ", "heirloom 2 ", 1);
    assert_eq!(Heirloom::read(version.as_bytes()), Err(HeirloomError::Version(2)));
    assert_eq!(
        Heirloom::read(text.replacen("heirloom 1 ", "heirloom 01 ", 1).as_bytes()),
        Err(HeirloomError::NotCanonical)
    );
    assert!(matches!(
        Heirloom::read(text.replacen("market", "marked", 1).as_bytes()),
        Err(HeirloomError::Checksum { .. })
    ));
    for other in [b"".as_slice(), b"\n", b"bardo heirloom", b"bardo heirloom 1 \n", b"\xff\xfe\n", b"PK\x03\x04"] {
        assert_eq!(Heirloom::read(other), Err(HeirloomError::NotOne));
    }
    // The same content in another form, and more than there is.
    for spelled in [
        json.replacen(',', ", ", 1),
        json.replacen('{', "{\"more\":1,", 1),
        json.replacen("\"quality\":0.6", "\"quality\":0.60", 1),
    ] {
        let found = Heirloom::read(&sealed(&spelled));
        assert!(matches!(found, Err(HeirloomError::NotCanonical | HeirloomError::Unreadable(_))), "{found:?}");
    }
    for number in ["null", "1e300", "NaN", "\"0.6\""] {
        let found = Heirloom::read(&sealed(&json.replacen("\"quality\":0.6", &format!("\"quality\":{number}"), 1)));
        assert!(matches!(found, Err(HeirloomError::Unreadable(_))), "{number}: {found:?}");
    }
    assert!(HeirloomError::NotOne.code() == 801 && !HeirloomError::NotCanonical.lifted_by().is_empty());
}

fn dream(number: u32, confirmed: u32) -> LineDream {
    LineDream {
        at: Timestamp(1_600_000_000 + i64::from(number)),
        dreamer: golem(3),
        number,
        quality_bp: 5_000,
        proposed: confirmed,
        confirmed,
        refuted: 0,
        expired: 0,
        said: vec![format!("Dream {number}.")],
    }
}

fn passage(about: Hash, text: &str) -> TestamentPassage {
    TestamentPassage { about, by: golem(3), section: None, text: text.to_owned() }
}

#[test]
fn the_newest_dreams_cross_and_of_the_older_those_that_came_true() {
    // A hundred nights; of the old ones only the tenth to the twelfth came true.
    let all: Vec<LineDream> = (0..100).map(|n| dream(n, u32::from((10..13).contains(&n)))).collect();
    let left = dreams_to_leave(all.clone());
    let numbers: Vec<u32> = left.iter().map(|d| d.number).collect();
    assert_eq!(left.len(), MOST_DREAMS);
    assert!(numbers[..16].iter().eq((84..100).rev().collect::<Vec<_>>().iter()), "{numbers:?}");
    assert!([10, 11, 12].iter().all(|n| numbers.contains(n)), "{numbers:?}");
    assert!(left.windows(2).all(|pair| pair[0].at > pair[1].at), "the newest first");
    assert_eq!(dreams_to_leave(all.into_iter().rev().chain(left.clone())), left, "in any order, and none twice");
    let untidy = LineDream {
        said: vec!["a\nb".into(), String::new(), "c".into(), "d".into(), "e".into(), "f".into()],
        ..dream(1, 0)
    };
    assert_eq!(untidy.bounded().said, ["a b", "c", "d", "e"]);
}

#[test]
fn what_was_never_tried_is_left_again_and_what_was_tried_is_not() {
    let (left, shelf) = (assembled(0), Shelf::default());
    let lineage = line(3);
    let writer = PlaybookWriter::new("younger".parse().expect("a name"), lineage.golem);
    let of = |proposals: &Staging, untried: &[UnfinishedHypothesis], shelf: &Shelf| {
        let of = Bequeather {
            lineage: &lineage,
            clock: clock(),
            now: days(30),
            shelf,
            book: &PassportBook::default(),
            playbook: writer.playbook(),
            before: Some(&left),
            untried,
            pages: LeftPages::default(),
            low_divergence: false,
        };
        Heirloom::assemble(&of, std::iter::empty(), proposals.proposals(), INHERITANCE_BUDGET).hypotheses
    };
    let heir = EntryOrigin { golem: lineage.golem, generation: 3 };
    let (one, none) = (&left.hypotheses[..], Staging::default());
    assert_eq!(of(&none, one, &shelf), one, "it lived too short a life to begin with it");
    let mut begun = Staging::default();
    assert!(matches!(begun.stage(&shelf, one[0].draft(0.3, heir, days(1)), days(1)), Staged::Added(_)));
    assert_eq!(of(&begun, one, &shelf).len(), 1, "it stands in it once");
    let mut believing = Shelf::default();
    assert!(believing.add(proven(one[0].body(heir, days(1)), 8_000)));
    assert_eq!(of(&none, one, &believing), [], "what is believed is finished");
    // The most promising first, whoever began it.
    let poor = UnfinishedHypothesis { hits: 0, misses: 9, text: "Poor.".into(), ..one[0].clone() };
    let rich = UnfinishedHypothesis { hits: 9, misses: 0, text: "Rich.".into(), ..one[0].clone() };
    let found = of(&none, &[poor, one[0].clone(), rich], &shelf);
    assert_eq!(found.iter().map(|h| h.hits).collect::<Vec<_>>(), [9, 0, 0]);
    assert_eq!(found[2].text, "Poor.");
}

/// Something done to an heirloom.
type Change<'a> = &'a dyn Fn(&mut Heirloom);

#[test]
fn what_is_out_of_bounds_is_named() {
    let heirloom = assembled(3);
    let longer = |change: Change<'_>| {
        let mut other = heirloom.clone();
        change(&mut other);
        Heirloom::read(&other.canonical()).err()
    };
    let one = heirloom.entries[0].clone();
    let table: [(Change<'_>, HeirloomBound); 11] = [
        (&|h| h.entries = vec![one.clone(); INHERITANCE_BUDGET + 1], HeirloomBound::Entries),
        (&|h| h.entries.push(one.clone()), HeirloomBound::Twice),
        (&|h| h.entries[0].entry.body.text = "x".repeat(20_000), HeirloomBound::Entry),
        (&|h| h.questions[0].entry.body.is_question = false, HeirloomBound::Questions),
        (&|h| h.hypotheses = vec![h.hypotheses[0].clone(); MOST_OPEN + 1], HeirloomBound::Hypotheses),
        (&|h| h.lineage.generation = 7, HeirloomBound::Lineage),
        (&|h| h.validations = vec![h.validations[0]; 20_000], HeirloomBound::Validations),
        (&|h| h.dreams = (0..=MOST_DREAMS as u32).map(|n| dream(n, 0)).collect(), HeirloomBound::Dreams),
        (&|h| h.dreams = vec![LineDream { said: vec!["x".repeat(241)], ..dream(1, 0) }], HeirloomBound::Dreams),
        (&|h| h.passages = vec![passage(Hash([77; 32]), "Of nothing.")], HeirloomBound::Passages),
        (&|h| h.passages = vec![passage(h.entries[0].passport.root, "Two\nlines.")], HeirloomBound::Passages),
    ];
    for (change, bound) in table {
        assert_eq!(longer(change), Some(HeirloomError::OutOfBounds(bound)));
    }
}

#[test]
fn a_preview_says_what_would_be_inherited() {
    let preview = InheritancePreview::of(&assembled(20));
    assert_eq!((preview.entries, preview.questions, preview.bloodstains), (23, 1, 1));
    assert_eq!((preview.from_the_dead, preview.thrice_survived), (23, 1));
    // Twenty stand at 0.9 and come at 0.765; the grandparents' at 0.722 comes at 0.614.
    assert_eq!(preview.before, [0, 0, 0, 0, 0, 0, 1, 1, 1, 20]);
    assert_eq!(preview.after, [0, 0, 0, 0, 0, 1, 2, 20, 0, 0]);
    assert_eq!(preview.trusted, [0, 0, 0, 0, 23, 0, 0, 0, 0, 0], "and nothing is trusted beyond 0.4");
    let domains: Vec<_> = preview.domains.iter().map(|(d, n)| (d.as_str(), *n)).collect();
    let wanted = [
        ("general/market.volume_ratio", 11),
        ("general/market.fee_yield_ratio", 10),
        ("general/market.return_15", 1),
        ("general/warning", 1),
    ];
    assert_eq!(domains, wanted);
}

#[test]
fn a_hypothesis_begins_anew_by_the_heirs_own_base_rate() {
    let left: UnfinishedHypothesis = assembled(0).hypotheses[0].clone();
    let heir = EntryOrigin { golem: GolemId([5; 16]), generation: 3 };
    let draft = left.draft(0.42, heir, days(1));
    assert_eq!((draft.base_rate, draft.source, draft.liminal), (0.42, Provenance::Testament, true));
    let mut staging = Staging::default();
    assert!(matches!(staging.stage(&Shelf::default(), draft, days(1)), Staged::Added(_)));
    let staged = staging.proposals().next().expect("it is staged");
    assert_eq!((staged.confidence_bp, staged.base_rate_bp, staged.trial.hits), (1_500, 4_200, 0));
    assert_eq!(UnfinishedHypothesis::of(staged).map(|h| h.claim), Some(left.claim));
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(Heirloom::read(&bytes).is_err());
        let mut with_head = b"bardo heirloom 1 ".to_vec();
        with_head.extend(&bytes);
        prop_assert!(Heirloom::read(&with_head).is_err());
        if let Ok(text) = std::str::from_utf8(&bytes) {
            prop_assert!(Heirloom::read(&sealed(text)).is_err());
        }
    }

    #[test]
    fn no_damage_passes_and_none_makes_it_panic(at in any::<prop::sample::Index>(), byte: u8, cut in any::<prop::sample::Index>()) {
        let bytes = assembled(2).canonical();
        let mut hurt = bytes.clone();
        let place = at.index(bytes.len());
        hurt[place] = byte;
        prop_assert_eq!(Heirloom::read(&hurt).is_ok(), hurt == bytes);
        prop_assert!(Heirloom::read(&bytes[..cut.index(bytes.len())]).is_err());
        // Sealed again by whoever damaged it: read or refused, and never another object under the same bytes.
        if let Some(json) = std::str::from_utf8(&hurt).ok().and_then(|t| t.split_once('\n')).map(|(_, json)| sealed(json))
            && let Ok(read) = Heirloom::read(&json)
        {
            prop_assert_eq!(read.canonical(), json);
        }
    }

    #[test]
    fn no_standing_makes_writing_panic(quality: f32, strength: f32, bp: u16, last: u64) {
        let mut heirloom = assembled(1);
        let entry = &mut heirloom.entries[0].entry.standing;
        *entry = Standing { quality, strength, confidence_bp: bp, last_validated: VirtualTime(last), ..entry.clone() };
        let read = Heirloom::read(&heirloom.canonical());
        prop_assert_eq!(read.is_ok(), quality.is_finite() && strength.is_finite());
    }
}
