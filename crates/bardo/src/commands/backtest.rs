//! `bardo backtest`: a whole golem over recorded history, held against buying and holding, holding USDC, and the same golem
//! without learning. Nothing is written; the same arguments give the same table.

use crate::chain::{self, Chains, Newcomer, Stand};
use crate::cli::Backtest;
use crate::fail::Fail;
use crate::golem_file::{GolemFile, WorldKind};
use crate::home::Home;
use crate::out::Out;
use crate::show;
use golem_core::door::World;
use golem_core::intent::Asset;
use golem_core::{Elapsed, Intent, ReferencePrice, Usdc, VirtualTime};
use golem_lab::Subject;
use golem_lab::subject::newborn;
use golem_life::Status;
use golem_venue::act;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

/// The table, as others read it.
#[derive(Debug, Serialize)]
struct BacktestReport {
    template: String,
    chain: String,
    from: String,
    to: String,
    turns: u64,
    #[serde(rename = "budget_micro_usdc")]
    budget: Usdc,
    #[serde(rename = "final_nav_micro_usdc")]
    nav: Usdc,
    #[serde(rename = "buy_and_hold_micro_usdc")]
    buy_and_hold: Usdc,
    #[serde(rename = "hold_usdc_micro_usdc")]
    hold_usdc: Usdc,
    #[serde(rename = "no_learning_micro_usdc")]
    no_learning: Usdc,
    max_drawdown: f64,
    buy_and_hold_max_drawdown: f64,
    no_learning_max_drawdown: f64,
    trades: u64,
    #[serde(rename = "spent_micro_usdc")]
    spent: Usdc,
    fitness: f64,
    /// What its price was held against before value was given up.
    reference: Option<ReferencePrice>,
    died: bool,
    cause: Option<String>,
}

/// One life over the history.
struct Lived {
    status: Status,
    age: VirtualTime,
    turns: u64,
    fall: Fall,
}

/// The deepest fall from a peak.
#[derive(Default)]
struct Fall {
    peak: u64,
    deepest: f64,
}

impl Fall {
    fn see(&mut self, worth: Usdc) {
        self.peak = self.peak.max(worth.0);
        if self.peak > 0 {
            self.deepest = self.deepest.max(1.0 - worth.0 as f64 / self.peak as f64);
        }
    }
}

/// Run it.
pub fn run(args: &Backtest, home: &Home, out: &Out) -> Result<(), Fail> {
    let mut file = settings(args)?;
    chain::fall_back(&mut file, home, out)?;
    out.say(&format!("{} over {} on {}", args.template, args.data.display(), file.chain.kind.name()));
    let lived = live(&file, args, home, out, "the golem")?;
    let mut frozen = file.clone();
    frozen.mind.learning = false;
    let unlearned = live(&frozen, args, home, out, "the same, not learning")?;
    let (held, held_fall) = hold(&file, args.budget, lived.age, home, out)?;
    let epoch = stand(&file, home, out)?.world.epoch();
    let told = BacktestReport {
        template: args.template.to_string(),
        chain: file.chain.kind.name().to_owned(),
        from: show::time(epoch),
        to: show::time(epoch.after(lived.age.age())),
        turns: lived.turns,
        budget: args.budget,
        nav: lived.status.balance,
        buy_and_hold: held,
        hold_usdc: args.budget,
        no_learning: unlearned.status.balance,
        max_drawdown: lived.fall.deepest,
        buy_and_hold_max_drawdown: held_fall.deepest,
        no_learning_max_drawdown: unlearned.fall.deepest,
        trades: lived.status.trades,
        spent: lived.status.spent,
        fitness: lived.status.vitality.epistemic,
        reference: lived.status.cage.reference,
        died: lived.status.death.is_some(),
        cause: lived.status.death.as_ref().map(|d| show::cause(&d.cause)),
    };
    out.result(&told, || table(&told))
}

fn settings(args: &Backtest) -> Result<GolemFile, Fail> {
    let mut file = GolemFile::read("", &args.set)?;
    file.world.kind = WorldKind::Csv;
    file.world.path = args.data.display().to_string();
    file.world.from = args.from.clone().unwrap_or(file.world.from);
    file.world.until = args.to.clone().unwrap_or(file.world.until);
    file.world.seed = args.seed;
    file.policy.template = args.template;
    file.chain.kind = args.chain;
    // They advise only, and a life without them is the same life.
    file.diagnostics.enabled = false;
    file.world.settle()?;
    Ok(file)
}

