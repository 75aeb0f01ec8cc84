//! PLAYBOOK.md: reads well, reads back, keeps what an owner wrote, and has one writer.

use golem_core::observed::{Expression, Field, Snapshot};
use golem_core::{GolemId, Tick, VirtualTime};
use golem_grimoire::change::{Change, NamedTable};
use golem_grimoire::entry::{Provenance, RuleAction};
use golem_grimoire::playbook::{
    Amendment, Author, FindingKind, KeptSection, MAX_RULES, OwnerChange, Playbook, PlaybookProblem, PlaybookSection,
    PlaybookWriter, Rule, RuleId, RuleSet, RuleWords, WriteRefusal, diff, edit, lint, parse, read, render,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

const PARAMETERS: &[&str] = &["lp_management.range_sigmas", "lp_management.rebalance_share", "momentum.reach"];

fn id(text: &str) -> RuleId {
    text.parse().expect("an id")
}

fn scale(parameter: &str, factor: f64) -> RuleAction {
    RuleAction::Scale { parameter: parameter.to_owned(), factor }
}

fn words(name: &str, title: &str, when: &str, action: RuleAction) -> RuleWords {
    RuleWords {
        id: id(name),
        title: title.to_owned(),
        when: Expression::compile(when).expect("it compiles"),
        action,
        because: "Moving costs more than it brings.".to_owned(),
        confidence_bp: 7_200,
        validated: 14,
        contradicted: 3,
        episodes: 9,
        source: Provenance::SelfGenerated,
        since: VirtualTime(12 * 86_400_000 + 23_400_000),
        note: String::new(),
    }
}

fn rule(name: &str, title: &str, when: &str, action: RuleAction) -> Rule {
    Rule::new(words(name, title, when, action)).expect("a rule")
}

fn put(rule: Rule) -> Amendment {
    Amendment::Put(Box::new(rule))
}

fn writer() -> PlaybookWriter {
    PlaybookWriter::new("ada".parse().expect("a name"), GolemId([0xa1; 16]))
}

fn two_rules() -> PlaybookWriter {
    let mut writer = writer();
    let wide = rule("1f", "Widen when gas is dear", "market.gas_ratio > 2.0", scale("lp_management.range_sigmas", 1.5));
    let calm = rule("2e", "Wait out storms", "market.regime == \"volatile\"", RuleAction::StandAside);
    let (revision, refused) = writer.curate(vec![put(wide), put(calm)]);
    assert!(revision.is_some() && refused.is_empty());
    writer
}

fn owner_edits(writer: &PlaybookWriter, change: impl Fn(String) -> String) -> (String, String) {
    let written = writer.text();
    let changed = change(written.clone());
    assert_ne!(written, changed, "the edit must do something");
    (written, changed)
}

const LATER: VirtualTime = VirtualTime(15 * 86_400_000);

#[test]
fn a_playbook_reads_well() {
    let text = two_rules().text();
    insta::assert_snapshot!(text);
    let reading = read(&text, PARAMETERS).expect("a playbook");
    assert!(reading.untouched && reading.problems.is_empty());
}

#[test]
fn every_revision_is_a_row_and_comes_back_from_it() {
    let mut writer = writer();
    let wide = rule("1f", "Widen", "market.gas_ratio > 2.0", scale("lp_management.range_sigmas", 1.5));
    let revision = writer.curate(vec![put(wide.clone())]).0.expect("something changed");
    assert_eq!((revision.number, revision.by, revision.diff.added.len()), (1, Author::Curator, 1));
    let Change::Row { table: NamedTable::Playbook, key, text, body } = &revision.change else { panic!("a row") };
    assert_eq!((key.as_str(), text), (PlaybookWriter::KEY, &revision.text));
    // It comes back as it was; who made the last revision is known only where it was made.
    let back = PlaybookWriter::restore(body).expect("whole");
    assert_eq!((back.playbook(), back.revised_by()), (writer.playbook(), None));
    assert_eq!(writer.revised_by(), Some(Author::Curator));
    assert_eq!(parse(&revision.text).expect("readable"), *writer.playbook());
    // The same again is no revision.
    assert_eq!(writer.curate(vec![put(wide)]), (None, vec![]));
    assert_eq!(
        writer.consolidate(vec![Amendment::Remove(id("1f"))]).0.map(|r| (r.number, r.by)),
        Some((2, Author::Dream))
    );
}

#[test]
fn an_altered_file_is_noticed_by_its_hash() {
    let text = two_rules().text();
    let altered = [
        text.replace("> 2.0", "> 2.5"),
        text.replace("0.72", "0.99"),
        text.replace("Widen when gas is dear", "Widen"),
        text.replace("14 validated", "15 validated"),
        format!("{text}\nA note.\n"),
        text.replace("- revision: 1", "- revision: 2"),
    ];
    for (i, altered) in altered.iter().enumerate() {
        assert!(!read(altered, &[]).expect("readable").untouched, "alteration {i}");
    }
    // Spacing says nothing.
    assert!(read(&text.replace("\n\n", "\n\n\n"), &[]).expect("readable").untouched);
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~\n\t]{0,60}",
        Just("## a heading\n- id: zz\n\n-->".to_owned()),
        Just("- when: `x`\n- do: risk 9".to_owned()),
        Just("# Playbook of eve\n<!-- not in force: x -->\nü \u{0} \u{202e}".to_owned()),
    ]
}

