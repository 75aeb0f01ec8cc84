//! A toy being: a counter and a hash over everything it was told. It buys now and then, answers, and dies when told to.

mod memory;
mod world;

#[allow(unused_imports, reason = "benches use a part of the toy")]
pub use {
    memory::{a_vector, an_entry, an_episode},
    world::{Paper, Walk, fill, foreseen},
};

use golem_core::birth::Identity;
use golem_core::door::{EmbedRequest, InProcess, NoModels};
use golem_core::fact::FactBody;
use golem_core::intent::{Holdings, Outcome};
use golem_core::model::{ModelMessage, ModelPurpose, ModelRequest, ModelTier};
use golem_core::plain::Pieces;
use golem_core::*;
use golem_grimoire::{Change, Remembered};
use golem_life::{Answer, Ask, Being, LifeStanding, Page, Question, Reply, Step, TickInput, TurnEnd};
use golem_runtime::*;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub struct Nature {
    pub dies_at: u64,
    /// Turns of dying between the record of its death and the end.
    pub dying_turns: u64,
    pub buys_one_in: u64,
    pub panics_at: Option<u64>,
    /// A different program: decides differently from this turn on.
    pub twist_at: Option<u64>,
    /// Bytes of ballast in the state.
    pub bulk: usize,
    /// Asks a model at every turn whose number is a multiple of this.
    pub asks_every: u64,
    /// Asks an embedder instead.
    pub embeds: bool,
    /// Writes an episode and an entry now and then, and keeps a page.
    pub remembers: bool,
    /// Episodes that it writes in every turn.
    pub scribbles: u64,
    /// Sells one unit at every turn in which it holds any and does not buy.
    pub sells: bool,
    /// Says everything that it remembers twice.
    pub repeats_itself: bool,
    /// Wants to be insured at this turn.
    pub insured_at: u64,
}

impl Default for Nature {
    fn default() -> Self {
        Self {
            dies_at: u64::MAX,
            dying_turns: 0,
            buys_one_in: 7,
            panics_at: None,
            twist_at: None,
            bulk: 0,
            asks_every: 0,
            embeds: false,
            remembers: false,
            scribbles: 0,
            sells: false,
            repeats_itself: false,
            insured_at: 0,
        }
    }
}

pub const INTERVAL: Elapsed = Elapsed::secs(40);

#[derive(Debug, Clone, Serialize, Deserialize)]
struct State {
    tick: Tick,
    seq: u64,
    mix: Hash,
    capital: u64,
    asset: u64,
    standing: LifeStanding,
    bulk: Vec<u8>,
    /// What models have cost, swallowed calls included.
    pub paid: u64,
    /// How often the owner has edited the page.
    pub edits: u64,
}

pub struct Toy {
    state: State,
    nature: Nature,
    dice: Dice,
    open: Option<TickInput>,
    wish: Vec<Intent>,
    changes: Vec<Change>,
    facts: Vec<Envelope<ToyFact>>,
    pub remembered: Remembered,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ToyFact {
    Felt { mix: Hash },
    Bought { got: u64 },
    Heard { words: String },
}

impl FactBody for ToyFact {
    fn name(&self) -> &'static str {
        match self {
            Self::Felt { .. } => "toy.felt",
            Self::Bought { .. } => "toy.bought",
            Self::Heard { .. } => "toy.heard",
        }
    }
    fn is_series(&self) -> bool {
        matches!(self, Self::Felt { .. })
    }
}

#[derive(Debug, Serialize)]
pub struct ToyStatus {
    pub tick: u64,
    pub capital: u64,
    pub asset: u64,
    pub mix: Hash,
    pub paid: u64,
    pub edits: u64,
}

impl Toy {
    fn stir(&mut self, bytes: &[u8]) {
        self.state.mix = Hash(*blake3::keyed_hash(&self.state.mix.0, bytes).as_bytes());
    }
    fn emit(&mut self, at: Timestamp, body: ToyFact) {
        self.state.seq += 1;
        let tick = self.state.tick.next();
        self.facts.push(Envelope { golem: GolemId([7; 16]), seq: Seq(self.state.seq), tick, at, cause: None, body });
    }
}

fn texts(tick: u64) -> EmbedRequest {
    EmbedRequest { query: Some(format!("turn {tick}")), texts: vec!["kept".into()], max_cost: Usdc(1_000) }
}

/// What the toy asks: another question every turn.
fn request(tick: u64) -> ModelRequest {
    ModelRequest {
        purpose: ModelPurpose::Waking,
        tier: ModelTier::T1,
        prompt: "toy@1".into(),
        system: String::new(),
        messages: vec![ModelMessage::Golem { text: format!("what of {tick}?") }],
        tools: vec![],
        schema: String::new(),
        temperature: 0.0,
        max_output_tokens: 16,
        max_cost: Usdc(1_000),
        timeout_ms: 1_000,
        web: false,
    }
}

impl Being for Toy {
    type Fact = ToyFact;
    type Status = ToyStatus;
    type Point = ToyStatus;
    type Genesis = Nature;
    type Permit = ();

