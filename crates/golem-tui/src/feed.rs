//! What screens show, kept up to date by short reads: the life often, the home and what a view needs now and then.

use crate::scene::{LifeScene, clean, page};
use crate::source::{LifeCard, LifeSource, SourceFailure};
use crate::state::{TuiPopup, TuiState, TuiView};
use golem_core::{GolemId, Tick, Timestamp};
use std::collections::BTreeMap;

/// How often a life is looked at, and how often everything else is.
const LIFE_MS: u64 = 250;
const HOME_MS: u64 = 2_000;
const FLEET_MS: u64 = 1_000;
const SELDOM_MS: u64 = 10_000;
/// A replay that stands at another moment is read this soon; one that plays waits as everybody does, since a long memory is long to read.
const REPLAY_MS: u64 = 500;
/// What takes longer to say is asked for this seldom.
const OUTLOOK_MS: u64 = 5_000;
/// Facts at a time.
const FACTS: u32 = 2_000;

/// When each was read.
#[derive(Debug, Default)]
pub struct SceneFeed {
    golem: Option<GolemId>,
    life: Option<u64>,
    fleet: Option<u64>,
    heir: Option<u64>,
    outlook: Option<u64>,
    /// Which, of what turn, and when.
    view: Option<(TuiView, Option<Tick>, u64)>,
}

impl SceneFeed {
    /// Read what is due.
    pub fn refresh(&mut self, state: &mut TuiState, scene: &mut LifeScene, source: &mut dyn LifeSource) {
        if self.golem != scene.golem {
            *self = Self { golem: scene.golem, fleet: self.fleet, ..Self::default() };
        }
        if let Err(why) = self.read(state, scene, source) {
            state.fail(&why);
        }
    }

    fn read(
        &mut self,
        state: &mut TuiState,
        scene: &mut LifeScene,
        source: &mut dyn LifeSource,
    ) -> Result<(), SourceFailure> {
        let now = state.now_ms;
        let due = |last: Option<u64>, every: u64| last.is_none_or(|last| now.saturating_sub(last) >= every);
        if state.at_fleet {
            if due(self.fleet, FLEET_MS) || scene.unread > 0 {
                self.fleet = Some(now);
                let look = source.fleet()?;
                if let Some(words) = bad_news(&scene.cards, &look.cards) {
                    state.say(words);
                }
                (scene.cards, scene.unread) = (look.cards, look.waiting);
            }
            return Ok(());
        }
        let Some(golem) = scene.golem else { return Ok(()) };
        if due(self.life, LIFE_MS) || !scene.caught_up {
            self.life = Some(now);
            life(golem, scene, source)?;
        }
        if due(self.outlook, OUTLOOK_MS) && scene.caught_up {
            self.outlook = Some(now);
            scene.outlook = source.outlook(golem)?;
        }
        if scene.is_dead() && matches!(state.popup, TuiPopup::Death { .. }) && due(self.heir, HOME_MS) {
            self.heir = Some(now);
            scene.halted_heir = source.halted_heir(golem)?.map(|why| clean(&why));
        }
        // On the overview only graves change, and seldom.
        let every = if state.view == TuiView::Overview { SELDOM_MS } else { HOME_MS };
        let past = scene.as_of(state.shown_age());
        let as_of = past.map(|(turn, _)| turn);
        let fresh = |(view, turn, last): (TuiView, Option<Tick>, u64)| {
            view == state.view && !due(Some(last), if turn == as_of || state.deck.playing { every } else { REPLAY_MS })
        };
        if !self.view.is_some_and(fresh) {
            self.view = Some((state.view, as_of, now));
            of_view(state.view, golem, past, scene, source)?;
        }
        Ok(())
    }
}

/// Who has died since the last look.
fn bad_news(before: &[LifeCard], now: &[LifeCard]) -> Option<String> {
    let was_dead: BTreeMap<GolemId, bool> = before.iter().map(|card| (card.id, card.is_dead() || !card.read)).collect();
    let mut new = now.iter().filter(|card| card.is_dead() && was_dead.get(&card.id) == Some(&false));
    let first = new.next()?;
    let more = match new.count() {
        0 => String::new(),
        n => format!(", and {n} more"),
    };
    Some(format!("† {} died of {}{more}", first.name, first.died_of.as_deref().unwrap_or("something")))
}

/// How it stands, and what has happened since.
fn life(golem: GolemId, scene: &mut LifeScene, source: &mut dyn LifeSource) -> Result<(), SourceFailure> {
    let now = source.now(golem)?;
    let died = now.status.as_ref().is_some_and(|s| s.standing == golem_life::LifeStanding::Dead);
    let (facts, last) = source.facts(golem, scene.seen, FACTS)?;
    scene.caught_up = facts.len() < FACTS as usize;
    scene.seen = last.or(scene.seen);
    scene.hear(&facts);
    let after = scene.points.last().map_or(Tick(0), |(_, p)| p.tick);
    scene.points.extend(source.series(golem, after)?);
    if died && scene.testament.is_none() {
        scene.testament = source.testament(golem)?;
    }
    scene.life = Some(now);
    Ok(())
}

fn of_view(
    view: TuiView,
    golem: GolemId,
    past: Option<(Tick, Timestamp)>,
    scene: &mut LifeScene,
    source: &mut dyn LifeSource,
) -> Result<(), SourceFailure> {
    let as_of = past.map(|(turn, _)| turn);
    match view {
        TuiView::Overview => scene.graves = source.graves(Some(golem))?,
        TuiView::Mind => {
            scene.forecasts = source.forecasts(golem, as_of)?;
            scene.playbook = page(&source.playbook(golem, as_of)?);
            scene.causes = source.causes(golem, as_of)?;
        }
        TuiView::Dreams => {
            scene.dreams = source.dreams(golem, as_of)?;
            for dream in &mut scene.dreams {
                dream.page = dream.page.iter().map(|line| clean_indented(line)).collect();
            }
            scene.staging = source.staging(golem, as_of)?;
        }
        TuiView::Fate => {
            scene.line = source.lineage(golem)?;
            scene.graves = source.graves(Some(golem))?;
            if let Some((_, then)) = past {
                scene.graves.retain(|grave| grave.died_at <= then);
            }
            scene.library = source.library()?;
        }
        TuiView::Log => {}
    }
    Ok(())
}

/// One line without anything hidden, as far to the right as it was.
fn clean_indented(line: &str) -> String {
    let indent = line.len() - line.trim_start_matches(' ').len();
    format!("{}{}", " ".repeat(indent), clean(line))
}
