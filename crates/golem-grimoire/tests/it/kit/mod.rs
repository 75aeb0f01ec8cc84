//! Bodies, episodes and a file of the plainest kind, for the tests of memory's rules.
#![allow(dead_code, unreachable_pub)]

use golem_core::door::Embedding;
use golem_core::{GolemId, Intent, Point, Regime, Tick, Timestamp, Usdc, UsdcDelta, VirtualTime};
use golem_grimoire::change::{Change, NamedTable, TextSubject};
use golem_grimoire::episode::EpisodeDeed;
use golem_grimoire::experts::SaidByPanel;
use golem_grimoire::standing::Support;
use golem_grimoire::{
    Claim, Entry, EntryBody, EntryKind, EntryOrigin, EntryStatus, Episode, EpisodeId, EpisodeKind, Importance, Marks,
    Remembered, Situation, Standing, Went,
};

pub const HOUR: u64 = 3_600_000;
pub const DAY: u64 = 24 * HOUR;

pub fn days(n: u64) -> VirtualTime {
    VirtualTime(n * DAY)
}

pub fn origin() -> EntryOrigin {
    EntryOrigin { golem: GolemId([7; 16]), generation: 0 }
}

pub fn body(kind: EntryKind, text: &str) -> EntryBody {
    EntryBody::own(kind, text.to_owned(), origin(), VirtualTime(0))
}

pub fn claim(when: &str, then: &str, after_ticks: u32) -> Claim {
    Claim { when: when.to_owned(), then: then.to_owned(), unless: None, after_ticks }
}

pub fn claiming(when: &str, then: &str) -> EntryBody {
    let text = format!("When {when}, then {then}.");
    EntryBody { claim: Some(claim(when, then, 20)), ..body(EntryKind::Insight, &text) }
}

/// An insight about an action in a weather.
pub fn about(action: &str, regime: Regime, well: bool) -> EntryBody {
    let word = if well { "well" } else { "badly" };
    EntryBody {
        regime: Some(regime),
        tags: vec![format!("action:{action}"), format!("went:{word}")],
        ..body(EntryKind::Insight, &format!("To {action} in {regime} weather tends to go {word}."))
    }
}

pub fn standing(status: EntryStatus, confidence_bp: u16) -> Standing {
    Standing::first(status, confidence_bp, Support::default(), VirtualTime(0))
}

pub fn active(body: EntryBody, confidence_bp: u16) -> Entry {
    Entry::new(body, standing(EntryStatus::Active, confidence_bp))
}

pub fn buy() -> Intent {
    Intent::Buy { pay: Usdc(1_000_000), min_out: golem_core::Asset(1) }
}

pub fn sell() -> Intent {
    Intent::Sell { give: golem_core::Asset(1), min_out: Usdc(1) }
}

pub fn episode(id: u64, age: VirtualTime) -> Episode {
    Episode {
        id: EpisodeId(id),
        tick: Tick(age.0 / 40_000),
        age,
        at: Timestamp(0),
        kind: EpisodeKind::Observation,
        situation: Situation::default(),
        text: format!("episode {id}"),
        regime: Regime::RangeBound,
        deed: None,
        surprise: 0.0,
        went: Went::Descriptive,
        importance: Importance::Routine,
        cost: Usdc(0),
        affect: None,
    }
}

pub fn did(id: u64, age: VirtualTime, intent: Intent, trade: u64, realised: i64, went: Went) -> Episode {
    let deed = EpisodeDeed {
        intent,
        point: Point { block: id, index: 0 },
        trade,
        predicted_bps: None,
        actual_bps: None,
        realised: UsdcDelta(realised),
        outcome: None,
        on_paper: false,
    };
    Episode { kind: EpisodeKind::Action, deed: Some(deed), went, ..episode(id, age) }
}

/// The file, as simple as can be: rows in the order in which they came.
#[derive(Default)]
pub struct File {
    episodes: Vec<(Episode, Marks)>,
    entries: Vec<Entry>,
    rows: Vec<(NamedTable, String, String)>,
    vectors: Vec<(TextSubject, Embedding)>,
    pub written: usize,
}

impl File {
    pub fn write(&mut self, changes: Vec<Change>) {
        self.written += changes.len();
        for change in changes {
            match change {
                Change::Episode { episode, .. } => self.episodes.push((*episode, Marks::default())),
                Change::Marked { id, marks } => {
                    self.episodes.iter_mut().find(|(e, _)| e.id == id).expect("marked before it was").1 = marks;
                }
                Change::Entry { entry, .. } => self.entries.push(*entry),
                Change::Stands { id, standing } => {
                    self.entries.iter_mut().find(|e| e.id == id).expect("stood before it was").standing = standing;
                }
                Change::Row { table, key, body, .. } => {
                    self.rows.retain(|(t, k, _)| (*t, k) != (table, &key));
                    self.rows.push((table, key, body));
                }
                Change::Vector { of, embedding } => self.vectors.push((of, embedding)),
            }
        }
    }
    pub fn remembered(&self) -> Remembered {
        Remembered {
            tick: Tick(0),
            episodes: self.episodes.iter().map(|(e, m)| (e.clone(), *m, None)).collect(),
            entries: self.entries.iter().map(|e| (e.clone(), None)).collect(),
            rows: self.rows.clone(),
            vectors: self.vectors.clone(),
        }
    }
}

/// Chance for simulations: splitmix64.
pub struct Chance(pub u64);

impl Chance {
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
    pub fn below(&mut self, n: u64) -> u64 {
        ((self.unit() * n as f64) as u64).min(n.saturating_sub(1))
    }
}

/// A panel that expects no move, of somebody who leans on hunches as far as usual.
pub fn silent_panel(made: VirtualTime) -> SaidByPanel {
    let domain = golem_mortality::Domain::PriceDirection;
    SaidByPanel { domain, made, panel: 0.0, scale: 1.0, stored: true, on_hunches: 1.0 }
}
