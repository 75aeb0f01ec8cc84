//! The steward against everything that can go wrong at every point: fakes that count, a real treasury, and a clock that is set.

use super::super::heirship::Compared;
use super::*;
use golem_clade::succession::{
    CreditEntry, IdentityClaim, IdentityState, ProvisionerWord, SuccessionConfig, SuccessionNotice,
};
use golem_core::{Dice, Strand, Usdc};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

const DEAD: GolemId = GolemId([7; 16]);
const LINE: GolemId = GolemId([1; 16]);

/// What outlives a process: heirs on disk, machines elsewhere, agents in a registry.
#[derive(Default)]
struct Outside {
    born: BTreeSet<GolemId>,
    conceived: u8,
    machines: BTreeSet<GolemId>,
    made: u32,
    booted: u32,
    agents: BTreeMap<String, u32>,
    /// Doings left before the process is killed; none for a process that lives on.
    fuse: Option<u32>,
    near: bool,
    /// The heir is given the name of the dead one and nothing that it knew.
    name_alone: bool,
    /// Machines that cost money, and what each was handed.
    rented: BTreeMap<GolemId, Vec<u8>>,
    /// Who let it live: a machine elsewhere or not.
    booted_there: Vec<bool>,
    no_births: u32,
    no_boots: u32,
    no_machines: u32,
    no_registry: u32,
    /// Who is known of without being here.
    elsewhere: Option<GolemId>,
}

type Shared = Rc<RefCell<Outside>>;

/// One doing: the process may be killed before it happens, or after.
fn tick(outside: &Shared) {
    let over = match &mut outside.borrow_mut().fuse {
        Some(0) => true,
        Some(left) => {
            *left -= 1;
            false
        }
        None => false,
    };
    if over {
        std::panic::resume_unwind(Box::new("killed"));
    }
}

/// What the dead one leaves.
fn left(inherits: bool) -> Vec<u8> {
    if inherits { b"all that it knew".to_vec() } else { b"its name".to_vec() }
}

struct FakeGrave(Shared, Option<GolemId>);

impl Heirship for FakeGrave {
    fn export(&mut self, inherits: bool) -> Result<Vec<u8>, Fail> {
        tick(&self.0);
        Ok(left(inherits))
    }
    fn compile(&mut self) -> Result<CompiledHeir, Fail> {
        tick(&self.0);
        let name = "elder-1".parse().unwrap();
        let inherits = !self.0.borrow().name_alone;
        Ok(CompiledHeir { name, settings: String::new(), budget: Usdc::whole(50), inherits, without: Vec::new() })
    }
    fn compare(&mut self, will: &CompiledHeir) -> Result<Compared, Fail> {
        tick(&self.0);
        let near = will.inherits && self.0.borrow().near;
        let (distance, asked) = if near { (Some(0.05), Some(0.15)) } else { (Some(0.4), None) };
        Ok(Compared { distance, asked, lines: vec!["= 9 lines are the same in both".to_owned()] })
    }
    fn born(&mut self) -> Result<Vec<GolemId>, Fail> {
        Ok(self.0.borrow().born.iter().copied().collect())
    }
    fn elsewhere(&mut self) -> Result<Option<GolemId>, Fail> {
        Ok(self.0.borrow().elsewhere)
    }
    fn conceive(&mut self, will: &CompiledHeir, sealed: Hash) -> Result<GolemId, Fail> {
        tick(&self.0);
        if Hash::of(&left(will.inherits)) != sealed {
            return Err(Fail::world(NOT_WHAT_WAS_SEALED));
        }
        let mut outside = self.0.borrow_mut();
        if outside.no_births > 0 {
            outside.no_births -= 1;
            return Err(Fail::world("its chain does not answer"));
        }
        outside.conceived += 1;
        let id = GolemId([100 + outside.conceived; 16]);
        self.1 = Some(id);
        Ok(id)
    }
    fn bear(&mut self) -> Result<(), Fail> {
        tick(&self.0);
        self.0.borrow_mut().born.insert(self.1.unwrap());
        tick(&self.0);
        Ok(())
    }
    fn claims(&self, will: &CompiledHeir, heir: Option<GolemId>) -> (IdentityClaim, IdentityClaim) {
        let dead = IdentityClaim {
            name: "elder".parse().unwrap(),
            golem: Some(DEAD),
            generation: 0,
            lineage: LINE,
            parent: None,
        };
        let heir =
            IdentityClaim { name: will.name.clone(), golem: heir, generation: 1, parent: Some(DEAD), ..dead.clone() };
        (dead, heir)
    }
}

