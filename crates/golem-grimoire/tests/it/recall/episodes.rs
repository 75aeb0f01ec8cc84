//! Finding episodes.

use golem_core::VirtualTime;
use golem_core::door::rounded;
use golem_grimoire::retrieval::{EpisodeQuery, Episodes, Ranks};
use golem_grimoire::{EpisodeId, Situation};
use proptest::prelude::*;

fn situation() -> impl Strategy<Value = Situation> {
    prop::array::uniform24(prop_oneof![Just(0.0f32), Just(1.0), Just(-2.0)]).prop_map(Situation)
}

fn life() -> impl Strategy<Value = Vec<(VirtualTime, Situation, [f32; 3])>> {
    let one = (0u64..5, situation(), prop::array::uniform3(-1f32..1.0));
    prop::collection::vec(one, 1..60).prop_map(|all| {
        let mut age = 0;
        all.into_iter()
            .map(|(later, here, v)| {
                age += later;
                (VirtualTime(age), here, v)
            })
            .collect()
    })
}

fn remembered(life: &[(VirtualTime, Situation, [f32; 3])]) -> Episodes {
    let mut out = Episodes::default();
    for (id, (age, here, v)) in (1..).zip(life) {
        assert!(out.add(EpisodeId(id), *age, here, Some(&rounded("m", v))));
    }
    out
}

proptest! {
    #[test]
    fn the_past_is_found_as_if_nothing_had_come_later(life in life(), cut in 0u64..150, here in situation()) {
        let cut = VirtualTime(cut);
        let then: Vec<_> = life.iter().filter(|(age, ..)| *age <= cut).copied().collect();
        let text = rounded("m", &[1.0, 0.5, -0.5]);
        let ask = |from: &Episodes| {
            let query = EpisodeQuery {
                as_of: cut,
                situation: Some(here),
                embedding: Some(&text),
                ..EpisodeQuery::default()
            };
            from.recall(&query, 9)
        };
        let hits = ask(&remembered(&life));
        prop_assert_eq!(&hits, &ask(&remembered(&then)));
        prop_assert!(hits.iter().all(|hit| life[hit.id.0 as usize - 1].0 <= cut));
    }

    #[test]
    fn situations_are_ranked_by_their_cosine(life in life(), here in situation()) {
        let found = remembered(&life).like(&here, VirtualTime(u64::MAX), 10);
        let mut expected: Vec<_> = (1..).zip(&life).map(|(id, (_, s, _))| (s.cosine(&here), id)).collect();
        expected.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        if here.norm() > 0.0 {
            for (found, (cosine, _)) in found.iter().zip(&expected) {
                prop_assert!((found.cosine - cosine).abs() < 1e-5);
            }
            prop_assert_eq!(found.len(), expected.len().min(10));
        }
    }
}

#[test]
fn first_in_every_list_is_one() {
    let mut here = Situation::default();
    here.0[0] = 2.0;
    let episodes = remembered(&[(VirtualTime(1), here, [1.0, 0.0, 0.0]), (VirtualTime(2), here, [0.9, 0.5, 0.0])]);
    let text = rounded("m", &[1.0, 0.0, 0.0]);
    let all = EpisodeQuery {
        as_of: VirtualTime(9),
        situation: Some(here),
        embedding: Some(&text),
        ..EpisodeQuery::default()
    };
    let later = episodes.recall(&EpisodeQuery { from: EpisodeId(2), ..all.clone() }, 5);
    assert_eq!(later.iter().map(|hit| hit.id.0).collect::<Vec<_>>(), [2], "nothing before where it may begin");
    assert_eq!(later[0].ranks, Ranks { situation: Some(1), words: None, text: Some(1) });
    let hits = episodes.recall(&all, 5);
    assert_eq!(hits[0].ranks, Ranks { situation: Some(1), words: None, text: Some(1) });
    assert!((hits[0].score - 1.0).abs() < 1e-12);
    assert!((hits[1].score - (2.0 / 62.0) / (2.0 / 61.0)).abs() < 1e-12, "{}", hits[1].score);
}

#[test]
fn episodes_come_in_their_order() {
    let mut episodes = Episodes::default();
    let mut add = |id, age| episodes.add(EpisodeId(id), VirtualTime(age), &Situation::default(), None);
    assert!(add(1, 5) && add(4, 5));
    assert!(!add(4, 6) && !add(5, 4));
    assert_eq!(episodes.len(), 2);
}
