//! All golems of a home at a glance: in which order, which of them, and what they come to together.

use crate::source::LifeCard;
use golem_core::{GolemId, Usdc};
use golem_life::heartbeat::Heartbeat;
use golem_life::{LifeStanding, Status};
use golem_mortality::GolemMode;
use std::cmp::Ordering;

/// What golems are ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FleetSort {
    #[default]
    Name,
    State,
    Vitality,
    Worth,
    Runway,
    Alive,
    Suffering,
    Mood,
}

impl FleetSort {
    pub const ALL: [Self; 8] =
        [Self::Name, Self::State, Self::Vitality, Self::Worth, Self::Runway, Self::Alive, Self::Suffering, Self::Mood];

    pub fn name(self) -> &'static str {
        ["name", "state", "vitality", "worth", "runway", "P(alive)", "suffering", "mood"][self as usize]
    }
    /// The number that is ordered by; none where a golem has none, or where its name decides.
    fn of(self, card: &LifeCard) -> Option<f64> {
        let status = card.status.as_deref()?;
        let lives = status.death.is_none().then_some(status);
        match self {
            Self::Name => None,
            Self::State => Some(rank(status)),
            Self::Vitality => Some(lives?.vitality.composite),
            Self::Worth => Some(status.worth().as_f64()),
            // Where nothing burns there is no end to it.
            Self::Runway => Some(lives?.projected_life_h.unwrap_or(f64::MAX)),
            Self::Alive => Some(lives?.survival_24h),
            Self::Suffering => lives?.load,
            Self::Mood => Some(lives?.affect.as_ref()?.mood_pad.pleasure()),
        }
    }
    /// Whether much of it comes first: whoever needs its owner stands on top.
    fn falls(self) -> bool {
        matches!(self, Self::Worth | Self::Suffering)
    }
}

/// The dying first, then phases from the worst to the best, then whoever rests, then the dead.
fn rank(s: &Status) -> f64 {
    match s.standing {
        LifeStanding::Dying => 0.0,
        LifeStanding::Alive => 1.0 + f64::from(s.phase as u8),
        LifeStanding::Paused => 10.0,
        LifeStanding::Dead => 11.0,
    }
}

/// Which golems are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FleetKind {
    #[default]
    All,
    Living,
    /// Who needs its owner: dying, at the edge, in distress, stopped, or not to be read.
    Troubled,
    Dead,
}

impl FleetKind {
    const ALL: [Self; 4] = [Self::All, Self::Living, Self::Troubled, Self::Dead];

    pub fn name(self) -> &'static str {
        ["all", "the living", "in trouble", "the dead"][self as usize]
    }
    fn has(self, card: &LifeCard) -> bool {
        match self {
            Self::All => true,
            Self::Living => !card.is_dead(),
            Self::Troubled => card.trouble().is_some(),
            Self::Dead => card.is_dead(),
        }
    }
}

/// How all golems are looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FleetDesk {
    pub sort: FleetSort,
    pub reversed: bool,
    pub kind: FleetKind,
    /// Only golems with these words somewhere in their row.
    pub filter: String,
    /// Who is chosen; the first where nobody is. Rows move under an owner's eyes, and the choice moves with its golem.
    pub chosen: Option<GolemId>,
}

impl FleetDesk {
    /// The next thing to order by, in its own direction.
    pub fn sort_on(&mut self) {
        (self.sort, self.reversed) = (FleetSort::ALL[(self.sort as usize + 1) % FleetSort::ALL.len()], false);
    }
    pub fn kind_on(&mut self) {
        self.kind = FleetKind::ALL[(self.kind as usize + 1) % FleetKind::ALL.len()];
    }
    /// The golems that are shown, in their order.
    pub fn rows<'a>(&self, cards: &'a [LifeCard]) -> Vec<&'a LifeCard> {
        let wanted = self.filter.to_lowercase();
        let fits = |card: &&LifeCard| self.kind.has(card) && (wanted.is_empty() || card.words().contains(&wanted));
        let mut rows: Vec<(Option<f64>, &LifeCard)> =
            cards.iter().filter(fits).map(|card| (self.sort.of(card), card)).collect();
        rows.sort_by(|(a, one), (b, other)| {
            let by_name = || one.name.cmp(&other.name).then(one.id.cmp(&other.id));
            let turned = |order: Ordering| if self.reversed { order.reverse() } else { order };
            match (a, b) {
                _ if self.sort == FleetSort::Name => turned(by_name()),
                // Who has no such number stands last, whichever way the others go.
                (None, None) => by_name(),
                (None, Some(_)) => Ordering::Greater,
                (Some(_), None) => Ordering::Less,
                (Some(a), Some(b)) => {
                    let order = if self.sort.falls() { b.total_cmp(a) } else { a.total_cmp(b) };
                    turned(order).then_with(by_name)
                }
            }
        });
        rows.into_iter().map(|(_, card)| card).collect()
    }
    /// The row of whoever is chosen.
    pub fn row(&self, rows: &[&LifeCard]) -> usize {
        rows.iter().position(|card| Some(card.id) == self.chosen).unwrap_or(0)
    }
}