    fn born(nature: &Nature, secret: &Secret) -> Self {
        let bulk = (0..nature.bulk).map(|n| (n % 251) as u8).collect();
        let standing = LifeStanding::Alive;
        let mix = Hash::default();
        let state =
            State { tick: Tick(0), seq: 0, mix, capital: 1_000_000, asset: 0, standing, bulk, paid: 0, edits: 0 };
        Self {
            state,
            nature: nature.clone(),
            dice: secret.dice(Strand::Mind),
            open: None,
            wish: vec![],
            changes: vec![],
            facts: vec![],
            remembered: Remembered::default(),
        }
    }
    fn begin(&mut self, input: &TickInput) -> Step {
        self.facts.clear();
        assert!(self.open.is_none(), "a turn within a turn");
        let tick = self.state.tick.next().0;
        let price = input.seen.price.map_or(0, |p| p.get().to_bits());
        self.stir(&[input.at.0.to_le_bytes(), price.to_le_bytes(), tick.to_le_bytes()].concat());
        for order in &input.orders {
            self.stir(format!("{order:?}").as_bytes());
        }
        let mix = self.state.mix;
        self.emit(input.at, ToyFact::Felt { mix });
        self.open = Some(input.clone());
        let twisted = self.nature.twist_at.is_some_and(|t| tick >= t);
        let buys = self.dice.bits(tick, 0).is_multiple_of(self.nature.buys_one_in) ^ twisted;
        self.state.paid += input.swallowed.iter().map(|cost| cost.0).sum::<u64>();
        self.state.edits += u64::from(input.edited.is_some());
        let buy = buys && self.state.capital > 2;
        self.wish = match (buy, self.nature.sells && self.state.asset > 0) {
            (true, _) => vec![Intent::Buy { pay: Usdc(2), min_out: Asset(1) }],
            (false, true) => vec![Intent::Sell { give: Asset(1), min_out: Usdc(0) }],
            (false, false) => vec![],
        };
        if self.nature.asks_every > 0 && tick.is_multiple_of(self.nature.asks_every) {
            return Step::Ask(match self.nature.embeds {
                true => Question::Embed(Box::new(texts(tick))),
                false => Question::Model(Box::new(request(tick))),
            });
        }
        Step::Wishes(std::mem::take(&mut self.wish))
    }
    fn answered(&mut self, answer: &Answer) -> Step {
        match answer {
            Answer::Model(reply) => {
                self.state.paid += reply.cost().0;
                self.stir(format!("{:?}", reply.answer).as_bytes());
            }
            Answer::Embedded(reply) => {
                self.state.paid += golem_core::model::cost(&reply.attempts).0;
                self.stir(format!("{:?}", reply.query).as_bytes());
            }
            Answer::Previews(_) | Answer::Forked(_) | Answer::Claimed(_) => panic!("no hands were asked"),
        }
        Step::Wishes(std::mem::take(&mut self.wish))
    }
    fn facts(&mut self) -> &mut Vec<Envelope<ToyFact>> {
        &mut self.facts
    }
    fn changes(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.changes)
    }
    fn page(&self, newer_than: u64) -> Option<Page> {
        let revision = self.state.tick.0 / 50;
        let page = Page { revision, text: format!("own page {revision}") };
        (self.nature.remembers && revision > newer_than).then_some(page)
    }
    fn wrote(&self, text: &str) -> bool {
        text.starts_with("own page")
    }
    fn consider(&mut self, previews: &[Preview]) -> Vec<Option<()>> {
        assert!(self.open.is_some(), "a verdict without a begin");
        self.stir(format!("{previews:?}").as_bytes());
        previews.iter().map(|p| p.refusal().is_none().then_some(())).collect()
    }
    fn finish(&mut self, receipts: &[Receipt]) -> TurnEnd {
        let input = self.open.take().expect("an end without a begin");
        let tick = self.state.tick.next();
        assert!(self.nature.panics_at != Some(tick.0), "told to panic");
        for receipt in receipts {
            self.stir(format!("{receipt:?}").as_bytes());
            if let Outcome::Bought { paid, got } = receipt.outcome {
                self.state.capital -= paid.0;
                self.state.asset += got.0 as u64;
                self.emit(input.at, ToyFact::Bought { got: got.0 as u64 });
            }
            if let Outcome::Sold { gave, got } = receipt.outcome {
                self.state.asset -= gave.0 as u64;
                self.state.capital += got.0;
            }
        }
        let mut replies = Vec::new();
        for order in &input.orders {
            let text = match &order.ask {
                Ask::Feed { amount } => {
                    self.state.capital += amount.0;
                    "thanks".to_owned()
                }
                Ask::Pause => {
                    self.state.standing = LifeStanding::Paused;
                    "resting".to_owned()
                }
                Ask::Resume => {
                    self.state.standing = LifeStanding::Alive;
                    "going on".to_owned()
                }
                Ask::Kill { reason } => {
                    self.state.standing = LifeStanding::Dead;
                    format!("dying: {reason}")
                }
                Ask::Halt { reason } => format!("halted: {reason}"),
                Ask::KillSwitch { .. } => {
                    self.state.standing = LifeStanding::Dead;
                    "dying".to_owned()
                }
                Ask::Learn { .. } | Ask::Peer { .. } | Ask::Suffer { .. } => "heard".to_owned(),
                Ask::Dream
                | Ask::Wake { .. }
                | Ask::Judge { .. }
                | Ask::Equip { .. }
                | Ask::Kin { .. }
                | Ask::Withdraw { .. } => "heard".to_owned(),
                Ask::Tell { text } => {
                    self.emit(input.at, ToyFact::Heard { words: text.clone() });
                    format!("heard {text}")
                }
            };
            replies.push(Reply { order: order.id, text });
        }
        self.state.tick = tick;
        if self.nature.remembers {
            self.remember();
        }
        self.scribble();
        if tick.0 >= self.nature.dies_at {
            let over = tick.0 >= self.nature.dies_at + self.nature.dying_turns;
            self.state.standing = if over { LifeStanding::Dead } else { LifeStanding::Dying };
        }
        let insure = self.nature.insured_at == tick.0;
        TurnEnd {
            standing: self.state.standing,
            interval: INTERVAL,
            insure,
            replies,
            peers: Vec::new(),
            kin: Vec::new(),
        }
    }
    fn holdings(&self) -> Holdings {
        Holdings {
            capital: Usdc(self.state.capital),
            asset: Asset(u128::from(self.state.asset)),
            ..Holdings::default()
        }
    }
    fn tick(&self) -> Tick {
        self.state.tick
    }
    fn next_age(&self) -> VirtualTime {
        VirtualTime(INTERVAL.0 * self.state.tick.next().0)
    }
    fn standing(&self) -> LifeStanding {
        self.state.standing
    }
    fn digest(&self) -> Hash {
        Hash::of(&postcard::to_allocvec(&self.state).unwrap())
    }
    fn status(&self) -> ToyStatus {
        let State { tick, capital, asset, mix, paid, edits, .. } = self.state;
        ToyStatus { tick: tick.0, capital, asset, mix, paid, edits }
    }
    fn save(&self) -> Pieces {
        assert!(self.open.is_none(), "saved between its halves");
        golem_core::plain::pieces(&self.state)
    }
    fn restore(nature: &Nature, secret: &Secret, saved: &[u8], remembered: Remembered) -> Result<Self, String> {
        let state = postcard::from_bytes(saved).map_err(|e| e.to_string())?;
        Ok(Self { state, remembered, ..Self::born(nature, secret) })
    }
}

