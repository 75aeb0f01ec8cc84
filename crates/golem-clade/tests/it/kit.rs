//! Golems, bodies and passports of the plainest kind.

use golem_clade::barrier::Crossings;
use golem_clade::heirloom::Heirloom;
use golem_clade::inheritance::{Inheritance, InheritanceChoice};
use golem_clade::provenance::{Lineage, Passport, TravellingEntry};
use golem_clade::world_time::{LifeClock, WorldTimes};
use golem_core::birth::{Descent, Identity};
use golem_core::{Birth, GolemId, Hash, OwnerId, Timestamp, Usdc, VirtualTime};
use golem_grimoire::grimoire::Foreign;
use golem_grimoire::playbook::PlaybookWriter;
use golem_grimoire::standing::Support;
use golem_grimoire::{
    Claim, Entry, EntryBody, EntryKind, EntryOrigin, EntryStatus, Grimoire, Provenance, Remembered, Standing,
};

pub const DAY: u64 = 86_400_000;

pub fn days(n: u64) -> VirtualTime {
    VirtualTime(n * DAY)
}

pub fn golem(n: u8) -> GolemId {
    GolemId([n; 16])
}

/// The golem of a generation in a line that begins with golem 1.
pub fn line(generation: u8) -> Lineage {
    Lineage {
        id: golem(1),
        owner: OwnerId::LOCAL,
        golem: golem(1 + generation),
        generation: u32::from(generation),
        ancestors: (1..=generation).map(golem).collect(),
    }
}

pub fn clock() -> LifeClock {
    LifeClock { zero: Timestamp(1_600_000_000) }
}

pub fn body(kind: EntryKind, text: &str) -> EntryBody {
    let origin = EntryOrigin { golem: golem(1), generation: 0 };
    EntryBody::own(kind, text.to_owned(), origin, VirtualTime(0))
}

pub fn claim(when: &str, then: &str) -> Claim {
    Claim { when: when.to_owned(), then: then.to_owned(), unless: None, after_ticks: 20 }
}

pub fn claiming(when: &str, then: &str) -> EntryBody {
    let text = format!("When {when}, then {then} about 13 minutes later.");
    EntryBody { claim: Some(claim(when, then)), ..body(EntryKind::Insight, &text) }
}

pub fn standing(status: EntryStatus, confidence_bp: u16) -> Standing {
    Standing::first(status, confidence_bp, Support::default(), VirtualTime(0))
}

/// In use, and seen to come true.
pub fn proven(body: EntryBody, confidence_bp: u16) -> Entry {
    let standing = Standing {
        validated: 9,
        own_validation: true,
        uses: 3,
        quality: 0.6,
        ..standing(EntryStatus::Active, confidence_bp)
    };
    Entry::new(body, standing)
}

/// What a golem of a generation learnt itself, on its way.
pub fn travelling(entry: &Entry, from: &Lineage) -> TravellingEntry {
    let foreign = Foreign { body: entry.body.clone(), standing: entry.standing.clone() };
    TravellingEntry { entry: foreign, passport: Passport::own(entry, from, clock()) }
}

/// A passport of something that was learnt in generation 0 and has been through this.
pub fn passport(crossings: Crossings) -> Passport {
    let at = Timestamp(1_500_000_000);
    Passport {
        root: golem_core::Hash([3; 32]),
        learnt_by: EntryOrigin { golem: golem(1), generation: 0 },
        lineage: golem(1),
        times: WorldTimes { true_from: at, true_until: None, learnt: at },
        crossings,
        blood: None,
        errand: None,
    }
}

/// A golem that knows these.
pub fn knowing(golem: GolemId, entries: Vec<Entry>) -> Grimoire {
    let origin = EntryOrigin { golem, generation: 0 };
    let name: golem_core::Name = "heir".parse().expect("a name");
    let state = Grimoire::new(name.clone(), origin).state();
    let memory = Remembered { entries: entries.into_iter().map(|e| (e, None)).collect(), ..Remembered::default() };
    Grimoire::rebuild(name, origin, state, &memory).expect("a memory without a playbook")
}

/// Sixty things that a golem of this house could have learnt, well established.
pub fn own_knowledge() -> Vec<Entry> {
    let fields = [
        ("market.gas_ratio", "market.fee_yield_ratio"),
        ("market.volatility_ratio", "market.gas_ratio"),
        ("market.volume_ratio", "market.volatility_ratio"),
        ("market.lead_return", "market.volume_ratio"),
        ("market.gas_spike_ticks", "market.fee_yield_ratio"),
        ("market.shock", "market.volume_ratio"),
    ];
    let mut all = Vec::new();
    for (cause, effect) in fields {
        for n in 0..5u32 {
            let (when, then) = (format!("{cause} > {}.0", n + 2), format!("{effect} > 1.{}", n + 1));
            all.push(proven(claiming(&when, &then), 9_000));
        }
        for (n, weather) in ["calm", "trending", "volatile", "falling", "rising"].iter().enumerate() {
            let text = format!("In {weather} weather {cause} says little about {effect} within {} hours.", n + 2);
            all.push(proven(body(EntryKind::Insight, &text), 8_000));
        }
    }
    all
}

/// True for what came from elsewhere.
pub fn is_foreign(entry: &Entry) -> bool {
    matches!(
        entry.body.provenance,
        Provenance::Clade | Provenance::Testament | Provenance::Replicant | Provenance::Marketplace
    )
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
    pub fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }
}

/// What somebody of a line leaves, closed at a time: these entries, and nothing else.
pub fn left_by(from: &Lineage, entries: Vec<TravellingEntry>, closed: Timestamp) -> Inheritance {
    let writer = PlaybookWriter::new("elder".parse().expect("a name"), from.golem);
    let heirloom = Heirloom {
        lineage: from.clone(),
        clock: clock(),
        closed,
        low_divergence: false,
        entries,
        questions: Vec::new(),
        hypotheses: Vec::new(),
        edges: Vec::new(),
        playbook: writer.playbook().clone(),
        validations: Vec::new(),
        dreams: Vec::new(),
        passages: Vec::new(),
    };
    Inheritance { heirloom, choice: InheritanceChoice::default() }
}

/// The birth of whoever is left this, at a time.
pub fn heir_of(left: &Inheritance, born_at: Timestamp) -> Birth {
    let name = "heir".parse().expect("a name");
    let identity = Identity { name: &name, public_key: Hash([9; 32]), commitment: Hash([9; 32]) };
    let from = &left.heirloom.lineage;
    identity.first_ancestor(true, born_at, Usdc::whole(50), Hash::default()).descending(Descent {
        parent: from.golem,
        lineage: from.id,
        generation: from.generation + 1,
        inheritance: left.heirloom.checksum(),
    })
}

/// A rule that three generations of a line have proven, as the fifth of them leaves it.
pub fn proven_rule(learnt: Timestamp) -> TravellingEntry {
    let rule = EntryBody {
        kind: EntryKind::Heuristic,
        action: Some(golem_grimoire::RuleAction::StandAside),
        provenance: Provenance::Testament,
        ..claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 1.5")
    };
    let mut one = travelling(&proven(rule, 9_000), &line(4));
    one.passport.learnt_by = EntryOrigin { golem: golem(1), generation: 0 };
    one.passport.times = WorldTimes { true_from: learnt, true_until: None, learnt };
    one.passport.crossings = Crossings { survived: 3, ..Crossings::learnt_by(line(4).golem, 9_000) };
    one
}
