//! A home that was recorded once: a golem that lives, one that died, and what they know. And somebody who looks and types.

mod crew;

use golem_clade::heirloom::InheritancePreview;
use golem_core::fact::{Envelope, Seq};
use golem_core::{GolemId, Tick, Timestamp, Usdc};
use golem_daimon::affect::Pad;
use golem_grimoire::causal::Edge;
use golem_grimoire::staging::Proposal;
use golem_grimoire::testament::SignedTestament;
use golem_life::{Fact, LifePoint, LifeStanding, Status};
use golem_mind::Prediction;
use golem_mortality::forecast::LifeForecast;
use golem_tui::{
    BirthTold, BloodMark, DreamTold, FleetLook, GraveStone, KeyPress, LifeCard, LifeNow, LifeScene, LifeSource,
    LineNode, LoreEntry, Palette, SceneFeed, ScreenOrder, SourceFailure, SuccessorOffer, SuccessorWish, TuiDeed,
    TuiState, draw, pass, perform, press,
};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;

fn recorded<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).expect("the recorded life can be read")
}

/// One recorded life.
#[derive(Clone)]
struct Recorded {
    status: Status,
    facts: Vec<Envelope<Fact>>,
    series: Vec<(Timestamp, LifePoint)>,
}

impl Recorded {
    fn of(status: &str, facts: &str, series: &str) -> Self {
        let status: Status = recorded(status);
        let facts: Vec<Value> = recorded(facts);
        let facts = facts
            .iter()
            .map(|row| {
                let number = |key: &str| row[key].as_u64().expect("a number");
                let (tick, name) = (Tick(number("tick")), row["name"].as_str().expect("a name"));
                let body = golem_view::fact::read(name, tick, &row["body"].to_string()).expect("a fact");
                let at = Timestamp(row["at"].as_i64().expect("a moment"));
                Envelope { golem: status.id, seq: Seq(number("seq")), tick, at, cause: None, body }
            })
            .collect();
        let series: Vec<Value> = recorded(series);
        let series = series
            .iter()
            .map(|row| {
                let point = serde_json::from_value(row["point"].clone()).expect("a point");
                (Timestamp(row["at"].as_i64().expect("a moment")), point)
            })
            .collect();
        Self { status, facts, series }
    }
}

/// The home.
#[derive(Clone)]
pub struct TestHome {
    living: Recorded,
    dead: Recorded,
    /// What an owner wanted, in order.
    pub commands: Vec<ScreenOrder>,
    pub wishes: Vec<SuccessorWish>,
    /// Everything fails.
    pub broken: bool,
    pub too_near: bool,
    /// Golems beside the two.
    pub crew: Vec<LifeCard>,
    /// How often all golems were looked at, and how often one of them.
    pub looks: (usize, usize),
    /// Why no successor came by itself.
    pub halted_heir: Option<String>,
    /// Of which turns was asked what was known then, in order; none is now.
    pub as_of: Vec<Option<Tick>>,
}

impl TestHome {
    pub fn new() -> Self {
        let mut living = Recorded::of(
            include_str!("life/living_status.json"),
            include_str!("life/living_facts.json"),
            include_str!("life/living_series.json"),
        );
        burden(&mut living.status);
        holdings(&mut living.status);
        let dead = Recorded::of(
            include_str!("life/dead_status.json"),
            include_str!("life/dead_facts.json"),
            include_str!("life/dead_series.json"),
        );
        Self {
            living,
            dead,
            commands: Vec::new(),
            wishes: Vec::new(),
            broken: false,
            too_near: false,
            crew: Vec::new(),
            looks: (0, 0),
            halted_heir: None,
            as_of: Vec::new(),
        }
    }
    pub fn living(&self) -> GolemId {
        self.living.status.id
    }
    pub fn dead(&self) -> GolemId {
        self.dead.status.id
    }
    fn of(&self, golem: GolemId) -> Result<&Recorded, SourceFailure> {
        if self.broken {
            let (what, hint) = ("the file cannot be read".to_owned(), Some("bardo doctor".to_owned()));
            return Err(SourceFailure { what, hint });
        }
        Ok(if golem == self.dead() { &self.dead } else { &self.living })
    }
    /// The living one dies at this moment, by the other's death.
    pub fn dies(&mut self) {
        let death = self.dead.status.death.clone();
        (self.living.status.standing, self.living.status.death) = (LifeStanding::Dead, death);
    }
}

