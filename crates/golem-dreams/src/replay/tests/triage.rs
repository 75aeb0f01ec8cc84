//! What becomes of replayed episodes.

use super::super::kit::{act, on_axis, plain};
use super::super::known::ReplayKnown;
use super::super::rules::ReplayRules;
use super::super::select::{ChosenEpisode, ChosenFor};
use super::super::triage::{TriageFound, TriageVerdict, count, sort};
use super::super::utility::WeighedEpisode;
use super::pairs;
use golem_grimoire::{Episode, EpisodeId, Importance, Marks};

/// Everything that can matter about one episode.
struct TriageCase {
    episode: Episode,
    marks: Marks,
    utility: f64,
    known: ReplayKnown,
    found: TriageFound,
}

fn verdict(change: impl FnOnce(&mut TriageCase)) -> TriageVerdict {
    let mut case = TriageCase {
        episode: plain(1),
        marks: Marks::default(),
        utility: 0.25,
        known: ReplayKnown::default(),
        found: TriageFound::default(),
    };
    change(&mut case);
    let of = WeighedEpisode {
        episode: &case.episode,
        marks: &case.marks,
        gain: 0.0,
        need: 0.0,
        utility: case.utility,
        confusion: 0.0,
    };
    let chosen = [ChosenEpisode { of, why: ChosenFor::Order }];
    let sorted = sort(&ReplayRules::default(), &case.known, &case.found, &chosen, &[]);
    assert_eq!(sorted.len(), 1);
    sorted[0].1
}

const ONE: EpisodeId = EpisodeId(1);

#[test]
fn every_verdict_has_its_conditions() {
    use TriageVerdict::{Abstract, Forget, Preserve, Wait};
    let worn = |case: &mut TriageCase| (case.utility, case.marks.replays) = (0.19, 2);
    type Change<'a> = &'a dyn Fn(&mut TriageCase);
    let table: [(&str, TriageVerdict, Change<'_>); 17] = [
        ("nothing is known", Wait, &|_| {}),
        ("useful", Wait, &|c| c.utility = 0.9),
        ("validated and useful", Preserve, &|c| (c.utility, _) = (0.3, c.known.validated.insert(ONE))),
        ("validated and less so", Wait, &|c| (c.utility, _) = (0.29, c.known.validated.insert(ONE))),
        ("validated, useful and a rule", Preserve, &|c| {
            (c.utility, _, _) = (0.3, c.known.validated.insert(ONE), c.known.distilled.insert(ONE));
        }),
        ("a rule was made of it", Abstract, &|c| _ = c.known.distilled.insert(ONE)),
        ("part of a pattern", Abstract, &|c| _ = c.found.in_patterns.insert(ONE)),
        ("worn out", Forget, &|c| worn(c)),
        ("worn out but of use", Wait, &|c| (_, c.utility) = (worn(c), 0.2)),
        ("replayed twice", Wait, &|c| (_, c.marks.replays) = (worn(c), 1)),
        ("worn out but not in vain", Wait, &|c| _ = (worn(c), c.found.brought_something.insert(ONE))),
        ("worn out but a rule", Abstract, &|c| _ = (worn(c), c.known.distilled.insert(ONE))),
        ("worn out but validated", Wait, &|c| _ = (worn(c), c.known.validated.insert(ONE))),
        ("contradicted", Forget, &|c| (c.utility, _) = (0.19, c.known.contradicted.insert(ONE))),
        ("contradicted but of use", Wait, &|c| (c.utility, _) = (0.2, c.known.contradicted.insert(ONE))),
        ("worn out but marked", Wait, &|c| (_, c.marks.dream_priority) = (worn(c), true)),
        ("worn out but critical", Wait, &|c| (_, c.episode.importance) = (worn(c), Importance::Critical)),
    ];
    for (name, want, change) in table {
        assert_eq!(verdict(change), want, "{name}");
    }
}

#[test]
fn one_of_many_that_ended_alike_is_a_rule() {
    let lived = |id, bps, axis| {
        let episode = Episode { situation: on_axis(axis, 1.0), ..act(id, 1, 0) };
        (episode, Marks { outcome_bps: Some(bps), ..Marks::default() })
    };
    // One, and as many like it as are asked for: three is the rule, itself not counted.
    let sorted = |others: &[(f32, usize)]| {
        let others = others.iter().zip(2..).map(|((bps, axis), id)| lived(id, *bps, *axis));
        let all: Vec<_> = std::iter::once(lived(1, 5.0, 3)).chain(others).collect();
        let (episode, marks) = (&all[0].0, &all[0].1);
        let of = WeighedEpisode { episode, marks, gain: 0.0, need: 0.0, utility: 0.5, confusion: 0.0 };
        let chosen = [ChosenEpisode { of, why: ChosenFor::Order }];
        sort(&ReplayRules::default(), &ReplayKnown::default(), &TriageFound::default(), &chosen, &pairs(&all))[0].1
    };
    assert_eq!(sorted(&[(1.0, 3), (9.0, 3), (2.0, 3)]), TriageVerdict::Abstract);
    assert_eq!(sorted(&[(1.0, 3), (9.0, 3)]), TriageVerdict::Wait, "two others");
    assert_eq!(sorted(&[(1.0, 3), (9.0, 3), (-2.0, 3)]), TriageVerdict::Wait, "another end");
    assert_eq!(sorted(&[(1.0, 3), (9.0, 3), (2.0, 4)]), TriageVerdict::Wait, "another place");
}

#[test]
fn verdicts_are_counted() {
    use TriageVerdict::{Abstract, Forget, Preserve, Wait};
    let all = [Preserve, Abstract, Abstract, Forget, Forget, Forget, Wait];
    let counted = count(&all.map(|v| (ONE, v)));
    assert_eq!((counted.preserve, counted.r#abstract, counted.forget), (1, 2, 3));
}