/// Places: in this home, or machines that cost money.
struct FakeMachines(Shared, bool);

impl Provisioner for FakeMachines {
    fn is_here(&self) -> bool {
        self.1
    }
    fn provision(&mut self, order: &BerthOrder<'_>) -> Result<String, BerthRefusal> {
        tick(&self.0);
        {
            let mut outside = self.0.borrow_mut();
            if outside.no_machines > 0 {
                outside.no_machines -= 1;
                return Err(BerthRefusal::passing("no machine"));
            }
            let new = outside.machines.insert(order.dead);
            outside.made += u32::from(new);
            if !self.1 {
                outside.rented.insert(order.dead, order.bundle.to_vec());
            }
        }
        tick(&self.0);
        Ok("m1".to_owned())
    }
    fn boot(&mut self, _: &str, _: Option<GolemId>) -> Result<(), BerthRefusal> {
        tick(&self.0);
        {
            let mut outside = self.0.borrow_mut();
            if outside.no_boots > 0 {
                outside.no_boots -= 1;
                return Err(BerthRefusal::passing("it does not start"));
            }
            outside.booted += 1;
            outside.booted_there.push(!self.1);
        }
        tick(&self.0);
        Ok(())
    }
    fn release(&mut self, dead: GolemId) -> Result<(), BerthRefusal> {
        let mut outside = self.0.borrow_mut();
        outside.machines.remove(&dead);
        if !self.1 {
            outside.rented.remove(&dead);
        }
        Ok(())
    }
}

struct FakeRegistry(Shared);

impl IdentityRegistry for FakeRegistry {
    fn register(&mut self, _: &IdentityClaim, heir: &IdentityClaim) -> Result<Option<String>, Fail> {
        tick(&self.0);
        {
            let mut outside = self.0.borrow_mut();
            if outside.no_registry > 0 {
                outside.no_registry -= 1;
                return Err(Fail::world("no node answers"));
            }
            *outside.agents.entry(heir.uri()).or_default() += 1;
        }
        tick(&self.0);
        Ok(Some("1".to_owned()))
    }
}

/// A home with so much credit, and an outside.
struct Scene {
    _dir: tempfile::TempDir,
    home: Home,
    outside: Shared,
    now: Cell<i64>,
    config: SuccessionConfig,
    expires: Option<Timestamp>,
    here: bool,
    told: RefCell<Vec<KeptNotice>>,
}

impl Scene {
    fn new(credit: u64) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::find(Some(dir.path().to_owned())).unwrap();
        let scene = Self {
            _dir: dir,
            home,
            outside: Shared::default(),
            now: Cell::new(1_800_000_000),
            config: SuccessionConfig { auto: true, ..SuccessionConfig::default() },
            expires: None,
            here: true,
            told: RefCell::default(),
        };
        if credit > 0 {
            scene.credit("first", credit);
        }
        scene
    }
    fn credit(&self, key: &str, usdc: u64) {
        let entry = CreditEntry { amount: Usdc::whole(usdc), at: Timestamp(0), note: String::new() };
        books::change(&self.home, |estate| Ok(estate.treasury.credit(key, entry).unwrap())).unwrap();
    }
    /// One process: what it came to. With `again`, the owner's word first.
    fn process(&self, again: bool) -> Result<(SuccessionNext, SuccessionCase), Fail> {
        let directive = Directive { config: self.config.clone(), expires: self.expires, heartbeat_s: 40 };
        let places = |config: &ProvisionConfig| -> Box<dyn Provisioner> {
            Box::new(FakeMachines(self.outside.clone(), self.here && config.kind != ProvisionerWord::Fly))
        };
        let mut steward = Steward {
            home: &self.home,
            dead: DEAD,
            lineage: LINE,
            generation: 1,
            directive: &directive,
            heirship: &mut FakeGrave(self.outside.clone(), None),
            places: &places,
            registry: &mut FakeRegistry(self.outside.clone()),
            now: &|| Timestamp(self.now.get()),
            tell: &mut |notice| self.told.borrow_mut().push(notice.clone()),
        };
        if again {
            steward.resume()?;
        }
        steward.attend()
    }
    fn free(&self) -> (u64, u64, u64) {
        let t = books::find(&self.home).unwrap().treasury;
        assert_eq!(t.credited().0, t.free().0 + t.held().0 + t.moved().0, "money is conserved");
        (t.free().0 / 1_000_000, t.held().0 / 1_000_000, t.moved().0 / 1_000_000)
    }
    fn notices(&self) -> usize {
        let kept = books::find(&self.home).unwrap().notices().len();
        assert_eq!(kept, self.told.borrow().len(), "what is told is kept");
        kept
    }
}

