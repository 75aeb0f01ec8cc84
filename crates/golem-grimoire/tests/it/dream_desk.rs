//! The door through which dreams reach what is known: what their hands do to episodes and beliefs, and what becomes of what
//! they propose, awake and asleep.

use crate::kit::{File, active, body, claim, claiming, days, episode, origin};
use crate::staging::world::{FEES, GAS, TICK, draft, seen};
use golem_core::{Name, Regime, Tick, VirtualTime};
use golem_grimoire::change::Change;
use golem_grimoire::grimoire::{DreamtEnd, JudgedDream, Observed, OwnerVerdict, REPLAY_STRENGTH};
use golem_grimoire::staging::{ProposalDraft, Proposed, ProposedRevision, Staged};
use golem_grimoire::{
    Entry, EntryBody, EntryKind, EntryStatus, Episode, EpisodeId, Grimoire, Marks, Provenance, RuleAction,
    WarningSeverity,
};

fn name() -> Name {
    "sleeper".parse().unwrap()
}

/// A golem that knows these, and has lived four days that stirred it.
fn knowing(entries: &[Entry]) -> Grimoire {
    let mut file = File::default();
    let add = |e: &Entry| Change::Entry { entry: Box::new(e.clone()), embedding: None };
    file.write(entries.iter().map(add).collect());
    let state = Grimoire::new(name(), origin()).state();
    let mut grimoire = Grimoire::rebuild(name(), origin(), state, &file.remembered()).unwrap();
    for n in 1..=4 {
        grimoire.record(Episode { affect: Some([0.0, 0.8, 0.0]), ..episode(n, days(n)) });
    }
    grimoire
}

fn marks(grimoire: &Grimoire, id: u64) -> Marks {
    *grimoire.shelf().marks(EpisodeId(id)).expect("it was lived")
}

fn arousal(grimoire: &Grimoire, id: u64) -> f32 {
    grimoire.shelf().episode(EpisodeId(id)).expect("it was lived").arousal(&marks(grimoire, id))
}

#[test]
fn what_was_felt_is_calmed_by_a_share_each_time_and_what_happened_stays() {
    let mut grimoire = knowing(&[]);
    let before = grimoire.shelf().episode(EpisodeId(1)).unwrap().clone();
    // What is no share, or none at all, is as good as nothing or everything.
    for (keep, left) in [(0.6, 0.48), (0.6, 0.288), (f32::NAN, 0.288), (7.0, 0.288), (-1.0, 0.0), (1.0, 0.0)] {
        grimoire.dream_desk(days(9)).calmed(&[EpisodeId(1), EpisodeId(2)], keep);
        for id in [1, 2] {
            assert!((arousal(&grimoire, id) - left).abs() < 1e-6, "{keep} {id}: {}", arousal(&grimoire, id));
        }
        assert!((arousal(&grimoire, 3) - 0.8).abs() < 1e-6, "the others still stir");
    }
    assert_eq!(grimoire.shelf().episode(EpisodeId(1)), Some(&before), "facts are untouched");
}

#[test]
fn the_most_that_was_regretted_is_kept() {
    let mut grimoire = knowing(&[]);
    for (more, kept) in [(12.0, 12.0), (5.0, 12.0), (f32::INFINITY, 12.0), (f32::NAN, 12.0), (30.0, 30.0), (-9.0, 30.0)]
    {
        grimoire.dream_desk(days(9)).regretted(EpisodeId(2), more);
        assert_eq!(marks(&grimoire, 2).regret_bps, Some(kept), "{more}");
    }
    grimoire.dream_desk(days(9)).regretted(EpisodeId(3), -4.0);
    assert_eq!(marks(&grimoire, 3).regret_bps, Some(0.0), "who chose best regrets nothing");
    assert_eq!(marks(&grimoire, 1).regret_bps, None);
}

#[test]
fn what_was_replayed_is_firmer_and_what_was_let_go_is_not_come_back_to() {
    let mut grimoire = knowing(&[]);
    let mut desk = grimoire.dream_desk(days(9));
    desk.replayed(&[EpisodeId(1)], REPLAY_STRENGTH);
    desk.let_go(&[EpisodeId(2), EpisodeId(99)]);
    let (played, gone, other) = (marks(&grimoire, 1), marks(&grimoire, 2), marks(&grimoire, 3));
    assert_eq!((played.strength, played.replays, played.replayed), (1.5, 1, Some(days(9))));
    assert!(!played.let_go && gone.let_go && !gone.dream_priority && !other.let_go);
    assert!(!gone.consolidated, "what waking hours make of it stays theirs");
    assert_eq!((gone.replays, gone.strength), (0, 1.0), "it was not replayed for that");
}