/// Something weighs on it: a quiet life would show nothing of that.
fn burden(status: &mut Status) {
    let stressor = json!({
        "name": "repeated_failure", "ledger": "measured", "unverifiable": false, "severity": 0.58, "peak": 0.61,
        "onset": 900_000_000, "domain": null, "evidence": "6 of the last 9 acts failed (67 %)",
        "eases_when": "fewer than 3 of 10 acts fail and 3 were completed", "distance": "4 acts",
    });
    let suffering = json!({
        "band": "high", "load": 0.58, "raw": 0.58, "crisis_cycles": 0, "respites": 0, "stressors": [stressor], "locked": [],
    });
    status.suffering = Some(serde_json::from_value(suffering).expect("suffering"));
    status.load = Some(0.58);
}

/// Something of each kind is open.
fn holdings(status: &mut Status) {
    let open = json!([
        { "kind": "asset", "wei": "1820000000000000", "worth_micro_usdc": 5_820_000, "cost_micro_usdc": 5_700_000 },
        { "kind": "liquidity", "worth_micro_usdc": 10_760_000, "cost_micro_usdc": 11_150_000, "fees_micro_usdc": 230_000,
          "between": [2_950.0, 3_150.5], "in_range": false },
    ]);
    status.open = serde_json::from_value(open).expect("positions");
}

pub fn lore(n: usize, blood: bool) -> LoreEntry {
    let texts = [
        "Gas is dear from 22 to 6 o'clock: wait, or pay three times as much.",
        "To add liquidity in volatile weather tends to go badly.",
        "The more of what the price did in the last hour, the higher it is in an hour.",
    ];
    LoreEntry {
        id: format!("{n:032x}"),
        text: texts[n % 3].to_owned(),
        kind: ["warning", "insight", "causal link"][n % 3].to_owned(),
        confidence: 0.9 - 0.1 * n as f64,
        note: "held 12, failed 1".to_owned(),
        blood: blood.then(|| BloodMark { of: "demo-42".to_owned(), mood: Some(Pad::new(-0.4, 0.6, -0.3)) }),
    }
}

