//! Where one looks: the view, its pane and row, what lies over it, and what was just said.

use crate::deck::ReplayDeck;
use crate::fleet::FleetDesk;
use crate::source::{BirthTold, ScreenOrder, SourceFailure, SuccessorWish};
use crate::sprite::SCENE_MS;
use crate::wizard::{SuccessionWizard, WizardStep};
use golem_core::GolemId;

/// The five views.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TuiView {
    Overview,
    Mind,
    Dreams,
    Fate,
    Log,
}

impl TuiView {
    pub const ALL: [Self; 5] = [Self::Overview, Self::Mind, Self::Dreams, Self::Fate, Self::Log];

    pub fn name(self) -> &'static str {
        ["Overview", "Mind", "Dreams", "Fate", "Log"][self as usize]
    }
    /// The panes of a view, by their titles.
    pub fn panes(self) -> &'static [&'static str] {
        match self {
            Self::Overview => &["vitality", "worth", "market"],
            Self::Mind => &["forecasts", "playbook", "grimoire", "causes"],
            Self::Dreams => &["journal", "staging"],
            Self::Fate => &["lineage", "graveyard", "library"],
            Self::Log => &["log"],
        }
    }
}

/// What lies over a view.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum TuiPopup {
    #[default]
    Nothing,
    /// Help for what lies under it.
    Help(Box<TuiPopup>),
    /// What an owner can order.
    Orders {
        row: usize,
    },
    /// Words are being typed.
    Prompt {
        why: PromptFor,
        text: String,
    },
    /// Something that cannot be undone waits for a yes.
    Sure {
        command: ScreenOrder,
        words: String,
    },
    /// A page to read.
    Reader {
        title: String,
        lines: Vec<String>,
        top: usize,
    },
    /// The death screen, since a moment.
    Death {
        since_ms: u64,
        row: usize,
    },
    Wizard(Box<SuccessionWizard>),
}

/// What an owner can order, in the order of the menu.
pub const OWNER_ORDERS: [(&str, &str); 6] = [
    ("pause", "no turns until resumed; it neither ages nor pays"),
    ("resume", "go on, and take new risk again"),
    ("halt", "no new risk until resumed; life goes on"),
    ("feed", "give it money"),
    ("dream", "dream now"),
    ("kill", "for ever"),
];

/// What words are typed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptFor {
    /// The grimoire is searched.
    Search,
    /// The log is filtered.
    Filter,
    /// The golems are filtered.
    Fleet,
    /// Money is given.
    Feed,
}

/// What a key asks of the world outside.
#[derive(Debug, Clone, PartialEq)]
pub enum TuiDeed {
    Quit,
    Attach(GolemId),
    Search(String),
    Offer(SuccessorWish),
    Remains(GolemId),
    /// The testament of a dead golem is read.
    Testament(GolemId),
    /// All that a dead golem believed is read.
    Snapshot(GolemId),
    Command(ScreenOrder),
}

/// Where one looks.
#[derive(Debug, Clone, PartialEq)]
pub struct TuiState {
    /// All golems are looked at, and none of them.
    pub at_fleet: bool,
    pub fleet: FleetDesk,
    pub view: TuiView,
    /// The pane of each view.
    pub panes: [usize; 5],
    /// The row of each pane of each view, counted from its beginning; in the log from its end.
    pub rows: [[usize; 4]; 5],
    pub popup: TuiPopup,
    pub deck: ReplayDeck,
    /// Only lines with this are in the log.
    pub filter: String,
    /// Only turns of events are in the log.
    pub events_only: bool,
    /// Nothing moves but the data.
    pub reduced_motion: bool,
    /// What was said last, and until when it is shown.
    pub message: Option<(String, u64)>,
    pub now_ms: u64,
    /// The death of this golem has been shown.
    pub mourned: Option<GolemId>,
    /// Somebody has ended the scene before the stone.
    pub scene_skipped: bool,
    pub over: bool,
}

impl TuiState {
    pub fn new(reduced_motion: bool) -> Self {
        Self {
            at_fleet: true,
            fleet: FleetDesk::default(),
            view: TuiView::Overview,
            panes: [0; 5],
            rows: [[0; 4]; 5],
            popup: TuiPopup::Nothing,
            deck: ReplayDeck::default(),
            filter: String::new(),
            events_only: true,
            reduced_motion,
            message: None,
            now_ms: 0,
            mourned: None,
            scene_skipped: false,
            over: false,
        }
    }
    pub fn pane(&self) -> usize {
        self.panes[self.view as usize]
    }
    pub fn row(&self, view: TuiView, pane: usize) -> usize {
        self.rows[view as usize].get(pane).copied().unwrap_or(0)
    }
    /// The age that is shown; none for the present.
    pub fn shown_age(&self) -> Option<f64> {
        (!self.deck.live).then_some(self.deck.at)
    }
    /// Say something for a while.
    pub fn say(&mut self, words: impl Into<String>) {
        self.message = Some((words.into(), self.now_ms.saturating_add(8_000)));
    }
    pub fn fail(&mut self, why: &SourceFailure) {
        let hint = why.hint.as_ref().map_or(String::new(), |hint| format!(" · {hint}"));
        self.say(format!("{}{hint}", why.what));
    }
    /// Look at all golems, with this one chosen.
    pub fn to_fleet(&mut self, from: Option<GolemId>) {
        (self.at_fleet, self.popup, self.deck.playing) = (true, TuiPopup::Nothing, false);
        self.fleet.chosen = from.or(self.fleet.chosen);
    }
    /// Show a death.
    pub fn mourn(&mut self, golem: GolemId) {
        (self.mourned, self.scene_skipped) = (Some(golem), false);
        self.popup = TuiPopup::Death { since_ms: self.now_ms, row: 0 };
    }
    /// Stand at the grave again, without the scene.
    pub fn at_grave(&mut self, row: usize) {
        self.scene_skipped = true;
        self.popup = TuiPopup::Death { since_ms: self.now_ms, row };
    }
    /// How far the scene before the stone has come, in ms; none once it is over.
    pub fn death_scene(&self, since_ms: u64) -> Option<u64> {
        let passed = self.now_ms.saturating_sub(since_ms);
        (!self.reduced_motion && !self.scene_skipped && passed < SCENE_MS).then_some(passed)
    }
    /// What came of a command.
    pub fn done(&mut self, command: &ScreenOrder, told: Result<BirthTold, SourceFailure>) {
        let now_ms = self.now_ms;
        let TuiPopup::Wizard(wizard) = &mut self.popup else {
            return match told {
                Ok(told) => self.say(told.words),
                Err(why) => self.fail(&why),
            };
        };
        wizard.waiting = false;
        match (told, command) {
            (Ok(told), ScreenOrder::Pull { .. }) => {
                wizard.problem = None;
                wizard.taken.extend(wizard.marked.iter().copied());
                self.say(told.words);
            }
            (Ok(told), _) => {
                wizard.problem = None;
                wizard.step = WizardStep::Birth;
                wizard.born = told.born.map(|born| (born, told.words, now_ms));
            }
            (Err(why), _) => {
                let hint = why.hint.map_or(String::new(), |hint| format!(" ({hint})"));
                wizard.problem = Some(format!("{}{hint}", why.what));
            }
        }
    }
}