#[test]
fn a_belief_that_is_met_again_is_firmer_and_no_surer() {
    let known = active(claiming(GAS, FEES), 7_000);
    let mut grimoire = knowing(std::slice::from_ref(&known));
    let mut strength = known.standing.strength;
    for _ in 0..20 {
        grimoire.dream_desk(days(9)).strengthen(known.id, REPLAY_STRENGTH);
        strength = (strength + REPLAY_STRENGTH).min(8.0);
        let after = &grimoire.shelf().entry(known.id).unwrap().standing;
        assert!((after.strength - strength).abs() < 1e-6, "{after:?}");
        assert_eq!((after.confidence_bp, after.validated, after.own_validation), (7_000, 0, false));
    }
}

#[test]
fn a_dream_may_warn_at_once_and_order_nothing() {
    let mut grimoire = knowing(&[]);
    let mut desk = grimoire.dream_desk(days(9));
    let warning = |text: &str| EntryBody {
        severity: Some(WarningSeverity::High),
        claim: Some(claim(GAS, "market.return_90 < 0.0", 90)),
        ..body(EntryKind::Warning, text)
    };
    let dreamt = desk.body(EntryKind::Warning, String::new());
    assert_eq!((dreamt.provenance, dreamt.learnt_at), (Provenance::Dream, days(9)), "who speaks here is a dream");
    let id = desk.warn(warning("A flash crash costs a fifth."), 3).expect("it is heard");
    for refused in [
        EntryBody { kind: EntryKind::Insight, ..warning("A gas war costs a tenth.") },
        EntryBody { action: Some(RuleAction::StandAside), ..warning("Stay away from it all.") },
    ] {
        assert_eq!(desk.warn(refused, 3), None);
    }
    let entry = grimoire.shelf().entry(id).unwrap();
    assert_eq!((entry.standing.status, entry.standing.own_validation), (EntryStatus::Active, true));
    assert_eq!(grimoire.shelf().entries().count(), 1);
}

/// What a dream proposes.
fn dreamt(when: &str) -> ProposalDraft {
    let of = EntryBody { provenance: Provenance::Dream, ..claiming(when, FEES) };
    ProposalDraft { change: Proposed::Entry(Box::new(of)), ..draft(when, FEES) }
}

/// Live with gas and fees high, asleep or awake, until something that was dreamt is judged.
fn judged(grimoire: &mut Grimoire, from: u64, asleep: bool) -> Vec<JudgedDream> {
    let seen = seen(3.0, 3.0);
    for tick in from..from + 5_000 {
        let now = VirtualTime(tick * TICK);
        let Observed { dreamt, .. } = match asleep {
            true => grimoire.observe_asleep(now, &seen),
            false => grimoire.observe(Tick(tick), now, Regime::RangeBound, &seen),
        };
        if !dreamt.is_empty() {
            return dreamt;
        }
    }
    panic!("nothing was judged");
}

#[test]
fn what_comes_true_is_judged_with_its_entry_also_while_it_sleeps() {
    for asleep in [false, true] {
        let mut grimoire = knowing(&[]);
        assert!(matches!(grimoire.dream_desk(VirtualTime(0)).stage(dreamt(GAS), 10), Staged::Added(_)));
        let judged = judged(&mut grimoire, 1, asleep);
        let [JudgedDream { proposal: 1, end: DreamtEnd::CameTrue, entry: Some(entry), .. }] = judged[..] else {
            panic!("{judged:?}");
        };
        let standing = &grimoire.shelf().entry(entry).expect("it is believed").standing;
        assert!(standing.own_validation && standing.dream_validated, "{standing:?}");
    }
}

#[test]
fn what_came_true_and_was_known_meanwhile_is_turned_away() {
    let mut grimoire = knowing(&[]);
    let mut file = File::default();
    assert!(matches!(grimoire.dream_desk(VirtualTime(0)).stage(dreamt(GAS), 10), Staged::Added(_)));
    file.write(grimoire.take_changes());
    // While it is being tested, the golem comes to believe the same by another way.
    let twin = active(claiming(GAS, FEES), 7_000);
    file.write(vec![Change::Entry { entry: Box::new(twin), embedding: None }]);
    let mut grimoire = Grimoire::rebuild(name(), origin(), grimoire.state(), &file.remembered()).unwrap();
    let judged = judged(&mut grimoire, 1, false);
    assert!(
        matches!(judged[..], [JudgedDream { proposal: 1, end: DreamtEnd::TurnedAway, entry: None, .. }]),
        "{judged:?}"
    );
    assert_eq!(grimoire.shelf().entries().count(), 1, "nothing new is believed");
}