/// Where it stands: a chain of its own that nobody else sees and that leaves no file.
fn stand(file: &GolemFile, home: &Home, out: &Out) -> Result<Stand, Fail> {
    let chains = Chains::default();
    chain::stand(Newcomer { file, home, origin: None, store: None, chains: &chains, key: None, out })
}

fn live(file: &GolemFile, args: &Backtest, home: &Home, out: &Out, name: &'static str) -> Result<Lived, Fail> {
    let stand = stand(file, home, out)?;
    let ends = stand.world.ends_at();
    let (secret, genesis) = newborn(args.seed, args.budget, &file.life(), &stand.world);
    let total = ends.map(|e| e.0 / (genesis.interval_s.max(1) * 1_000));
    let bar = progress(total.filter(|_| out.live), name);
    let (mut subject, mut fall, mut turns) =
        (Subject::on(&genesis, &secret, stand.world, stand.hands), Fall::default(), 0);
    while subject.turn() {
        turns += 1;
        fall.see(subject.life().balance());
        if turns % 512 == 0 {
            bar.set_position(turns);
        }
    }
    bar.finish_and_clear();
    if let Some(trouble) = stand.floor.and_then(|floor| floor.hold().trouble().cloned()) {
        return Err(chain::trouble(&trouble));
    }
    Ok(Lived { status: subject.status(), age: subject.life().age(), turns, fall })
}

/// Buy with everything at the first bar, through the same pool, and hold until the golem's end.
fn hold(file: &GolemFile, budget: Usdc, until: VirtualTime, home: &Home, out: &Out) -> Result<(Usdc, Fall), Fail> {
    let Stand { mut world, floor, who, .. } = stand(file, home, out)?;
    let floor = floor.ok_or_else(|| Fail::Bug("a backtest without a floor".into()))?;
    let step = Elapsed::secs(world.natural_interval_s().unwrap_or(golem_core::NOMINAL_TICK_S));
    let (mut age, mut fall) = (VirtualTime::default().after(step), Fall::default());
    world.observe(age);
    let all = Intent::Buy { pay: budget, min_out: Asset(1) };
    {
        let mut floor = floor.hold();
        let ground = floor.ground();
        ground.fund_to(who, budget).map_err(|e| chain::trouble(&e))?;
        for preview in act::preview(ground, who, &[all], None) {
            act::carry_out(ground, who, &preview).map_err(|e| chain::trouble(&e))?;
        }
    }
    let worth = || -> Result<Usdc, Fail> {
        let book = floor.hold().ground().book(who).map_err(|e| chain::trouble(&e))?;
        Ok(book.usdc.plus(book.worth.unwound).minus(book.worth.gas))
    };
    while age < until {
        age = age.after(step);
        if world.observe(age).is_none() {
            break;
        }
        fall.see(worth()?);
    }
    Ok((worth()?, fall))
}

fn progress(total: Option<u64>, name: &'static str) -> ProgressBar {
    let Some(total) = total else { return ProgressBar::hidden() };
    let style = ProgressStyle::with_template("{prefix:24} {bar:40} {percent:>3} %  {eta} left");
    let bar = ProgressBar::new(total).with_prefix(name);
    style.map_or(bar.clone(), |style| bar.with_style(style))
}

fn table(told: &BacktestReport) -> String {
    let line = |name: &str, worth: Usdc, fall: Option<f64>| {
        let change = (worth.0 as f64 / told.budget.0.max(1) as f64 - 1.0) * 100.0;
        let fall = fall.map_or(String::new(), |f| format!("{:>8.1} %", f * 100.0));
        format!("  {name:<24}{:>16}{change:>+11.2} %{fall}", worth.to_string())
    };
    [
        format!("{} on {}, {} to {}: {} turns", told.template, told.chain, told.from, told.to, told.turns),
        format!("  {:<24}{:>16}{:>13}{:>10}", "", "USDC at the end", "change", "drawdown"),
        line("the golem", told.nav, Some(told.max_drawdown)),
        line("the same, not learning", told.no_learning, Some(told.no_learning_max_drawdown)),
        line("buy and hold", told.buy_and_hold, Some(told.buy_and_hold_max_drawdown)),
        line("hold USDC", told.hold_usdc, Some(0.0)),
        format!("  {} actions, {} USDC spent on living and gas, fitness {:.3}", told.trades, told.spent, told.fitness),
        format!("  its price was held against {}", show::reference(told.reference)),
        match told.died {
            false => "  it outlived the history".to_owned(),
            true => format!(
                "  it died before history ended: {}\n  let it live on: --set mortality.immortal=true",
                told.cause.as_deref().unwrap_or_default()
            ),
        },
    ]
    .join("\n")
}
