//! What is known of a life and of the home it lives in: everything that screens show, as it was read last.

use crate::source::{DreamTold, GraveStone, LifeCard, LifeNow, LineNode, LoreEntry};
use golem_core::fact::{Envelope, FactBody as _, Seq};
use golem_core::words::{lines, one_line};
use golem_core::{GolemId, Tick, Timestamp, Usdc};
use golem_daimon::affect::{MoodWord, Pad};
use golem_grimoire::causal::Edge;
use golem_grimoire::staging::Proposal;
use golem_grimoire::testament::{SignedTestament, Testament};
use golem_life::status::VitalityView;
use golem_life::{Fact, LifePoint, Status};
use golem_mind::Prediction;
use golem_mortality::BehavioralPhase;
use golem_mortality::forecast::LifeForecast;
use golem_view::trade::{Trade, Trades};

/// Lines of the log that are kept.
const MOST_TOLD: usize = 50_000;

/// What is known.
#[derive(Debug, Default)]
pub struct LifeScene {
    pub cards: Vec<LifeCard>,
    /// How many golems have not been read yet.
    pub unread: usize,
    /// Who is looked at.
    pub golem: Option<GolemId>,
    pub life: Option<LifeNow>,
    pub points: Vec<(Timestamp, LifePoint)>,
    pub told: Vec<ToldLine>,
    pub trades: Trades,
    /// The last fact that was read.
    pub seen: Option<Seq>,
    /// Whether all facts that there are have been read.
    pub caught_up: bool,
    pub outlook: Option<LifeForecast>,
    pub forecasts: Vec<Prediction>,
    pub playbook: Vec<String>,
    pub causes: Vec<Edge>,
    /// What was searched for, and what was found.
    pub asked: String,
    pub found: Vec<LoreEntry>,
    pub dreams: Vec<DreamTold>,
    pub staging: Vec<Proposal>,
    pub line: Vec<LineNode>,
    pub graves: Vec<GraveStone>,
    pub library: Vec<LoreEntry>,
    pub testament: Option<SignedTestament>,
    /// What keeps its successor from coming by itself.
    pub halted_heir: Option<String>,
}

/// A fact in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldLine {
    pub tick: Tick,
    pub at: Timestamp,
    /// What kind of fact.
    pub kind: &'static str,
    pub words: String,
    /// Whether it is a turn of events.
    pub event: bool,
}

/// A life at the moment that is shown: the present, or one of a replay.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownMoment {
    pub tick: Tick,
    pub at: Timestamp,
    pub age_days: f64,
    pub phase: BehavioralPhase,
    pub vitality: VitalityView,
    pub balance: Usdc,
    pub operating: Usdc,
    pub positions: Usdc,
    pub exposure: f64,
    pub hazard_rate: f64,
    /// The chance to live another day.
    pub survival_24h: f64,
    pub trades: u64,
    pub regime: String,
    pub price: Option<f64>,
    pub mood: Option<Pad>,
    pub load: Option<f64>,
}

impl ShownMoment {
    fn present(s: &Status) -> Self {
        Self {
            tick: s.tick,
            at: s.at,
            age_days: s.age_days,
            phase: s.phase,
            vitality: s.vitality,
            balance: s.worth(),
            operating: s.operating,
            positions: s.positions,
            exposure: s.exposure,
            hazard_rate: s.hazard_rate,
            survival_24h: s.survival_24h,
            trades: s.trades,
            regime: s.regime.to_string().replace('_', " "),
            price: s.price,
            mood: s.affect.as_ref().map(|a| a.mood_pad),
            load: s.load,
        }
    }
    fn past(at: Timestamp, p: &LifePoint) -> Self {
        /// Nominal ticks of a day.
        const DAY: f64 = 2_160.0;
        Self {
            tick: p.tick,
            at,
            age_days: p.age_days,
            phase: p.phase,
            vitality: p.vitality,
            balance: p.balance,
            operating: p.operating,
            positions: p.positions,
            exposure: p.exposure,
            hazard_rate: p.hazard_rate,
            survival_24h: (-p.hazard_rate * DAY).exp().clamp(0.0, 1.0),
            trades: p.trades,
            regime: p.regime.to_string().replace('_', " "),
            price: p.price,
            mood: p.mood,
            load: p.load,
        }
    }
}

