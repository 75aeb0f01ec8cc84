//! What the rooms of a life do to its dreams: an act that nobody knows the end of, a clock that runs out, money that is used
//! up, and moods.

use crate::dreaming::{dreamer, journal, told};
use crate::life_kit::{Turn, Watched, Written};
use crate::puppet_kit::{self, COST, Puppet, Seen, says};
use golem_core::Usdc;
use golem_core::door::{EmbedReply, EmbedRequest, Models};
use golem_core::model::{ModelAnswer, ModelReply, ModelRequest};
use golem_daimon::affect::{AffectFact, DreamMix, EventKind, Pad};
use golem_dreams::config::{DreamMoney, DreamScheduleMode, ReplayPrioritization};
use golem_dreams::journal::{DreamEnd, DreamJournalEntry};
use golem_dreams::{DreamFact, DreamPhase, DreamTier};
use golem_life::drive::{self, Acted, InMemory};
use golem_life::fact::DaimonFact;
use golem_life::settings::ThinkingSettings;
use golem_life::{Ask, Being, Fact, LifeStanding, Settings, TickInput};
use golem_mind::policy::Template;
use golem_mortality::config::{ChannelSwitches, Deaths, Personality};
use golem_mortality::economic::Partition;
use golem_mortality::{BehavioralPhase, DeathCause, GolemMode, MortalityFact};

/// Dreams when its owner says so, and at no other time.
fn by_order(tier: DreamTier) -> Settings {
    let mut settings = dreamer(tier);
    settings.dream.schedule.mode = DreamScheduleMode::Owner;
    settings.dream.windows.windows.clear();
    settings
}

/// Live until there is enough to dream of.
fn grown(golem: &mut Watched, episodes: usize) {
    let lived = |golem: &Watched| golem.life.grimoire().expect("it remembers").shelf().episode_count();
    while golem.life.tick().0 < 400 || lived(golem) < episodes {
        golem.turn();
        assert!(golem.life.tick().0 < 20_000, "{} episodes", lived(golem));
    }
}

fn begins(turn: &Turn) -> bool {
    told(turn).iter().any(|f| matches!(f, DreamFact::Start { .. }))
}

/// Told to dream it falls asleep at once; every turn from then on until it wakes.
fn sleep(golem: &mut Watched) -> Vec<Turn> {
    let order = golem.asked(vec![Ask::Dream]);
    assert!(begins(&order), "{:?} {:?}", order.reply(1), told(&order));
    let mut turns = Vec::new();
    while golem.life.status().mode == GolemMode::Dreaming {
        turns.push(golem.turn());
        assert!(turns.len() < 500, "it does not wake");
    }
    turns
}

/// One turn. What is permitted in it is carried out, or its receipt never comes; whether anything was permitted.
fn acts(golem: &mut Watched, is_known: bool) -> bool {
    let input = golem.input();
    let Watched { life, hands, models, .. } = golem;
    let mut driver = InMemory { being: life, hands, models: models.as_mut() };
    let Ok((mut record, permits)) = drive::begin(&mut driver, input);
    let permitted = permits.iter().any(Option::is_some);
    if is_known || !permitted {
        let Ok(acted) = drive::act(&mut driver, &record.previews, permits, &[]);
        if let Acted::All(receipts) = acted {
            record.receipts = receipts;
        }
    }
    let Ok(_) = drive::finish(&mut driver, &record.receipts);
    drop((std::mem::take(golem.life.facts()), golem.life.changes()));
    permitted
}

#[test]
fn nobody_sleeps_while_what_was_permitted_may_still_happen() {
    const TICKS: u64 = 20;
    // Whether the receipt comes; turns from the permit to the dream.
    for (is_known, turns) in [(true, 1), (false, TICKS)] {
        let mut settings = by_order(DreamTier::Core);
        settings.cage.permit_ticks = TICKS;
        let mut golem = Watched::born(3, 1_000, &settings);
        grown(&mut golem, 25);
        while !acts(&mut golem, is_known) {
            assert!(golem.life.tick().0 < 20_000, "it never wants anything");
        }
        let permitted = golem.life.tick().0;
        let mut turn = golem.asked(vec![Ask::Dream]);
        let reply = turn.reply(1).expect("an answer").to_owned();
        assert_eq!(reply.contains("permit_pending"), !is_known, "{reply}");
        while !begins(&turn) {
            turn = golem.turn();
            assert!(golem.life.tick().0 < permitted + 200, "it never dreams: {:?}", told(&turn));
        }
        assert_eq!(golem.life.tick().0 - permitted, turns, "{reply}");
    }
}