#[test]
fn an_heir_comes_by_itself_and_coming_again_changes_nothing() {
    let scene = Scene::new(70);
    for _ in 0..3 {
        let (next, case) = scene.process(true).unwrap();
        assert_eq!((next, case.heir), (SuccessionNext::Lives(None), Some(GolemId([101; 16]))));
        assert_eq!(scene.free(), (20, 0, 50));
    }
    let outside = scene.outside.borrow();
    assert_eq!((outside.born.len(), outside.made, outside.booted, outside.agents.len()), (1, 1, 1, 1));
    assert_eq!(scene.notices(), 1);
}

#[test]
fn too_little_credit_halts_before_anything_is_bought_and_credit_lifts_it() {
    let scene = Scene::new(49);
    let halt = SuccessionHalt::Credit { needed: Usdc::whole(50), there: Usdc::whole(49) };
    for _ in 0..2 {
        assert_eq!(scene.process(false).unwrap().0, SuccessionNext::Halted(halt.clone()));
        assert_eq!((scene.notices(), scene.outside.borrow().made, scene.free()), (1, 0, (49, 0, 0)));
    }
    scene.credit("second", 1);
    assert_eq!(scene.process(false).unwrap().0, SuccessionNext::Halted(halt), "the owner says when");
    assert_eq!(scene.process(true).unwrap().0, SuccessionNext::Lives(None));
    assert_eq!(scene.free(), (0, 0, 50));
}

#[test]
fn a_copy_halts_with_the_score_and_what_the_two_have_in_common() {
    let scene = Scene::new(70);
    scene.outside.borrow_mut().near = true;
    let (next, _) = scene.process(false).unwrap();
    assert_eq!(next, SuccessionNext::Halted(SuccessionHalt::TooSimilar { found: 0.05, asked: 0.15 }));
    let told = scene.told.borrow();
    assert_eq!(told[0].lines, ["= 9 lines are the same in both"]);
    assert_eq!((scene.outside.borrow().made, books::find(&scene.home).unwrap().treasury.held()), (0, Usdc::ZERO));
}

#[test]
fn no_machine_is_tried_again_by_the_clock_and_no_credit_is_lost_meanwhile() {
    let scene = Scene::new(70);
    scene.outside.borrow_mut().no_machines = 5;
    let mut waits = Vec::new();
    loop {
        match scene.process(false).unwrap().0 {
            SuccessionNext::Wait(until) => {
                assert_eq!(scene.free(), (20, 50, 0), "it stays set aside");
                waits.push(until.0 - scene.now.get());
                // Asked in between, nothing is tried.
                scene.now.set(until.0 - 1);
                assert_eq!(scene.process(false).unwrap().0, SuccessionNext::Wait(until));
                scene.now.set(until.0);
            }
            other => break assert_eq!(other, SuccessionNext::Lives(None)),
        }
    }
    assert_eq!(waits, [30, 120, 480, 3_600, 3_600]);
    let queued = |n: &KeptNotice| matches!(n.what, SuccessionNotice::Queued { .. });
    assert_eq!(scene.told.borrow().iter().filter(|n| queued(n)).count(), 1);
    assert_eq!((scene.outside.borrow().made, scene.free()), (1, (20, 0, 50)));
}