fn any_rule() -> impl Strategy<Value = RuleWords> {
    let when = prop::sample::select(vec![
        "market.gas_ratio > 2.0",
        "market.regime in [\"volatile\", \"unknown\"] && market.return_90 < -0.03",
        "!golem.senescent || market.price * 1.5 > 3e-5",
    ]);
    let action = prop_oneof![
        (0.5f64..=2.0).prop_map(|x| scale("lp_management.range_sigmas", x)),
        (0.0f64..=1.0).prop_map(|factor| RuleAction::Risk { factor }),
        Just(RuleAction::StandAside),
    ];
    let source = prop::sample::select(vec![
        Provenance::SelfGenerated,
        Provenance::Owner,
        Provenance::Dream,
        Provenance::Clade,
        Provenance::Replicant,
        Provenance::Marketplace,
        Provenance::Testament,
    ]);
    let numbers = (0u16..=10_000, any::<(u32, u32, u32)>(), 0u64..1 << 50);
    ((any_text(), any_text(), any_text()), when, action, source, numbers).prop_map(
        |(
            (title, because, note),
            when,
            action,
            source,
            (confidence_bp, (validated, contradicted, episodes), since),
        )| {
            RuleWords {
                title,
                because,
                note,
                confidence_bp,
                validated,
                contradicted,
                episodes,
                source,
                since: VirtualTime(since),
                ..words("x", "", when, action)
            }
        },
    )
}