/// A mortal whom one clock ends: chance, with the same hazard in every turn, whatever it knows.
fn doomed(tier: DreamTier) -> Settings {
    let mut settings = by_order(tier);
    settings.mortality.immortal = false;
    let chance = &mut settings.mortality.stochastic;
    (chance.age_hazard_coefficient, chance.aging_rate, chance.max_hazard_rate) = (1e-3, 0.0, 1e-3);
    // Dreams are as long as they can be: each stage of a sleeper has several turns.
    settings.dream.clocks.base_rate = 2.0;
    settings
}

/// A seed by whose dice a golem that never dreams dies in good health after a while, and the turn in which it does.
fn doom(settings: &Settings) -> (u64, u64) {
    for seed in 1..100 {
        let mut golem = Watched::born(seed, 1_000, settings);
        while golem.life.mortality().death.is_none() && golem.life.tick().0 < 2_000 {
            golem.turn();
        }
        let (end, mortality) = (golem.life.tick().0, golem.life.mortality());
        let lived = golem.life.grimoire().expect("it remembers").shelf().episode_count();
        // Each of its twins plans the same dream: it has been in one phase for longer than any dream takes.
        let is_well = mortality.vitality.phase >= BehavioralPhase::Stable && mortality.vitality.ticks_in_phase > 100;
        if mortality.death.is_some() && end > 600 && lived >= 40 && is_well {
            return (seed, end);
        }
    }
    panic!("nobody dies as it should");
}

/// Fall asleep so many turns before a turn, having written down everything from birth on.
fn asleep_before((seed, end): (u64, u64), after: u64, settings: &Settings) -> (Watched, Written) {
    let (mut golem, mut file) = (Watched::born(seed, 1_000, settings), Written::default());
    while golem.life.tick().0 + after + 1 < end {
        file.write(&golem.turn().changes);
    }
    let order = golem.asked(vec![Ask::Dream]);
    assert!(begins(&order), "{:?} {:?}", order.reply(1), told(&order));
    file.write(&order.changes);
    (golem, file)
}

/// The stages of a dream, each with the turn of the dream in which it begins.
fn stages(golem: &mut Watched) -> Vec<(DreamPhase, u64)> {
    let mut begun = Vec::new();
    for after in 1.. {
        let turn = golem.turn();
        begun.extend(told(&turn).iter().filter_map(|f| match f {
            DreamFact::Phase { phase, .. } => Some((*phase, after)),
            _ => None,
        }));
        if told(&turn).iter().any(|f| matches!(f, DreamFact::Complete { .. })) {
            break;
        }
        assert!(after < 200, "{begun:?}");
    }
    assert_eq!(begun.len(), DreamPhase::ALL.len(), "{begun:?}");
    begun
}