#[test]
fn without_a_registry_it_boots_and_heartbeats_try_again() {
    let scene = Scene::new(70);
    scene.outside.borrow_mut().no_registry = 3;
    let (next, case) = scene.process(false).unwrap();
    assert_eq!(next, SuccessionNext::Lives(Some(Timestamp(scene.now.get() + 40))));
    assert_eq!((case.identity, scene.outside.borrow().booted), (IdentityState::Owed { failures: 2 }, 1));
    scene.now.set(scene.now.get() + 40);
    assert!(matches!(scene.process(false).unwrap().0, SuccessionNext::Lives(Some(_))));
    scene.now.set(scene.now.get() + 40);
    assert_eq!(scene.process(false).unwrap().0, SuccessionNext::Lives(None));
    assert_eq!((scene.outside.borrow().agents.len(), scene.outside.borrow().booted), (1, 1));
}

#[test]
fn whoever_takes_the_word_back_or_is_quicker_by_hand_gets_everything_back() {
    for by_hand in [true, false] {
        let mut scene = Scene::new(70);
        scene.outside.borrow_mut().no_machines = 1;
        assert!(matches!(scene.process(false).unwrap().0, SuccessionNext::Wait(_)));
        assert_eq!(scene.free(), (20, 50, 0));
        // A machine that nobody heard of.
        scene.outside.borrow_mut().machines.insert(DEAD);
        match by_hand {
            true => drop(scene.outside.borrow_mut().born.insert(GolemId([9; 16]))),
            false => scene.config.auto = false,
        }
        let SuccessionNext::Halted(why) = scene.process(false).unwrap().0 else { panic!("it goes on") };
        assert_eq!(matches!(why, SuccessionHalt::Succeeded { .. }), by_hand);
        assert_eq!((scene.free(), scene.outside.borrow().machines.len()), ((70, 0, 0), 0));
    }
}

/// An heir that lies elsewhere, or whose file cannot be read, is an heir: nothing is bought for a second one.
#[test]
fn an_heir_that_cannot_be_shown_is_one() {
    let scene = Scene::new(70);
    scene.outside.borrow_mut().elsewhere = Some(GolemId([9; 16]));
    let (next, _) = scene.process(false).unwrap();
    assert_eq!(next, SuccessionNext::Halted(SuccessionHalt::Succeeded { heir: GolemId([9; 16]) }));
    let outside = scene.outside.borrow();
    assert_eq!((scene.free(), outside.made, outside.conceived), ((70, 0, 0), 0, 0));
}

#[test]
fn one_line_has_so_many_heirs_a_day() {
    let scene = Scene::new(1_000);
    let times = [0, 10, 1_000];
    for (n, ago) in times.into_iter().enumerate() {
        let n = u8::try_from(n).unwrap();
        let (dead, at) = (GolemId([200 + n; 16]), Timestamp(scene.now.get() - 2_000 + ago));
        books::change(&scene.home, |estate| {
            estate.treasury.hold(dead, Usdc::whole(50), at).unwrap();
            let moved = MovedCredit { amount: Usdc::whole(50), at, lineage: LINE, heir: None, berth: "m".to_owned() };
            estate.treasury.hand_over(dead, moved).unwrap();
            Ok(())
        })
        .unwrap();
    }
    let until = Timestamp(scene.now.get() - 2_000 + 86_400);
    assert_eq!(scene.process(false).unwrap().0, SuccessionNext::Wait(until));
    assert_eq!((scene.outside.borrow().made, scene.free()), (0, (850, 0, 150)), "nothing is set aside meanwhile");
    scene.now.set(until.0);
    assert_eq!(scene.process(false).unwrap().0, SuccessionNext::Lives(None));
}

#[test]
fn nobody_waits_a_day_for_what_there_is_no_money_for() {
    let scene = Scene::new(199);
    for n in 0..3 {
        let (dead, at) = (GolemId([200 + n; 16]), Timestamp(scene.now.get() - 1_000));
        books::change(&scene.home, |estate| {
            estate.treasury.hold(dead, Usdc::whole(50), at).unwrap();
            let moved = MovedCredit { amount: Usdc::whole(50), at, lineage: LINE, heir: None, berth: "m".to_owned() };
            estate.treasury.hand_over(dead, moved).unwrap();
            Ok(())
        })
        .unwrap();
    }
    let halt = SuccessionHalt::Credit { needed: Usdc::whole(50), there: Usdc::whole(49) };
    assert_eq!(scene.process(false).unwrap().0, SuccessionNext::Halted(halt));
}