impl LifeSource for TestHome {
    fn fleet(&mut self) -> Result<FleetLook, SourceFailure> {
        let card = |life: &Recorded, running: bool| LifeCard {
            id: life.status.id,
            name: life.status.name.to_string(),
            status: Some(Arc::new(life.status.clone())),
            died_of: life.status.death.as_ref().map(|_| "chance".to_owned()),
            last_trade: Some("sold 0.01 ETH for 31.00 USDC at 3,100.00".to_owned()),
            running,
            problem: None,
            read: true,
        };
        self.of(self.living())?;
        self.looks.0 += 1;
        let mut cards = vec![card(&self.living, true), card(&self.dead, false)];
        cards.extend(self.crew.iter().cloned());
        Ok(FleetLook { cards, waiting: 0 })
    }
    fn now(&mut self, golem: GolemId) -> Result<LifeNow, SourceFailure> {
        self.looks.1 += 1;
        let life = self.of(golem)?;
        let born_at = Timestamp(1_767_225_600);
        let name = life.status.name.to_string();
        Ok(LifeNow { name, born_at, generation: 0, status: Some(life.status.clone()), running: golem == self.living() })
    }
    fn facts(
        &mut self,
        golem: GolemId,
        after: Option<Seq>,
        most: u32,
    ) -> Result<(Vec<Envelope<Fact>>, Option<Seq>), SourceFailure> {
        let all = self.of(golem)?.facts.iter().filter(|f| after.is_none_or(|after| f.seq > after));
        let some: Vec<_> = all.take(most as usize).cloned().collect();
        let last = some.last().map(|f| f.seq);
        Ok((some, last))
    }
    fn series(&mut self, golem: GolemId, after: Tick) -> Result<Vec<(Timestamp, LifePoint)>, SourceFailure> {
        Ok(self.of(golem)?.series.iter().filter(|(_, p)| p.tick > after).cloned().collect())
    }
    fn outlook(&mut self, _: GolemId) -> Result<Option<LifeForecast>, SourceFailure> {
        Ok(None)
    }
    fn forecasts(&mut self, _: GolemId, as_of: Option<Tick>) -> Result<Vec<Prediction>, SourceFailure> {
        self.as_of.push(as_of);
        Ok(recorded(include_str!("life/predictions.json")))
    }
    fn playbook(&mut self, _: GolemId, _: Option<Tick>) -> Result<String, SourceFailure> {
        let said = recorded::<SignedTestament>(include_str!("life/testament.json"));
        Ok(said.testament.final_playbook)
    }
    fn causes(&mut self, _: GolemId, _: Option<Tick>) -> Result<Vec<Edge>, SourceFailure> {
        Ok(recorded(include_str!("life/edges.json")))
    }
    fn search(&mut self, _: GolemId, words: &str, as_of: Option<Tick>) -> Result<Vec<LoreEntry>, SourceFailure> {
        self.as_of.push(as_of);
        Ok(if words == "nothing" { Vec::new() } else { vec![lore(0, true), lore(1, false), lore(2, true)] })
    }
    fn dreams(&mut self, _: GolemId, as_of: Option<Tick>) -> Result<Vec<DreamTold>, SourceFailure> {
        self.as_of.push(as_of);
        let all: Vec<golem_dreams::journal::DreamJournalEntry> = recorded(include_str!("life/dreams.json"));
        Ok(all
            .into_iter()
            .map(|entry| DreamTold { page: vec![entry.id.clone(), "  because   idle".into()], entry })
            .collect())
    }
    fn staging(&mut self, _: GolemId, _: Option<Tick>) -> Result<Vec<Proposal>, SourceFailure> {
        Ok(recorded(include_str!("life/staging.json")))
    }
    fn testament(&mut self, _: GolemId) -> Result<Option<SignedTestament>, SourceFailure> {
        Ok(Some(recorded(include_str!("life/testament.json"))))
    }
    fn graves(&mut self, _: Option<GolemId>) -> Result<Vec<GraveStone>, SourceFailure> {
        let s = &self.of(self.dead())?.status;
        Ok(vec![GraveStone {
            id: s.id,
            name: s.name.to_string(),
            cause: "Chance: one turn in 15,880 was fatal, and this one was.".to_owned(),
            age_days: 78.4,
            died_at: Timestamp(1_767_225_600 + 6 * 86_400),
            worth: s.worth(),
            funded: s.funded,
            generation: 0,
            last_words: Some("I was not wrong about the gas.".to_owned()),
            mood: Some(Pad::new(-0.4, 0.6, -0.3)),
            price: Some(3_100.0),
            same_market: true,
        }])
    }
    fn lineage(&mut self, golem: GolemId) -> Result<Vec<LineNode>, SourceFailure> {
        let node = |id, depth, words: &str, dead| LineNode { id: Some(id), depth, words: words.to_owned(), dead };
        let dead = self.dead();
        Ok(vec![
            node(dead, 0, "† demo-42 · generation 0 · 78 d 10 h · died of stochastic · 35.43 USDC", true),
            node(golem, 1, "alma · generation 1, began with nothing · alive", false),
        ])
    }
    fn library(&mut self) -> Result<Vec<LoreEntry>, SourceFailure> {
        Ok((0..3).map(|n| lore(n, n != 1)).collect())
    }
    fn remains(&mut self, _: GolemId) -> Result<Vec<LoreEntry>, SourceFailure> {
        Ok((0..3).map(|n| lore(n, n == 2)).collect())
    }
    fn snapshot(&mut self, _: GolemId) -> Result<Vec<LoreEntry>, SourceFailure> {
        Ok((0..3).map(|n| lore(n, n == 2)).collect())
    }
    fn halted_heir(&mut self, _: GolemId) -> Result<Option<String>, SourceFailure> {
        Ok(self.halted_heir.clone())
    }
    fn offer(&mut self, wish: &SuccessorWish) -> Result<SuccessorOffer, SourceFailure> {
        self.wishes.push(wish.clone());
        let field = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let preview: InheritancePreview = recorded(include_str!("life/preview.json"));
        Ok(SuccessorOffer {
            name: wish.name.clone().unwrap_or_else(|| "demo-42-1".to_owned()),
            budget: wish.budget.unwrap_or(Usdc::whole(50)),
            generation: 1,
            fields: vec![
                field("policy.lp_management.range_sigmas", "6"),
                field("policy.template", "lp-management"),
                field("dream.enabled", "true"),
            ],
            advice: vec!["change policy.lp_management.range_sigmas: 6 → 4.2. It was moved too seldom.".to_owned()],
            advised: vec![field("policy.lp_management.range_sigmas", "4.2")],
            preview,
            changes: wish.sets.iter().map(|(key, value)| format!("~ {key}: → {value}")).collect(),
            too_near: (self.too_near && wish.sets.is_empty()).then(|| "it would be demo-42 again".to_owned()),
            heir: None,
        })
    }
    fn command(&mut self, command: &ScreenOrder) -> Result<BirthTold, SourceFailure> {
        self.commands.push(command.clone());
        let born = match command {
            ScreenOrder::Summon(wish) if self.too_near && wish.sets.is_empty() && !wish.force_similarity => {
                let hint = Some("change the strategy".to_owned());
                return Err(SourceFailure { what: "it would be demo-42 again".to_owned(), hint });
            }
            ScreenOrder::Summon(_) | ScreenOrder::Create(_) => Some(self.living()),
            _ => None,
        };
        let words = if born.is_some() { "demo-42-1 is born: generation 1." } else { "so it shall be" };
        Ok(BirthTold { words: words.to_owned(), born })
    }
}