/// Who made a revision is what an owner is told of it.
#[test]
fn a_rule_that_a_dream_brought_is_a_dreams_revision_and_what_takes_it_out_again_is_not() {
    for asleep in [false, true] {
        let mut grimoire = knowing(&[]);
        let rule = EntryBody {
            kind: EntryKind::Heuristic,
            action: Some(RuleAction::Risk { factor: 0.5 }),
            provenance: Provenance::Dream,
            ..claiming(GAS, FEES)
        };
        let change = Proposed::Revision(ProposedRevision::Add(Box::new(rule)));
        let staged = grimoire.dream_desk(VirtualTime(0)).stage(ProposalDraft { change, ..draft(GAS, FEES) }, 10);
        assert!(matches!(staged, Staged::Added(_)), "{staged:?}");
        assert!(!grimoire.is_revision_dreamt(), "nothing came of it yet");
        let seen = seen(3.0, 3.0);
        let revised = (1..5_000).find_map(|tick| {
            let now = VirtualTime(tick * TICK);
            let Observed { revised, .. } = match asleep {
                true => grimoire.observe_asleep(now, &seen),
                false => grimoire.observe(Tick(tick), now, Regime::RangeBound, &seen),
            };
            revised.map(|_| now)
        });
        let now = revised.expect("it comes true");
        assert!(grimoire.is_revision_dreamt() && grimoire.playbook().rules().count() == 1);
        // It has not fired yet: whoever tidies up takes it out, and that is no dream's doing.
        let (gone, revised) = grimoire.retire_idle(now);
        assert!(gone == 1 && revised.is_some() && !grimoire.is_revision_dreamt(), "{gone} {revised:?}");
    }
}

#[test]
fn a_belief_that_is_checked_again_is_told_with_every_full_block() {
    let known = active(claiming(GAS, FEES), 7_000);
    let mut grimoire = knowing(std::slice::from_ref(&known));
    let mut blocks = Vec::new();
    let dice = golem_core::Secret::from_seed(1).dice(golem_core::Strand::Market);
    for tick in 1..5_000 {
        let now = VirtualTime(tick * TICK);
        // Dear gas, and fees that are high for the first while and low ever after.
        let seen = seen(3.0, if tick < 2_000 { 3.0 } else { 1.0 });
        blocks.extend(grimoire.observe(Tick(tick), now, Regime::RangeBound, &seen).blocks);
        grimoire.reflect(Tick(tick), now, Default::default(), &dice, true);
    }
    blocks.retain(|(id, _)| *id == known.id);
    assert!(blocks.len() > 1, "{blocks:?}");
    assert_eq!((blocks[0].1, blocks[blocks.len() - 1].1), (true, false), "{blocks:?}");
}

#[test]
fn an_owners_yes_is_no_evidence() {
    let mut grimoire = knowing(&[]);
    for (number, when, approved) in [(1, GAS, true), (2, "market.gas_ratio > 4.0", false)] {
        assert!(matches!(grimoire.dream_desk(VirtualTime(0)).stage(dreamt(when), 10), Staged::Added(_)));
        let (verdict, judged) = grimoire.judged_by_owner(number, approved, days(1));
        assert_eq!(matches!(verdict, OwnerVerdict::Admitted { .. }), approved, "{verdict:?}");
        let [JudgedDream { proposal, end: DreamtEnd::ByOwner, entry: None, .. }] = judged[..] else {
            panic!("{judged:?}");
        };
        assert_eq!(proposal, number);
    }
    let entry = grimoire.shelf().entries().next().expect("what its owner wants is in use");
    let s = &entry.standing;
    assert_eq!((s.own_validation, s.dream_validated, s.validators), (false, false, 0), "reality has not spoken");
    assert_eq!(s.status, EntryStatus::Active);
    let (verdict, judged) = grimoire.judged_by_owner(77, true, days(1));
    assert_eq!((verdict, judged), (OwnerVerdict::NoSuchProposal, Vec::new()));
}