#[test]
fn beyond_its_generations_or_its_time_nothing_comes_by_itself() {
    let mut scene = Scene::new(70);
    scene.config.max_generations = 0;
    let (next, _) = scene.process(false).unwrap();
    assert_eq!(next, SuccessionNext::Halted(SuccessionHalt::Generations { next: 1, most: 0 }));
    scene.config.max_generations = 1;
    assert_eq!(scene.process(true).unwrap().0, SuccessionNext::Lives(None));
}

/// A successor that would be a copy, and whose owner then leaves out what it knew, is born: what is sealed is what is handed on.
#[test]
fn a_halt_over_a_copy_is_lifted_by_handing_on_the_name_alone() {
    let scene = Scene::new(70);
    scene.outside.borrow_mut().near = true;
    assert!(matches!(scene.process(false).unwrap().0, SuccessionNext::Halted(SuccessionHalt::TooSimilar { .. })));
    scene.outside.borrow_mut().name_alone = true;
    let (next, case) = scene.process(true).unwrap();
    assert_eq!((next, case.bundle), (SuccessionNext::Lives(None), Some(Hash::of(&left(false)))));
    assert_eq!(scene.free(), (20, 0, 50));
}

/// While a machine is waited for, the owner's settings may say anything: it is handed what was held against the dead one.
#[test]
fn a_machine_is_handed_what_was_decided_whatever_the_settings_say_by_then() {
    let mut scene = Scene::new(70);
    scene.here = false;
    (scene.config.inherit_grimoire, scene.outside.borrow_mut().name_alone) = (false, true);
    scene.outside.borrow_mut().no_machines = 1;
    assert!(matches!(scene.process(false).unwrap().0, SuccessionNext::Wait(_)));
    scene.config.inherit_grimoire = true;
    scene.now.set(scene.now.get() + 30);
    assert_eq!(scene.process(false).unwrap().0, SuccessionNext::Lives(None));
    assert_eq!(scene.outside.borrow().rented.get(&DEAD), Some(&left(false)));
}

/// Who was asked for a place answers for it until it is given back: nothing is left behind that costs money, and nobody is paid
/// for a life that never begins.
#[test]
fn an_owner_who_wants_it_elsewhere_is_heard_and_nothing_is_left_behind() {
    // Machines do not come, although one stands there that nobody heard of: it goes on here.
    let mut scene = Scene::new(70);
    scene.config.provision.kind = ProvisionerWord::Fly;
    scene.outside.borrow_mut().no_machines = 1;
    assert!(matches!(scene.process(false).unwrap().0, SuccessionNext::Wait(_)));
    scene.outside.borrow_mut().rented.insert(DEAD, Vec::new());
    scene.config.provision.kind = ProvisionerWord::Process;
    let (next, case) = scene.process(false).unwrap();
    assert_eq!((next, case.heir), (SuccessionNext::Lives(None), Some(GolemId([101; 16]))));
    assert_eq!((scene.outside.borrow().rented.len(), scene.free()), (0, (20, 0, 50)));

    // It cannot be born here, and is to live there: nobody is paid for before there is a machine.
    let mut scene = Scene::new(70);
    scene.outside.borrow_mut().no_births = 1;
    assert!(matches!(scene.process(false).unwrap().0, SuccessionNext::Wait(_)));
    scene.config.provision.kind = ProvisionerWord::Fly;
    let (next, case) = scene.process(false).unwrap();
    assert_eq!((next, case.heir), (SuccessionNext::Lives(None), None));
    let outside = scene.outside.borrow();
    assert_eq!((outside.born.len(), outside.rented.len(), &outside.booted_there[..]), (0, 1, &[true][..]));

    // It is paid for there already: there it begins, whatever is said by then.
    let mut scene = Scene::new(70);
    scene.config.provision.kind = ProvisionerWord::Fly;
    scene.outside.borrow_mut().no_boots = 1;
    assert!(matches!(scene.process(false).unwrap().0, SuccessionNext::Wait(_)));
    scene.config.provision.kind = ProvisionerWord::InProcess;
    scene.now.set(scene.now.get() + 30);
    assert_eq!(scene.process(false).unwrap().0, SuccessionNext::Lives(None));
    assert_eq!((&scene.outside.borrow().booted_there[..], scene.free()), (&[true][..], (20, 0, 50)));
}