#[test]
fn chance_ends_a_dream_in_any_stage_and_its_journal_is_kept() {
    for tier in [DreamTier::Core, DreamTier::Hardened] {
        let settings = doomed(tier);
        let doom = doom(&settings);
        // A twin whose death is only written down shows how long each stage takes.
        let mut spared = settings.clone();
        spared.mortality.deaths = Deaths::Recorded;
        let stages = stages(&mut asleep_before(doom, 1, &spared).0);
        for (begun, after) in stages {
            // A sleeper dies in the first of a stage's turns. A stage of a core cycle is over with its only turn, and death comes
            // before the next one, or after the whole dream.
            let open = if tier == DreamTier::Hardened { Some(begun) } else { begun.next() };
            let (mut golem, mut file) = asleep_before(doom, after, &settings);
            for _ in 1..after {
                file.write(&golem.turn().changes);
            }
            assert!(golem.life.mortality().death.is_none(), "{tier:?} {begun}: too early");
            let last = golem.turn();
            file.write(&last.changes);
            let by_chance = |cause: &DeathCause| matches!(cause, DeathCause::Stochastic { .. });
            let died = |f: &Fact| matches!(f, Fact::Mortality(MortalityFact::Dying { cause, .. }) if by_chance(cause));
            assert!(last.facts.iter().any(|f| died(&f.body)), "{tier:?} {begun}: it lives on at {}", golem.life.tick());
            let broken_off = told(&last).into_iter().find_map(|f| match f {
                DreamFact::Interrupted { phase, source: None, .. } => Some(*phase),
                _ => None,
            });
            assert_eq!(broken_off, open, "{tier:?} {begun}");
            let entry = journal(&last);
            assert_eq!(entry.end, if open.is_some() { DreamEnd::Died } else { DreamEnd::Complete }, "{tier:?} {begun}");
            assert_eq!(entry.dream_duration_ticks, after, "{tier:?} {begun}");
            assert_eq!(entry.phase1_summary.episodes_replayed > 0, begun >= DreamPhase::Nrem, "{tier:?} {begun}");
            let status = golem.life.status();
            assert!(status.mode == GolemMode::Dying && status.death.is_some(), "{tier:?} {begun}");
            let dreams = status.dreams.expect("it dreams");
            assert_eq!((dreams.state.current_phase, dreams.broken_off), (None, u32::from(open.is_some())));
            // From its file it is the same, and comes to its end.
            let digest = golem.life.digest();
            let mut golem = golem.remembering(file.remembered());
            assert_eq!(golem.life.digest(), digest, "{tier:?} {begun}");
            for _ in 0..200 {
                if golem.life.standing() != LifeStanding::Dead {
                    golem.turn();
                }
            }
            assert_eq!(golem.life.standing(), LifeStanding::Dead, "{tier:?} {begun}");
        }
    }
}

/// Asks models in its dreams alone.
fn thinker() -> Settings {
    let thinking = ThinkingSettings {
        t1: false,
        t2: false,
        dreams: Some([true, true]),
        daily_usdc: Usdc::whole(10),
        daily_calls: 5_000,
        daily_tokens: 50_000_000,
        ..puppet_kit::settings().thinking
    };
    Settings { thinking, ..by_order(DreamTier::Hardened) }
}

/// A provider that bills what it likes for an answer, whatever it was told that it may cost.
struct Bills<P>(Puppet, P);

impl<P: FnMut(&ModelRequest) -> Usdc + Send> Models for Bills<P> {
    fn ask(&mut self, request: &ModelRequest) -> ModelReply {
        let (mut reply, cost) = (self.0.ask(request), (self.1)(request));
        reply.attempts.iter_mut().for_each(|attempt| attempt.cost = cost);
        reply
    }
    fn embed(&mut self, request: &EmbedRequest) -> EmbedReply {
        self.0.embed(request)
    }
}

