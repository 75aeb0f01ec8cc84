//! What the toy remembers: episodes, entries, and rows that change with time.

use super::{INTERVAL, Toy};
use golem_core::door::Embedding;
use golem_core::*;
use golem_grimoire::change::{NamedTable, TextSubject};
use golem_grimoire::{
    Change, Entry, EntryBody, EntryKind, EntryStatus, Episode, EpisodeId, EpisodeKind, Importance, Marks, Situation,
    Standing, Went,
};

impl Toy {
    /// So many episodes in every turn.
    pub(super) fn scribble(&mut self) {
        let (tick, age, n) = (self.state.tick, VirtualTime(INTERVAL.0 * self.state.tick.0), self.nature.scribbles);
        for i in 1..=n {
            let id = EpisodeId((tick.0 - 1) * n + i);
            let episode =
                Episode { id, text: format!("sold {i} in turn {tick} as volume fell"), ..an_episode(tick, age) };
            let row = (0..128).map(|k| (id.0 * 31 + k * 7) as i8 as i16).collect();
            let embedding = Embedding { model: "toy-128".into(), row, scale: 0.01 };
            self.changes.push(Change::Episode { episode: Box::new(episode), embedding: Some(embedding) });
        }
    }
    /// An episode every turn that is a multiple of ten, an entry every hundredth, whose standing moves every tenth.
    pub(super) fn remember(&mut self) {
        let (tick, age) = (self.state.tick, VirtualTime(INTERVAL.0 * self.state.tick.0));
        if !tick.is_every(10) {
            return;
        }
        let episode = an_episode(tick, age);
        let twice = self.nature.repeats_itself;
        if twice {
            self.changes.push(Change::Marked { id: EpisodeId(1), marks: Marks::default() });
            let row = ("only".to_owned(), "{}".to_owned());
            self.changes.push(Change::Row { table: NamedTable::Edge, key: row.0, text: String::new(), body: row.1 });
        }
        self.changes
            .push(Change::Marked { id: EpisodeId(1), marks: Marks { replays: tick.0 as u32, ..Marks::default() } });
        self.changes.push(Change::Episode { episode: Box::new(episode), embedding: Some(a_vector(tick.0)) });
        let entry = an_entry(Tick(tick.0 / 100 * 100));
        let known = entry.id;
        if tick.is_every(100) {
            let standing = Standing { validated: 9, ..entry.standing.clone() };
            self.changes.push(Change::Entry { entry: Box::new(entry), embedding: None });
            if twice {
                self.changes.push(Change::Stands { id: known, standing });
            }
        } else if tick.0 > 100 {
            let standing = Standing { validated: tick.0 as u32, ..entry.standing };
            self.changes.push(Change::Stands { id: entry.id, standing });
        }
        // An embedder elsewhere comes to it one turn later.
        if let Some(late) = (tick.0 / 10).checked_sub(1).filter(|n| *n > 0) {
            self.changes
                .push(Change::Vector { of: TextSubject::Episode(EpisodeId(late)), embedding: a_vector(late + 100) });
        }
        if tick.0 > 100 {
            self.changes.push(Change::Vector { of: TextSubject::Entry(known), embedding: a_vector(tick.0) });
        }
        let (key, body) = ("only".to_owned(), format!("{{\"at\":{tick}}}"));
        self.changes.push(Change::Row { table: NamedTable::Edge, key, text: String::new(), body });
    }
}

pub fn an_episode(tick: Tick, age: VirtualTime) -> Episode {
    Episode {
        id: EpisodeId(tick.0 / 10),
        tick,
        age,
        at: Timestamp(0),
        kind: EpisodeKind::Action,
        situation: Situation(std::array::from_fn(|n| tick.0 as f32 + n as f32 * 0.1)),
        text: format!("bought in turn {tick} while gas was dear"),
        regime: Regime::Volatile,
        deed: None,
        surprise: 0.5,
        went: Went::Positive,
        importance: Importance::Notable,
        cost: Usdc(1),
        affect: None,
    }
}

pub fn a_vector(n: u64) -> Embedding {
    Embedding { model: "toy".into(), row: vec![n as i16, -7, 32_767], scale: 0.25 }
}

pub fn an_entry(tick: Tick) -> Entry {
    let learnt_at = VirtualTime(INTERVAL.0 * tick.0);
    let origin = golem_grimoire::EntryOrigin { golem: GolemId([7; 16]), generation: 0 };
    let body = EntryBody::own(EntryKind::Insight, format!("gas falls after turn {tick}"), origin, learnt_at);
    let standing = Standing {
        status: EntryStatus::Active,
        confidence_bp: 7_000,
        quality: 0.5,
        validated: 0,
        contradicted: 0,
        validators: 1,
        own_validation: true,
        dream_validated: false,
        strength: 1.0,
        uses: 0,
        retrievals: 0,
        last_validated: learnt_at,
        true_until: None,
        low_cycles: 0,
        expects: None,
    };
    Entry::new(body, standing)
}