/// Any playbook that the types allow, made through JSON because only the writer makes one otherwise.
fn playbook(rules: Vec<RuleWords>, notes: Vec<String>, preamble: &str) -> Playbook {
    let text = two_rules().text();
    let front = text.split("\n## ").next().expect("a front").to_owned();
    let mut playbook = serde_json::to_value(parse(&front).expect("readable")).expect("data");
    let rules = rules.into_iter().enumerate().map(|(i, words)| {
        let rule = Rule::new(RuleWords { id: id(&format!("r{i}")), ..words }).expect("a rule");
        serde_json::to_value(PlaybookSection::Rule(Box::new(rule))).expect("data")
    });
    let notes = notes.into_iter().map(|note| {
        let note: String = note.chars().filter(|c| c.is_ascii_alphanumeric() || *c == ' ').collect();
        let text = format!("## Note\n\nx{note}").trim_end().to_owned();
        serde_json::to_value(PlaybookSection::Kept(KeptSection { text, problem: None })).expect("data")
    });
    playbook["sections"] = rules.chain(notes).collect();
    playbook["preamble"] = preamble.trim().into();
    playbook["struck"] = serde_json::json!(["old-1", "old-2"]);
    serde_json::from_value(playbook).expect("a playbook")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn what_is_written_reads_back_as_it_was(
        rules in prop::collection::vec(any_rule(), 0..5),
        notes in prop::collection::vec(any_text(), 0..3),
        preamble in "[a-z ]{0,30}",
    ) {
        let playbook = playbook(rules, notes, &preamble);
        let text = render(&playbook);
        let back = read(&text, &[]).expect("readable");
        prop_assert_eq!(&back.problems, &vec![]);
        prop_assert_eq!(&back.playbook, &playbook, "{}", text);
        prop_assert!(back.untouched);
        prop_assert_eq!(render(&back.playbook), text);
    }

    #[test]
    fn no_text_makes_reading_fail_badly_and_what_is_read_survives_rewriting(noise in "(?s).{0,300}", at in 0usize..2_000) {
        let text = two_rules().text();
        let cut = (0..=at.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        for text in [noise.clone(), format!("{}{noise}{}", &text[..cut], &text[cut..])] {
            if let Ok(reading) = read(&text, PARAMETERS) {
                let again = read(&render(&reading.playbook), PARAMETERS).expect("our own text");
                prop_assert_eq!(&again.playbook, &reading.playbook);
            }
        }
    }
}

#[test]
fn problems_name_their_line_and_what_to_write() {
    let text = "# Playbook of ada\n\n- golem: a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1\n- revision: 3\n\n\
        ## One\n\n- when: `market.gas_ration > 2`\n- do: scale `lp_management.range_sigma` by 1.5\n\n\
        ## Two\n\n- when: market.gas_ratio > 2\n- do: buy everything\n- confidence: 150 %\n\n\
        ## Three\n\n- when: market.gas_ratio > 2\n- do: scale `lp_management.range_sigma` by 1.5\n\n\
        ## Four\n\n- when: market.gas_ratio > 2\n- do: scale momentum.reach by 40\n\n\
        ## Five\n\n- do: stand aside\n- source: heaven\n\n\
        ## Only words\n\nNothing to see.\n";
    let reading = read(text, PARAMETERS).expect("readable");
    let told: Vec<String> = reading.problems.iter().map(PlaybookProblem::to_string).collect();
    insta::assert_snapshot!(told.join("\n"));
    assert_eq!(reading.playbook.rules().count(), 0);
    insta::assert_snapshot!("the_same_written_again", render(&reading.playbook));
    for not_one in ["", "hello", "# Playbook of ada\n\n- revision: 1\n"] {
        assert!(!parse(not_one).expect_err("no playbook").is_empty(), "{not_one:?}");
    }
}

#[test]
fn an_owner_adds_changes_and_removes_rules() {
    let mut writer = two_rules();
    let (written, changed) = owner_edits(&writer, |text| {
        let text = text.replace("market.gas_ratio > 2.0", "market.gas_ratio > 2.5");
        let storms = text.find("## Wait out storms").expect("there");
        format!("{}## Be small when poor\n\n- when: golem.projected_life_h < 72\n- do: risk 0.5\n", &text[..storms])
    });
    let taken = edit(&written, &changed, PARAMETERS, LATER).expect("a playbook");
    assert_eq!(taken.problems, []);
    let kinds: Vec<_> = taken.changes.iter().collect();
    let [OwnerChange::Changed { from, to }, OwnerChange::Added(new), OwnerChange::Removed(gone)] = kinds.as_slice()
    else {
        panic!("{kinds:#?}")
    };
    assert_eq!((from.words().validated, to.words().validated, to.is_owners()), (14, 0, true));
    assert_eq!(to.words().when.source(), "market.gas_ratio > 2.5");
    assert_eq!((new.is_owners(), new.words().since, new.words().confidence_bp), (true, LATER, 6_000));
    assert_eq!(gone.id(), &id("2e"));
    let new_id = new.id().clone();
    let revision = writer.accept(taken).expect("something changed");
    assert_eq!((revision.number, revision.by), (2, Author::Owner));
    insta::assert_snapshot!(revision.diff.to_string());
    assert_eq!(writer.playbook().struck(), [id("2e")]);
    // Nobody brings back what the owner struck out, nor touches what the owner wrote.
    let calm = rule("2e", "Wait", "market.regime == \"volatile\"", RuleAction::StandAside);
    let wide = rule("1f", "Widen", "market.gas_ratio > 2.0", scale("lp_management.range_sigmas", 1.5));
    let (none, refused) = writer.curate(vec![put(calm), put(wide), Amendment::Remove(new_id)]);
    assert_eq!(none, None);
    assert_eq!(
        refused.iter().map(|(_, why)| *why).collect::<Vec<_>>(),
        [WriteRefusal::Struck, WriteRefusal::Owners, WriteRefusal::Owners]
    );
    // The text that was written is no edit of itself.
    let text = writer.text();
    assert!(edit(&text, &text, PARAMETERS, LATER).expect("a playbook").is_empty());
}

#[test]
fn a_broken_edit_leaves_the_rule_in_force_and_the_words_in_the_file() {
    let mut writer = two_rules();
    let before = writer.playbook().rule(&id("1f")).cloned();
    let (written, broken) =
        owner_edits(&writer, |text| text.replace("market.gas_ratio > 2.0", "market.gas_ration > 3.0"));
    let taken = edit(&written, &broken, PARAMETERS, LATER).expect("a playbook");
    assert_eq!(taken.changes, []);
    let line = 1 + broken.lines().position(|l| l.contains("gas_ration")).expect("there");
    assert_eq!(taken.problems.iter().map(|p| p.line).collect::<Vec<_>>(), [line]);
    assert!(taken.problems[0].what.contains("did you mean market.gas_ratio"), "{:?}", taken.problems);
    let revision = writer.accept(taken).expect("the words are kept");
    assert_eq!(writer.playbook().rule(&id("1f")).cloned(), before);
    insta::assert_snapshot!(revision.text);
    // Read again, it is the same playbook; repaired, it replaces the rule.
    assert_eq!(read(&revision.text, PARAMETERS).expect("readable").playbook, *writer.playbook());
    let (written, repaired) = owner_edits(&writer, |text| text.replace("gas_ration", "gas_ratio"));
    let taken = edit(&written, &repaired, PARAMETERS, LATER).expect("a playbook");
    assert_eq!(taken.problems, []);
    assert_eq!(taken.changes.len(), 1);
    writer.accept(taken).expect("something changed");
    let now = writer.playbook().rule(&id("1f")).expect("there");
    assert_eq!((now.words().when.source(), now.is_owners()), ("market.gas_ratio > 3.0", true));
    assert_eq!(writer.playbook().sections().len(), 2);
}

#[test]
fn evidence_is_measured_and_not_written() {
    let writer = two_rules();
    let (written, boasting) = owner_edits(&writer, |text| text.replacen("14 validated", "900 validated", 1));
    let taken = edit(&written, &boasting, PARAMETERS, LATER).expect("a playbook");
    assert_eq!((taken.changes.len(), taken.problems.len()), (0, 1));
    let (written, claiming) = owner_edits(&writer, |text| text.replacen("own experience", "owner", 1));
    let taken = edit(&written, &claiming, PARAMETERS, LATER).expect("a playbook");
    assert_eq!((taken.changes.len(), taken.problems.len()), (0, 1));
}

#[test]
fn notes_and_order_survive_what_the_curator_does() {
    let mut writer = two_rules();
    let (written, noted) = owner_edits(&writer, |text| {
        let text = text.replace("\n## Wait", "\nMy own words:\n\n- a list\n\n## Diary\n\nIt rained.\n\n## Wait");
        text.replace("\n## Widen", "\nDear golem, be good.\n\n## Widen")
    });
    let taken = edit(&written, &noted, PARAMETERS, LATER).expect("a playbook");
    assert_eq!((taken.changes.len(), taken.problems.len(), taken.is_empty()), (0, 0, false));
    writer.accept(taken).expect("something changed");
    assert!(writer.playbook().rules().all(|r| !r.is_owners()), "a note does not make a rule the owner's");
    let more = rule("3d", "Shrink in drawdown", "golem.drawdown > 0.2", RuleAction::Risk { factor: 0.5 });
    let evidence = Amendment::Evidence { id: id("2e"), confidence_bp: 8_000, validated: 20, contradicted: 3 };
    writer.curate(vec![put(more), evidence]).0.expect("something changed");
    for kept in ["Dear golem, be good.", "My own words:\n\n- a list", "## Diary\n\nIt rained."] {
        assert!(writer.text().contains(kept), "{kept:?} in\n{}", writer.text());
    }
}

#[test]
fn an_edit_of_an_older_revision_does_not_undo_newer_ones() {
    let mut writer = two_rules();
    let (written, changed) =
        owner_edits(&writer, |text| text.replace("market.gas_ratio > 2.0", "market.gas_ratio > 2.5"));
    let more = rule("3d", "Shrink in drawdown", "golem.drawdown > 0.2", RuleAction::Risk { factor: 0.5 });
    writer.curate(vec![put(more), Amendment::Remove(id("2e"))]).0.expect("something changed");
    writer.accept(edit(&written, &changed, PARAMETERS, LATER).expect("a playbook")).expect("something changed");
    let ids: Vec<_> = writer.playbook().rules().map(|r| r.id().as_str()).collect();
    assert_eq!(ids, ["1f", "3d"]);
    assert!(writer.playbook().rule(&id("1f")).is_some_and(Rule::is_owners));
    // A file that is no playbook any more is not taken at all.
    assert!(edit(&written, "oops", PARAMETERS, LATER).is_err());
    assert!(edit(&written, &changed.replace("a1a1", "b2b2"), PARAMETERS, LATER).is_err());
}

#[test]
fn a_full_playbook_gives_up_its_weakest_rule_for_a_surer_one_only() {
    let mut writer = writer();
    let many = |n: usize, bp: u16| {
        let when = format!("golem.tick == {n}");
        Rule::new(RuleWords { confidence_bp: bp, ..words(&format!("r{n}"), "Rule", &when, RuleAction::StandAside) })
    };
    let all = (0..MAX_RULES).map(|n| put(many(n, 5_000 + n as u16).expect("a rule"))).collect();
    assert_eq!(writer.curate(all).1, []);
    let refused = writer.curate(vec![put(many(900, 5_000).expect("a rule"))]).1;
    assert_eq!(refused.first().map(|(_, why)| *why), Some(WriteRefusal::Full));
    let revision = writer.curate(vec![put(many(901, 9_000).expect("a rule"))]).0.expect("it fits");
    assert_eq!(revision.diff.removed.first().map(|r| r.id().as_str()), Some("r0"));
    assert_eq!(writer.playbook().rules().count(), MAX_RULES);
    let again = rule("zz", "Again", "golem.tick == 901", RuleAction::StandAside);
    assert_eq!(writer.curate(vec![put(again)]).1.first().map(|(_, why)| *why), Some(WriteRefusal::Duplicate));
}

#[test]
fn oddities_are_found() {
    let reach = |factor| scale("momentum.reach", factor);
    let rules = [
        words("a1", "Dead", "market.gas_ratio > 3.0 && market.gas_ratio < 2.0", RuleAction::StandAside),
        words("b1", "Reach far", "market.return_90 > 0.02", reach(1.5)),
        words("b2", "Reach near", "market.return_90 > 0.01 && market.volume > 5.0", reach(0.8)),
        words("b3", "Reach near when falling", "market.return_90 < -0.02", reach(0.8)),
        words("c1", "Typo", "market.price > 1.0", scale("momentum.raech", 1.5)),
        words("d1", "Nothing", "market.price > 1.0", reach(1.0)),
        words("e1", "Reach far again", "market.return_90 > 0.02", reach(1.5)),
    ];
    let found = lint(&playbook(rules.into(), vec![], ""), PARAMETERS);
    insta::assert_snapshot!(found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    let kinds: Vec<_> = found.iter().map(|f| f.kind).collect();
    use FindingKind::{Contradiction, Dead, Duplicate, Idle, UnknownParameter};
    assert_eq!(kinds, [Dead, Contradiction, UnknownParameter, Idle, Duplicate, Contradiction]);
    assert_eq!(lint(two_rules().playbook(), PARAMETERS), []);
    assert!(diff(two_rules().playbook(), two_rules().playbook()).is_empty());
}

fn seen(gas: f64, life_h: f64) -> Snapshot {
    let mut seen = Snapshot::new();
    seen.set_number(Field::MarketGasRatio, gas).expect("a number");
    seen.set_number(Field::GolemProjectedLifeH, life_h).expect("a number");
    seen
}

fn set(rules: Vec<RuleWords>) -> RuleSet {
    RuleSet::new(&playbook(rules, vec![], ""), &BTreeMap::new())
}

/// Ten turns with the same snapshot: every rule has been asked.
fn settle(set: &mut RuleSet, seen: &Snapshot, from: u64) {
    for turn in from..from + 10 {
        set.fire(seen, Tick(turn));
    }
}

#[test]
fn rules_that_hold_are_combined_within_bounds() {
    let gas = "market.gas_ratio > 2.0";
    let owners = |words: RuleWords| RuleWords { source: Provenance::Owner, ..words };
    let mut set = set(vec![
        words("x", "a", gas, scale("momentum.reach", 1.6)),
        words("x", "b", "market.gas_ratio > 2.0 && golem.projected_life_h > 1", scale("momentum.reach", 1.5)),
        words("x", "c", gas, scale("lp_management.range_sigmas", 0.8)),
        words("x", "d", gas, RuleAction::Risk { factor: 0.5 }),
        words("x", "e", "market.gas_ratio > 2.0 && golem.projected_life_h > 1", RuleAction::Risk { factor: 0.5 }),
        words("x", "f", "golem.projected_life_h < 72", RuleAction::StandAside),
        owners(words("x", "g", "golem.projected_life_h < 72", RuleAction::Risk { factor: 2.0 })),
    ]);
    settle(&mut set, &seen(1.0, 100.0), 0);
    assert_eq!((set.now().risk, set.now().stand_aside, set.now().ids.len()), (1.0, false, 0));
    assert_eq!(set.never_fired(), 6, "an owner's rule was never promoted");
    settle(&mut set, &seen(3.0, 100.0), 10);
    let now = set.now().clone();
    assert_eq!(
        now.scale.into_iter().collect::<Vec<_>>(),
        [("lp_management.range_sigmas".into(), 0.8), ("momentum.reach".into(), 2.0)]
    );
    assert_eq!((now.risk, now.stand_aside, now.ids.len()), (0.25, false, 5));
    settle(&mut set, &seen(3.0, 50.0), 20);
    assert_eq!((set.now().risk, set.now().stand_aside), (0.5, true));
    assert_eq!(set.never_fired(), 0);
    settle(&mut set, &seen(1.0, 50.0), 30);
    assert_eq!(set.now().risk.to_bits(), 2.0f64.to_bits(), "only an owner's rule raises risk");
    // What is not observed does not hold.
    settle(&mut set, &Snapshot::new(), 40);
    assert_eq!(set.now().ids, []);
}

#[test]
fn rules_of_one_family_do_not_multiply() {
    let risk = |factor| RuleAction::Risk { factor };
    let rules = [
        words("x", "a", "market.gas_ratio > 1.5", risk(0.8)),
        words("x", "b", "market.gas_ratio > 2.0", risk(0.5)),
        words("x", "c", "market.gas_ratio > 2.5", risk(0.8)),
        words("x", "d", "market.gas_ratio > 1.5", scale("lp_management.range_sigmas", 1.3)),
        words("x", "e", "market.gas_ratio > 2.0", scale("lp_management.range_sigmas", 1.2)),
    ];
    let mut own = set(rules.to_vec());
    settle(&mut own, &seen(3.0, 100.0), 0);
    assert_eq!((own.now().risk, own.now().scale["lp_management.range_sigmas"]), (0.5, 1.3), "the strongest of each");
    assert_eq!(own.now().ids.len(), 5, "all of them hold");
    // Nor do they stand beside each other: a surer one takes the place of a less sure one.
    let mut writer = writer();
    let rule = |id: &str, when: &str, bp| {
        put(Rule::new(RuleWords { confidence_bp: bp, ..words(id, "Rule", when, risk(0.5)) }).expect("a rule"))
    };
    assert_eq!(writer.curate(vec![rule("a1", "market.gas_ratio > 1.5", 7_000)]).1, []);
    let refused = writer.curate(vec![rule("a2", "market.gas_ratio > 2.0", 7_000)]).1;
    assert_eq!(refused.first().map(|(_, why)| *why), Some(WriteRefusal::Duplicate));
    assert_eq!(writer.curate(vec![rule("a3", "market.gas_ratio > 3.0", 8_000)]).1, []);
    assert_eq!(writer.playbook().rules().map(|r| r.id().as_str()).collect::<Vec<_>>(), ["a3"]);
    assert_eq!(writer.curate(vec![rule("a4", "market.gas_ratio < 0.5", 7_000)]).1, [], "another end, another family");
}

#[test]
fn a_rule_that_holds_nine_turns_in_ten_is_a_setting() {
    let rules = [
        words("x", "always", "market.gas_ratio > 0.5", RuleAction::Risk { factor: 0.8 }),
        words("x", "mostly", "market.gas_ratio > 1.5", RuleAction::StandAside),
        RuleWords {
            source: Provenance::Owner,
            ..words("x", "as the owner likes", "market.gas_ratio > 0.4", RuleAction::Risk { factor: 0.9 })
        },
    ];
    let mut set = set(rules.to_vec());
    for round in 0..220 {
        // High in four of five.
        settle(&mut set, &seen(if round % 5 == 0 { 1.0 } else { 2.0 }, 1.0), round * 10);
        assert!(round > 213 || set.settings().count() == 0, "a day is needed to say so");
    }
    assert_eq!(set.settings().map(|r| r.words().title.as_str()).collect::<Vec<_>>(), ["always"]);
    let counted = RuleSet::new(&playbook(rules.to_vec(), vec![], ""), &set.firings());
    assert_eq!(counted, set, "and it is remembered");
}

#[test]
fn only_an_owner_can_write_a_rule_that_raises_risk() {
    let greedy = words("x", "Greed", "market.price > 1.0", RuleAction::Risk { factor: 1.5 });
    assert!(Rule::new(greedy.clone()).is_err());
    let owners = Rule::new(RuleWords { source: Provenance::Owner, ..greedy }).expect("the owner may");
    assert_eq!(writer().curate(vec![put(owners)]).1.first().map(|(_, why)| *why), Some(WriteRefusal::Owners));
}

#[test]
fn firings_are_counted_and_outlive_restarts_and_revisions() {
    let gas = words("x", "a", "market.gas_ratio > 2.0", RuleAction::StandAside);
    let book = playbook(vec![gas.clone()], vec![], "");
    let mut set = RuleSet::new(&book, &BTreeMap::new());
    for (gas, from) in [(3.0, 0), (3.0, 10), (1.0, 20), (3.0, 30)] {
        settle(&mut set, &seen(gas, 1.0), from);
    }
    let firing = set.firing(&id("r0")).expect("there");
    assert_eq!((firing.times, firing.last, firing.holds), (2, Some(Tick(30)), true));
    let again = RuleSet::new(&book, &set.firings());
    assert_eq!(again, set);
    // Other words, the same rule; another condition, another rule.
    set.revise(&playbook(vec![RuleWords { because: "else".into(), ..gas.clone() }], vec![], ""));
    assert_eq!(set.firing(&id("r0")), Some(firing));
    set.revise(&playbook(vec![words("x", "a", "market.gas_ratio > 2.5", RuleAction::StandAside)], vec![], ""));
    assert_eq!(set.firing(&id("r0")).map(|f| f.times), Some(0));
    assert_eq!(set.now().ids, []);
}

#[test]
fn at_most_eight_rules_are_asked_in_a_turn_and_all_are_in_time() {
    let when = |n: usize| format!("market.gas_ratio > {n}.5");
    let mut set = set((0..MAX_RULES).map(|n| words("x", "a", &when(n), RuleAction::StandAside)).collect());
    let mut before = 0;
    for turn in 0..25 {
        let now = set.fire(&seen(1e6, 1.0), Tick(turn)).ids.len();
        assert!(now - before <= 8, "{} in turn {turn}", now - before);
        before = now;
    }
    assert_eq!(before, MAX_RULES);
}