/// Somebody at a terminal.
pub struct Person {
    pub home: TestHome,
    pub state: TuiState,
    pub scene: LifeScene,
    feed: SceneFeed,
    terminal: Terminal<TestBackend>,
    pub palette: Palette,
}

impl Person {
    pub fn looking_at(golem: impl FnOnce(&TestHome) -> GolemId, size: (u16, u16)) -> Self {
        let home = TestHome::new();
        let golem = golem(&home);
        let mut person = Self::anywhere(home, size);
        person.perform(TuiDeed::Attach(golem));
        person.state.message = None;
        person.waits(0);
        person
    }
    /// At all golems.
    pub fn at_fleet(crew: u16, size: (u16, u16)) -> Self {
        let mut person = Self::anywhere(TestHome::crowded(crew), size);
        person.waits(0);
        person
    }
    pub fn anywhere(home: TestHome, (w, h): (u16, u16)) -> Self {
        let terminal = Terminal::new(TestBackend::new(w, h)).expect("a terminal");
        let (state, scene, feed) = (TuiState::new(false), LifeScene::default(), SceneFeed::default());
        Self { home, state, scene, feed, terminal, palette: Palette { color: false } }
    }
    fn perform(&mut self, deed: TuiDeed) {
        perform(deed, &mut self.state, &mut self.scene, &mut self.home);
    }
    /// Type.
    pub fn types(&mut self, keys: impl IntoIterator<Item = KeyPress>) {
        for key in keys {
            if let Some(deed) = press(&mut self.state, &self.scene, key) {
                self.perform(deed);
            }
            self.waits(0);
        }
    }
    /// Type letters.
    pub fn says(&mut self, words: &str) {
        self.types(words.chars().map(KeyPress::Char));
    }
    /// Wait so many ms.
    pub fn waits(&mut self, ms: u64) {
        let now = self.state.now_ms + ms;
        // Facts come a page at a time.
        for _ in 0..3 {
            self.feed.refresh(&mut self.state, &mut self.scene, &mut self.home);
            if let Some(deed) = pass(&mut self.state, &self.scene, now) {
                self.perform(deed);
            }
        }
    }
    pub fn resizes(&mut self, (w, h): (u16, u16)) {
        self.terminal.backend_mut().resize(w, h);
    }
    /// What is seen, cell by cell.
    pub fn cells(&mut self) -> &Buffer {
        let (state, scene, palette) = (&self.state, &self.scene, self.palette);
        self.terminal.draw(|frame| draw(frame, state, scene, palette)).expect("it is drawn");
        self.terminal.backend().buffer()
    }
    /// What is seen, as text.
    pub fn sees(&mut self) -> String {
        let buffer = self.cells();
        let row = |y: u16| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        (0..buffer.area.height).map(|y| row(y).trim_end().to_owned()).collect::<Vec<_>>().join("\n")
    }
    /// The colours that are seen.
    pub fn colours(&mut self) -> std::collections::BTreeSet<String> {
        let cells = &self.cells().content;
        cells.iter().flat_map(|c| [format!("{:?}", c.fg), format!("{:?}", c.bg)]).filter(|c| c != "Reset").collect()
    }
}