impl LifeScene {
    /// Look at another golem: what was known of the last one is forgotten, what is known of the home stays.
    pub fn attach(&mut self, golem: GolemId) {
        let (cards, library) = (std::mem::take(&mut self.cards), std::mem::take(&mut self.library));
        *self = Self { cards, unread: self.unread, library, golem: Some(golem), ..Self::default() };
    }
    pub fn status(&self) -> Option<&Status> {
        self.life.as_ref()?.status.as_ref()
    }
    pub fn is_dead(&self) -> bool {
        self.status().is_some_and(|s| s.standing == golem_life::LifeStanding::Dead)
    }
    pub fn name(&self) -> &str {
        self.life.as_ref().map_or("", |life| life.name.as_str())
    }
    /// How long the life is so far, in days.
    pub fn end(&self) -> f64 {
        let last = self.points.last().map_or(0.0, |(_, p)| p.age_days);
        self.status().map_or(last, |s| s.age_days.max(last))
    }
    /// The moment at an age, or the present.
    pub fn moment(&self, age: Option<f64>) -> Option<ShownMoment> {
        let now = || self.status().map(ShownMoment::present);
        let Some(age) = age.filter(|age| *age < self.end()) else { return now() };
        let until = self.points.partition_point(|(_, p)| p.age_days <= age);
        match self.points.get(until.saturating_sub(1)) {
            Some((at, point)) => Some(ShownMoment::past(*at, point)),
            None => now(),
        }
    }
    /// The turn that a replay is at, and when that was; none in the present, where whatever is known by now is shown.
    pub fn as_of(&self, age: Option<f64>) -> Option<(Tick, Timestamp)> {
        age.filter(|age| *age < self.end())
            .and_then(|age| self.moment(Some(age)))
            .map(|moment| (moment.tick, moment.at))
    }
    /// The points until a moment.
    pub fn points_until(&self, tick: Tick) -> &[(Timestamp, LifePoint)] {
        &self.points[..self.points.partition_point(|(_, p)| p.tick <= tick)]
    }
    /// The log until a moment.
    pub fn told_until(&self, tick: Tick) -> &[ToldLine] {
        &self.told[..self.told.partition_point(|line| line.tick <= tick)]
    }
    /// The trades until a moment.
    pub fn trades_until(&self, tick: Tick) -> &[Trade] {
        let all = self.trades.all();
        &all[..all.partition_point(|trade| trade.tick <= tick)]
    }
    /// Take in facts as they come.
    pub fn hear(&mut self, facts: &[Envelope<Fact>]) {
        for fact in facts {
            let trade = self
                .trades
                .see(fact)
                .map(|t| if t.why.is_empty() { t.sentence() } else { format!("{} · {}", t.sentence(), t.why) });
            let event = trade.is_some() || golem_view::fact::is_event(&fact.body);
            if let Some(words) = trade.or_else(|| golem_view::fact::words(&fact.body)) {
                let line =
                    ToldLine { tick: fact.tick, at: fact.at, kind: fact.body.name(), words: clean(&words), event };
                self.told.push(line);
            }
        }
        let over = self.told.len().saturating_sub(MOST_TOLD);
        self.told.drain(..over);
    }
}

/// A stranger's words as one line that a terminal may have.
pub(crate) fn clean(text: &str) -> String {
    one_line(text, usize::MAX)
}

/// A page as lines that a terminal may have.
pub(crate) fn page(text: &str) -> Vec<String> {
    lines(text).lines().map(ToOwned::to_owned).collect()
}

/// A whole testament: the arc of the life in moods first.
pub(crate) fn testament_lines(signed: &SignedTestament) -> Vec<String> {
    let mut lines = arc_lines(&signed.testament);
    lines.extend(page(&golem_view::testament::page(signed)));
    lines
}

/// What a dead golem believed, a line each.
pub(crate) fn believed_lines(entries: &[LoreEntry]) -> Vec<String> {
    let line = |e: &LoreEntry| {
        let (mark, note) = (if e.blood.is_some() { "† " } else { "" }, if e.note.is_empty() { "" } else { "; " });
        clean(&format!("{:.2}  {mark}{} ({}{note}{})", e.confidence, e.text, e.kind, e.note))
    };
    entries.iter().map(line).collect()
}

/// The arc of a life in moods: what kind of story it was, and how it felt along the way.
fn arc_lines(said: &Testament) -> Vec<String> {
    let arc = &said.narrative_arc;
    let mut lines = vec![
        format!("Narrative arc: {} (confidence {:.2}, {} moods)", arc.kind.name(), arc.confidence, arc.samples),
        format!("Pleasure: {:+.2} early, {:+.2} in the middle, {:+.2} late", arc.early, arc.mid, arc.late),
    ];
    // As many as can be taken in, evenly spread, and the last.
    let every = said.emotional_arc.len().div_ceil(8).max(1);
    let last = said.emotional_arc.len().saturating_sub(1);
    let some = said.emotional_arc.iter().enumerate().filter(|(n, _)| n % every == 0 || *n == last);
    lines.extend(some.map(|(_, mood)| {
        let [p, a, d] = mood.pad.map(f64::from);
        format!(
            "  turn {:<8} {} ({p:+.2} {a:+.2} {d:+.2})",
            mood.tick.to_string(),
            MoodWord::of(Pad::new(p, a, d)).name()
        )
    }));
    lines.push(String::new());
    lines
}