pub fn origin(seed: u64) -> Origin {
    let secret = Secret::from_seed(seed);
    let public_key = Hash(ed25519_dalek::SigningKey::from_bytes(&[9; 32]).verifying_key().to_bytes());
    let (name, commitment): (Name, _) = ("toy".parse().unwrap(), secret.commitment());
    let id = Identity { name: &name, public_key, commitment }.id();
    let birth = Birth {
        id,
        name,
        owner: OwnerId::LOCAL,
        generation: 0,
        lineage: id,
        parent: None,
        public_key,
        commitment,
        open: true,
        born_at: Timestamp(1_700_000_000),
        funding: Usdc(1_000_000),
        settings: Hash::of(b""),
        inheritance: None,
        home: None,
    };
    Origin {
        birth,
        settings_given: "name = \"toy\"".into(),
        settings_resolved: "name = \"toy\"\nall = true".into(),
        secret,
        signing_key: [9; 32],
        inheritance: None,
    }
}

pub type ToyRunner = Runner<Toy, Walk, InProcess<Paper>>;

pub const NOW: Timestamp = Timestamp(1_800_000_000);

pub fn newborn(dir: &Path) {
    create(dir, &origin(1)).unwrap();
}

pub fn store(dir: &Path) -> Store {
    Store::open(dir, OpenOptions::default(), NOW).unwrap()
}

pub fn around(pace: Pace) -> Around<ToyFact> {
    Around {
        options: Options { pace, shown: Some(ShownTime::World), ..Options::default() },
        clock: Arc::new(VirtualClock::default()),
        stop: StopFlag::default(),
        listener: None,
        models: Box::new(NoModels),
    }
}

pub fn open(dir: &Path, nature: &Nature, pace: Pace) -> ToyRunner {
    Runner::open(store(dir), nature, Walk::new(), InProcess(Paper), around(pace)).unwrap()
}

pub fn turns(n: u64) -> Until {
    Until { turns: Some(n), return_when_paused: true }
}

/// The head of an uninterrupted life of so many turns, all in one group per commit.
pub fn head_after(n: u64, nature: &Nature) -> Hash {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let mut runner = open(tmp.path(), nature, Pace::Max);
    runner.run(turns(n)).unwrap();
    runner.head()
}

pub fn replayed(dir: &Path, nature: &Nature) -> ReplayReport {
    replay(dir, None, |origin| Ok(Toy::born(nature, &origin.secret))).unwrap()
}