/// What an owner says holds until somebody is born, also while a place is waited for.
#[test]
fn a_directive_that_runs_out_while_a_place_is_waited_for_brings_nobody() {
    for by_time in [true, false] {
        let mut scene = Scene::new(70);
        scene.outside.borrow_mut().no_machines = 1;
        assert!(matches!(scene.process(false).unwrap().0, SuccessionNext::Wait(_)));
        let at = Timestamp(scene.now.get() + 30);
        let halt = match by_time {
            true => SuccessionHalt::Expired { at },
            false => SuccessionHalt::Generations { next: 1, most: 0 },
        };
        match by_time {
            true => scene.expires = Some(at),
            false => scene.config.max_generations = 0,
        }
        scene.now.set(at.0);
        assert_eq!(scene.process(false).unwrap().0, SuccessionNext::Halted(halt));
        assert_eq!((scene.outside.borrow().born.len(), scene.free()), (0, (70, 0, 0)));
    }
}

/// Killed at every doing by an owner who changes the place every time: one heir in one place, paid once, and no machine beside it.
#[test]
fn killed_while_the_owner_changes_places_there_is_one_heir_in_one_place() {
    let rounds = if std::env::var_os("BARDO_LONG").is_some() { 1_000 } else { 40 };
    let (dice, mut kills, mut there) = (Dice::open(12, Strand::World), 0, 0);
    for round in 0..rounds {
        let mut scene = Scene::new(70);
        for nth in 0..40 {
            let draw = dice.bits(round, nth);
            scene.config.provision.kind =
                if (draw >> 8) % 2 == 0 { ProvisionerWord::Fly } else { ProvisionerWord::InProcess };
            scene.outside.borrow_mut().fuse = (nth < 12).then_some(u32::try_from(draw % 15).unwrap());
            match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| scene.process(false).unwrap())) {
                Err(_) => kills += 1,
                Ok((SuccessionNext::Lives(None), case)) => {
                    let outside = scene.outside.borrow();
                    let elsewhere = case.heir.is_none();
                    there += u64::from(elsewhere);
                    let lives = (usize::from(!elsewhere), usize::from(elsewhere));
                    assert_eq!((outside.born.len(), outside.rented.len()), lives, "round {round}");
                    assert_eq!(outside.booted_there.last(), Some(&elsewhere), "round {round}");
                    break;
                }
                Ok(_) => scene.now.set(scene.now.get() + 4_000),
            }
            scene.free();
            assert!(nth < 39, "round {round} never ends");
        }
        assert_eq!(scene.free(), (20, 0, 50), "round {round}");
    }
    assert!(kills > rounds && there > 0 && there < rounds, "killed {kills} times, {there} elsewhere");
}

/// Killed at every doing, and again at random ones while it comes back: one heir, one machine, one agent, money moved once.
#[test]
fn killed_anywhere_again_and_again_there_is_one_heir_and_money_moves_once() {
    let rounds = if std::env::var_os("BARDO_LONG").is_some() { 1_000 } else { 40 };
    let dice = Dice::open(11, Strand::World);
    let mut kills = 0;
    for round in 0..rounds {
        let mut scene = Scene::new(70);
        scene.here = round % 3 != 0;
        scene.outside.borrow_mut().no_machines = u32::from(round % 5 == 0);
        scene.outside.borrow_mut().no_registry = u32::from(round % 7 == 0);
        for nth in 0..40 {
            let draw = dice.bits(round, nth) % 15;
            scene.outside.borrow_mut().fuse = (nth < 12).then_some(u32::try_from(draw).unwrap());
            match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| scene.process(false).unwrap())) {
                Err(_) => kills += 1,
                Ok((SuccessionNext::Lives(None), case)) => {
                    assert_eq!(case.heir.is_some(), scene.here);
                    break;
                }
                Ok(_) => scene.now.set(scene.now.get() + 4_000),
            }
            scene.free();
            assert!(nth < 39, "round {round} never ends");
        }
        let outside = scene.outside.borrow();
        assert_eq!(outside.born.len(), usize::from(scene.here), "round {round}");
        assert_eq!((outside.made, outside.agents.len()), (1, 1), "round {round}");
        assert_eq!(scene.free(), (20, 0, 50), "round {round}");
    }
    assert!(kills > rounds, "killed {kills} times");
}