fn answer(request: &ModelRequest) -> ModelAnswer {
    match request.prompt.split('@').next().unwrap_or_default() {
        "dream-onset" => says(&format!("a harbour of lanterns at {:.2} drifting over", request.temperature)),
        "dream-observer" => says(r#"{"novelty":0.9,"keep":true}"#),
        _ => says(""),
    }
}

fn billed(settings: &Settings, price: impl FnMut(&ModelRequest) -> Usdc + Send + 'static) -> Watched {
    assert!(settings.problems().is_empty(), "{:?}", settings.problems());
    let puppet = Puppet { script: Box::new(answer), seen: Seen::default() };
    Watched::born(3, 1_000, settings).with_models(Bills(puppet, price))
}

/// Every answer costs it the same.
fn born(settings: &Settings) -> Watched {
    billed(settings, |_| COST)
}

/// The purse floor that leaves so much to spend, for who has come this far.
fn floor_with_room(room: Usdc) -> f64 {
    let mut golem = born(&thinker());
    grown(&mut golem, 25);
    let ledger = golem.life.ledger();
    let (purse, credit) = (ledger.purses[Partition::Llm.index()], ledger.operating());
    purse.minus(room).0 as f64 / credit.minus(room).0 as f64
}

/// A life in which one cap alone is small.
struct OneCap {
    name: &'static str,
    set: Box<dyn Fn(&mut Settings)>,
    /// The least that a question must find below it.
    cap: Usdc,
    /// Why the dream goes on by rules alone.
    stops: &'static str,
    /// Why the next one does not begin, where it does not.
    closes: Option<&'static str>,
    /// Whether the next day lifts it, where that is looked at.
    opens_tomorrow: Option<bool>,
}

fn caps() -> [OneCap; 4] {
    let (small, three) = (Usdc(1_000), Usdc(3 * COST.0));
    let floor = floor_with_room(three);
    let per_cycle = "what it may cost so far is used up";
    [
        OneCap {
            name: "month",
            set: Box::new(move |s| s.dream.budget.monthly_max = DreamMoney::Known(small)),
            cap: small,
            stops: per_cycle,
            closes: Some("the month's budget of 0.001000 USDC is used"),
            opens_tomorrow: Some(false),
        },
        OneCap {
            name: "session",
            set: Box::new(move |s| s.dream.budget.per_session_max = DreamMoney::Known(small)),
            cap: small,
            stops: per_cycle,
            closes: Some("the session's budget of 0.001000 USDC is used"),
            opens_tomorrow: Some(true),
        },
        OneCap {
            name: "floor",
            set: Box::new(move |s| s.dream.budget.purse_floor = floor),
            cap: three,
            stops: "the purse for models is as empty as it may be",
            closes: None,
            opens_tomorrow: None,
        },
        OneCap {
            name: "share",
            // Who thrives has a tenth of the day's thinking for its dreams.
            set: Box::new(move |s| s.thinking.daily_usdc = Usdc(10 * three.0)),
            cap: three,
            stops: "dreams have had their share of the day's thinking",
            closes: None,
            opens_tomorrow: None,
        },
    ]
}

fn says_that(entry: &DreamJournalEntry, why: &str) -> bool {
    entry.thoughts.remarks.iter().any(|remark| remark.contains(why))
}

#[test]
fn each_cap_on_what_dreams_cost_binds_by_itself() {
    let caps = caps();
    let mut free = born(&thinker());
    grown(&mut free, 25);
    let entry = journal(sleep(&mut free).last().expect("a night"));
    assert!(entry.total_cost_usdc >= Usdc(6 * COST.0), "{:?}", entry.thoughts);
    assert!(caps.iter().all(|one| !says_that(&entry, one.stops)), "{:?}", entry.thoughts);
    let free_of_caps = entry.total_cost_usdc;
    for OneCap { name, set, cap, stops, closes, opens_tomorrow } in caps {
        let mut settings = thinker();
        set(&mut settings);
        let mut golem = born(&settings);
        grown(&mut golem, 25);
        let mut turns = sleep(&mut golem);
        let entry = journal(turns.last().expect("a night"));
        assert_eq!(entry.end, DreamEnd::Complete, "{name}");
        assert!(says_that(&entry, stops), "{name}: {:?}", entry.thoughts);
        // The last answer may cost more than was left for it, and none is asked for after that.
        let cost = entry.total_cost_usdc;
        // Rent is paid meanwhile, which moves the share of the purse and so its floor.
        let most = if name == "floor" { free_of_caps } else { cap.plus(COST) };
        assert!(cost > Usdc::ZERO && cost < most, "{name}: {cost} of {most}");
        let today = golem.life.age().day();
        turns.push(golem.asked(vec![Ask::Dream]));
        let blocked: Vec<&str> = turns
            .iter()
            .flat_map(told)
            .filter_map(|f| match f {
                DreamFact::Blocked { why, .. } => Some(why.as_str()),
                _ => None,
            })
            .collect();
        let Some(why) = closes else { continue };
        assert!(blocked.iter().any(|said| said.contains(why)), "{name}: {blocked:?}");
        let Some(opens) = opens_tomorrow else { continue };
        let (mut began, mut tomorrow) = (false, 0);
        while tomorrow < 50 {
            let begins = begins(&golem.turn());
            tomorrow += u32::from(golem.life.age().day() > today);
            assert!(tomorrow > 0 || !begins, "{name}: it dreams again on the same day");
            began |= begins;
        }
        assert_eq!(began, opens, "{name}");
    }
}

/// A golem of this temperament whose dreams alone are coloured by what it feels, if anything is. It always holds something, and
/// its owner's ceilings are out of the way.
fn moody([pleasure, arousal, dominance]: [f64; 3], dreams: bool) -> Settings {
    let mut settings = thinker();
    let affect = &mut settings.mortality.affect;
    affect.personality = Personality { pleasure, arousal, dominance };
    // Moods stay near the temperament.
    affect.mood_decay_rate = 0.99;
    affect.channels = ChannelSwitches { exploration: false, risk: false, tier: false, sharing: false, dreams };
    settings.policy.template = Template::EthDca;
    (settings.policy.eth_dca.amount_usdc, settings.policy.eth_dca.every_ticks) = (Usdc::whole(60), 180);
    let dream = &mut settings.dream;
    (dream.replay.batch_size, dream.replay.prioritization) = (5, ReplayPrioritization::Recency);
    let most = &mut dream.imagination;
    (most.counterfactual_depth, most.creative_sessions, most.threat_scenarios) = (0, 20, 15);
    settings
}

/// What a night was made of.
struct Night {
    tick: u64,
    mix: DreamMix,
    replays: u32,
    threats: usize,
    /// Tokens for imagining: so many for each creative session.
    tokens: u64,
    journal: DreamJournalEntry,
    /// The mood before the turn in which it was over, and after it.
    moods: [Pad; 2],
    last: Turn,
}

fn night(settings: &Settings) -> Night {
    let mut golem = born(settings);
    grown(&mut golem, 60);
    while golem.life.exposure() < 0.25 {
        golem.turn();
        assert!(golem.life.tick().0 < 20_000, "it holds too little: {}", golem.life.exposure());
    }
    let affect = |golem: &Watched| golem.life.status().affect.expect("it feels");
    let order = golem.asked(vec![Ask::Dream]);
    assert!(begins(&order), "{:?} {:?}", order.reply(1), told(&order));
    let (tick, mix, mut tokens) = (golem.life.tick().0, affect(&golem).channels.dreams, 0);
    for _ in 0..500 {
        let before = affect(&golem).mood_pad;
        let last = golem.turn();
        for fact in told(&last) {
            if let DreamFact::Phase { phase: DreamPhase::Rem, budget_tokens, .. } = fact {
                tokens = *budget_tokens;
            }
        }
        if golem.life.status().mode == GolemMode::Waking {
            let journal = journal(&last);
            let replays = journal.phase1_summary.episodes_replayed;
            let threats = journal.phase2_summary.threats_simulated.len();
            let moods = [before, affect(&golem).mood_pad];
            return Night { tick, mix, replays, threats, tokens, journal, moods, last };
        }
    }
    panic!("it does not wake");
}

#[test]
fn moods_say_what_is_dreamt() {
    for (name, temperament, [replay, creative, threat]) in [
        ("calm", [0.6, -0.9, -0.8], [1.0, 1.0, 1.0]),
        ("anxious", [-0.6, 0.9, 0.0], [1.0, 1.0, 2.0]),
        ("low", [-0.7, -0.9, -0.2], [1.5, 1.0, 1.0]),
        ("bright", [0.9, 0.2, 0.9], [1.0, 1.5, 1.0]),
    ] {
        // Twins that differ in nothing before they dream: one of them dreams as if it felt nothing.
        let [moody, even] = [true, false].map(|dreams| night(&moody(temperament, dreams)));
        assert_eq!((moody.mix, even.mix), (DreamMix { replay, creative, threat }, DreamMix::NEUTRAL), "{name}");
        assert_eq!(moody.tick, even.tick, "{name}");
        for (what, [with, without], weight) in [
            ("replays", [u64::from(moody.replays), u64::from(even.replays)], replay),
            ("tokens for imagining", [moody.tokens, even.tokens], creative),
            ("threats", [moody.threats as u64, even.threats as u64], threat),
        ] {
            assert!(without > 0, "{name}: no {what}");
            let as_weighed = if weight > 1.0 { with > without } else { with == without };
            assert!(as_weighed, "{name}: {with} {what} at a weight of {weight}, {without} without it");
        }
    }
}

#[test]
fn how_a_dream_ends_is_felt_and_moves_the_mood() {
    for temperament in [[0.6, -0.9, -0.8], [-0.6, 0.9, 0.0], [0.9, 0.2, 0.9]] {
        let Night { journal, moods: [before, after], last, .. } = night(&moody(temperament, true));
        assert_eq!(journal.end, DreamEnd::Complete);
        let frightens = journal.phase2_summary.threats_simulated.iter().any(|t| t.loss_bps > 100.0);
        assert!(frightens, "{:?}", journal.phase2_summary.threats_simulated);
        let appraisal = last.facts.iter().find_map(|f| match &f.body {
            Fact::Daimon(fact) => match &**fact {
                DaimonFact::Affect(AffectFact::Appraisal { triggers, pad, strength, .. }) => {
                    Some((triggers.clone(), pad.times(*strength)))
                }
                _ => None,
            },
            _ => None,
        });
        let (triggers, felt) = appraisal.expect("something is felt");
        // A dream that brought something is a good one.
        let brought = journal.later.proposed > 0 || !journal.phase3_summary.grimoire_updates.is_empty();
        let outcome = if brought { EventKind::DreamGood } else { EventKind::DreamBad };
        assert!(triggers.contains(&outcome) && triggers.contains(&EventKind::DreamThreat), "{triggers:?}");
        assert!(after.distance(felt) < before.distance(felt), "from {before} to {after}, and it felt {felt}");
    }
}

/// What a call cost whose answer a crash swallowed is the dream's where a dream asked it, and else nobody's but the ledger's.
#[test]
fn a_question_that_a_crash_swallowed_is_the_cost_of_the_dream_that_asked_it() {
    const LOST: Usdc = Usdc(777);
    let cost = |golem: &Watched| {
        let stats = golem.life.status().dreams.expect("it dreams");
        stats.cost.plus(stats.state.budget_spent)
    };
    let lose = |golem: &mut Watched| {
        let input = TickInput { swallowed: vec![LOST], ..golem.input() };
        golem.live(&input)
    };
    // How many turns after it fell asleep the bill comes: the call was one turn earlier, awake for the first of them.
    for (turns, is_dreamt) in [(1, false), (3, true)] {
        let [mut lost, mut whole] = [(); 2].map(|()| {
            let mut golem = born(&thinker());
            grown(&mut golem, 25);
            assert!(begins(&golem.asked(vec![Ask::Dream])));
            golem.turns(turns - 1);
            golem
        });
        let (bill, usual) = (lose(&mut lost), whole.turn());
        assert_eq!(lost.life.status().mode, GolemMode::Dreaming, "{:?}", told(&bill));
        let more = if is_dreamt { LOST } else { Usdc::ZERO };
        assert_eq!(cost(&lost), cost(&whole).plus(more), "{:?}", told(&usual));
        assert_eq!(lost.life.ledger().operating().plus(LOST), whole.life.ledger().operating());
    }
    // It was the last that the dream had asked: then it has ended in the turn before.
    let mut golem = born(&thinker());
    grown(&mut golem, 25);
    sleep(&mut golem);
    let before = cost(&golem);
    lose(&mut golem);
    assert_eq!(cost(&golem), before.plus(LOST));
    lose(&mut golem);
    assert_eq!(cost(&golem), before.plus(LOST), "awake for a turn it asked as who is awake");
}