/// Where in a turn or a dream a golem that lives is.
pub(crate) fn at_work(s: &Status) -> String {
    if s.mode == GolemMode::Dreaming {
        let asleep = s.dreams.as_ref().and_then(|d| d.state.current_phase);
        return asleep.map_or("dreaming".to_owned(), |stage| format!("dreaming, {}", golem_core::plain::word(&stage)));
    }
    // Between two turns the heart rests, and that is no sleep.
    if s.heartbeat == Heartbeat::Sleeping { s.mode.to_string() } else { golem_core::plain::word(&s.heartbeat) }
}

/// What all golems come to together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FleetTotals {
    /// Paused ones and newborn ones are alive.
    pub alive: usize,
    pub dying: usize,
    pub dead: usize,
    /// Files that cannot be read.
    pub damaged: usize,
    /// Not read yet.
    pub unread: usize,
    pub running: usize,
    pub troubled: usize,
    /// Of the living and of what the dead left.
    pub worth: Usdc,
    /// What the dead left of it.
    pub left: Usdc,
}

impl FleetTotals {
    pub fn of(cards: &[LifeCard]) -> Self {
        let mut all = Self::default();
        for card in cards {
            let place = match (&card.problem, card.read, card.standing()) {
                (Some(_), ..) => &mut all.damaged,
                (_, false, _) => &mut all.unread,
                (.., Some(LifeStanding::Dying)) => &mut all.dying,
                (.., Some(LifeStanding::Dead)) => &mut all.dead,
                _ => &mut all.alive,
            };
            *place += 1;
            all.running += usize::from(card.running);
            all.troubled += usize::from(card.trouble().is_some());
            let worth = card.status.as_deref().map_or(Usdc(0), Status::worth);
            all.worth = all.worth.plus(worth);
            if card.is_dead() {
                all.left = all.left.plus(worth);
            }
        }
        all
    }
}

impl LifeCard {
    pub fn standing(&self) -> Option<LifeStanding> {
        self.status.as_deref().map(|s| s.standing)
    }
    pub fn is_dead(&self) -> bool {
        self.standing() == Some(LifeStanding::Dead)
    }
    /// How it stands, in a word or two.
    pub fn state(&self) -> String {
        match (&self.problem, self.status.as_deref()) {
            (Some(_), _) => "damaged".to_owned(),
            (_, None) if !self.read => "reading".to_owned(),
            (_, None) => "newborn".to_owned(),
            (_, Some(s)) => match s.standing {
                LifeStanding::Alive => s.phase.to_string(),
                LifeStanding::Dead => format!("† {}", self.died_of.as_deref().unwrap_or("dead")),
                other => other.name().to_owned(),
            },
        }
    }
    /// Why its owner should look at it.
    pub fn trouble(&self) -> Option<String> {
        if let Some(why) = &self.problem {
            return Some(why.clone());
        }
        let s = self.status.as_deref()?;
        if s.standing == LifeStanding::Dead {
            return None;
        }
        let heavy = s.band.filter(|band| *band >= golem_daimon::suffering::Band::High);
        if s.standing == LifeStanding::Dying {
            Some("it is dying".to_owned())
        } else if s.vigil.is_some() {
            Some("it keeps vigil: feed it, or it dies".to_owned())
        } else if let Some(why) = &s.cage.halted {
            Some(format!("halted: {why}"))
        } else if let Some(band) = heavy {
            Some(format!("suffering is {}", band.name()))
        } else if s.phase <= golem_mortality::BehavioralPhase::Declining {
            Some(format!("it is {}", s.phase))
        } else {
            None
        }
    }
    /// What it is doing.
    pub fn doing(&self) -> String {
        let Some(s) = self.status.as_deref() else { return self.state() };
        match s.standing {
            LifeStanding::Alive => at_work(s),
            LifeStanding::Dead => format!("dead of {}", self.died_of.as_deref().unwrap_or("something")),
            other => other.name().to_owned(),
        }
    }
    /// Everything of its row that can be looked for, in small letters.
    fn words(&self) -> String {
        let s = self.status.as_deref();
        let standing = self.standing().map_or("", LifeStanding::name);
        let band = s.and_then(|s| s.band).map_or("", |band| band.name());
        let mood = s.and_then(|s| s.affect.as_ref()).map_or("", |affect| affect.mood.name());
        let running = if self.running { "running" } else { "" };
        let parts = [&self.name, &self.state(), &self.doing(), standing, band, mood, running];
        parts.map(|part: &str| part.to_lowercase()).join(" ")
    }
}
