//! `bardo golem create NAME`.

use super::library;
use crate::birth::{Request, conceive, settings_of};
use crate::budget;
use crate::cli::{Cli, Command, Create, GolemCommand, Successor};
use crate::fail::Fail;
use crate::golem_file::{ChainWord, GolemFile, WorldTable};
use crate::home::{Home, Place};
use crate::lines::folded;
use crate::out::Out;
use crate::show;
use clap::Parser;
use golem_core::Name;
use golem_mind::Template;
use golem_mortality::economic::budget::BudgetMeaning;
use golem_mortality::stochastic;
use golem_runtime::Reader;
use golem_venue::market::MarketConfig;
use serde_json::json;

/// Create a golem, or show what would be created.
pub fn run(args: Create, home: &Home, home_flag: &str, out: &Out) -> Result<(), Fail> {
    if args.live {
        return born_to_live(args, home, home_flag, out);
    }
    if let Some(dead) = &args.inherit {
        return inheriting(dead, &args, home, home_flag, out);
    }
    let mut file = match &args.config {
        Some(path) => GolemFile::load(path, &args.set)?,
        None => GolemFile::read("", &args.set)?,
    };
    if let Some(template) = args.template {
        file.policy.template = template;
    }
    if let Some(chain) = args.chain {
        file.chain.kind = chain;
    }
    file.check()?;
    crate::chain::settle_scenario(&mut file)?;
    crate::chain::fall_back(&mut file, home, out)?;
    crate::chain::wallet_is_free(&file, home)?;
    if let Some(path) = args.heirloom.clone() {
        return super::heirloom::adopt(args, file, &crate::bundle::load(&path)?, home, out);
    }
    let joins = join(&mut file, home)?;
    // A seed makes the whole life open, the market too; a sealed life gets a market of its own; unless one was chosen.
    if file.world.seed == 0 {
        file.world.seed = match args.seed {
            Some(seed) => seed,
            None => random_seed()?,
        };
    }
    file.world.settle()?;
    file.chain.joined_at = joined(&file, home, out)?;
    if let Some(word) = &args.bundle {
        library::is_there(word, home)?;
    }
    let offer = offered(file.policy.template, args.bundle.is_none(), home, out);
    let (stochastic, chain) = (file.mortality.stochastic.clone(), file.chain.kind);
    let means = budget::at_birth(args.budget, &file);
    let newborn = conceive(Request { name: args.name, budget: args.budget, seed: args.seed, file, heir: None })?;
    let birth = newborn.origin.birth.clone();
    let median = stochastic::median_remaining(0.0, 0.5, &stochastic) / 2_160.0;
    newborn.is_free(home)?;
    if args.dry_run {
        let told = json!({ "id": birth.id, "commitment": birth.commitment, "dry_run": true, "birth": birth,
            "budget": means, "library": offer });
        return out.result(&told, || {
            let what = format!("would create {} ({}) with {} USDC", birth.name, birth.id, birth.funding);
            folded(&format!("{what}{}{}", in_lines(&means), offer_line(offer.as_ref(), None)))
        });
    }
    let place = newborn.settle(home)?;
    let equipped = args.bundle.as_deref().map(|word| library::outfit(&place, word, home)).transpose()?;
    let equipped = equipped.map(|equipment| equipment.ids.len());
    let told = json!({
        "id": birth.id, "name": birth.name, "commitment": birth.commitment, "open": birth.open, "chain": chain,
        "dir": place.dir.display().to_string(), "budget": means, "library": offer, "equipped": equipped,
    });
    out.result(&told, || {
        let joins = joins.map_or_else(String::new, |other| format!("\n  world       that of {other}, on the same chain"));
        let seal = if birth.open { "open (its chances follow from the seed)" } else { "sealed" };
        folded(&format!(
            "{} is born: {}\n  given       {} USDC\n  commitment  {}\n  chances     {seal}\n  born into   {}{joins}{}{}{}\n  by chance alone half of its kind die within {median:.0} days\n  let it live: bardo golem run {}",
            birth.name,
            birth.id,
            birth.funding,
            birth.commitment,
            show::time(birth.born_at),
            in_lines(&means),
            equipped.map_or_else(String::new, |n| format!("\n  equipped    with {n} entries, which it examines first")),
            offer_line(offer.as_ref(), Some(&birth.name)),
            birth.name,
        ))
    })
}

/// One command for a machine that may begin again at any time: whoever is not here yet is born, and then it lives.
fn born_to_live(args: Create, home: &Home, home_flag: &str, out: &Out) -> Result<(), Fail> {
    let name = args.name.clone();
    if home.golems()?.into_iter().all(|place| place.name != name) {
        run(Create { live: false, ..args }, home, home_flag, out)?;
    }
    // As it would be typed, with what the environment says.
    match Cli::try_parse_from(["bardo", "golem", "run", name.as_str()]) {
        Ok(Cli { command: Some(Command::Golem(GolemCommand::Run(run))), .. }) => {
            super::run::run(&run, home, home_flag, out)
        }
        _ => Err(Fail::Bug("a life that cannot be begun".to_owned())),
    }
}

/// A newborn of a template, with nothing else asked for, in silence.
pub(super) fn fresh(
    name: Name,
    budget: golem_core::Usdc,
    template: &str,
    seed: Option<u64>,
    home: &Home,
    out: &Out,
) -> Result<Place, Fail> {
    let mut file = GolemFile::read("", &[format!("policy.template={template}")])?;
    file.check()?;
    crate::chain::settle_scenario(&mut file)?;
    file.world.seed = match seed {
        Some(seed) => seed,
        None => random_seed()?,
    };
    file.world.settle()?;
    file.chain.joined_at = joined(&file, home, out)?;
    let newborn = conceive(Request { name, budget, seed, file, heir: None })?;
    newborn.is_free(home)?;
    newborn.settle(home)
}

/// An heir by another way: what a successor is, under the name and with the settings that were asked for.
fn inheriting(dead: &str, args: &Create, home: &Home, home_flag: &str, out: &Out) -> Result<(), Fail> {
    let template = args.template.map(|template| format!("policy.template={template}"));
    let chain = args.chain.map(|chain| format!("chain.kind={}", chain.name()));
    let asked = Successor {
        id: dead.to_owned(),
        budget: Some(args.budget),
        inherit_grimoire: true,
        no_inherit: false,
        auto: false,
        force_similarity: false,
        domains: Vec::new(),
        exclude: Vec::new(),
        name: Some(args.name.clone()),
        seed: args.seed,
        set: template.into_iter().chain(chain).chain(args.set.iter().cloned()).collect(),
        take_advice: false,
        another: false,
        dry_run: args.dry_run,
    };
    let base = args.config.as_ref().map(std::fs::read_to_string).transpose()?;
    super::successor::bear(&asked, base.as_deref(), true, home, home_flag, out)
}

/// What the library has for a template. One that cannot be read keeps nobody from being born.
fn offered(template: Template, wanted: bool, home: &Home, out: &Out) -> Option<library::LibraryOffer> {
    if !wanted {
        return None;
    }
    library::offer(template, home).unwrap_or_else(|why| {
        out.alert(&format!("the library cannot be asked: {why}"));
        None
    })
}

/// What there is, and how to have it: before a birth, or after it.
fn offer_line(offer: Option<&library::LibraryOffer>, born: Option<&Name>) -> String {
    offer.map_or_else(String::new, |offer| {
        let how = match born {
            Some(name) => format!("bardo library equip {name} {}", offer.bundle),
            None => format!("--bundle {}", offer.bundle),
        };
        format!("\n  library     your library has {} entries for {}: {how}", offer.entries, offer.template)
    })
}

/// Golems that name the same embedded chain share it, and with it its market. One that is given no market of its own takes
/// that of whoever named the chain before; who that was.
fn join(file: &mut GolemFile, home: &Home) -> Result<Option<Name>, Fail> {
    let own = (&file.world, &file.market, file.chain.scenario.as_str(), file.chain.usdc_is_token0);
    let chosen = own != (&WorldTable::default(), &MarketConfig::default(), "", false);
    if file.chain.kind != ChainWord::Embedded || chosen {
        return Ok(None);
    }
    for other in home.golems()? {
        let origin = Reader::open(&other.dir).and_then(|reader| reader.origin());
        let Some(theirs) = origin.ok().and_then(|origin| settings_of(&origin).ok()) else { continue };
        if theirs.chain.kind == ChainWord::Embedded && theirs.chain.name == file.chain.name {
            (file.world, file.market) = (theirs.world, theirs.market);
            (file.chain.scenario, file.chain.usdc_is_token0) = (theirs.chain.scenario, theirs.chain.usdc_is_token0);
            return Ok(Some(other.name));
        }
    }
    Ok(None)
}

/// Where the chain stands, which nobody else may be moving meanwhile.
fn joined(file: &GolemFile, home: &Home, out: &Out) -> Result<u64, Fail> {
    let embedded = file.chain.kind == ChainWord::Embedded;
    crate::chain::joined(file, home, out).map_err(|fail| match embedded && crate::chain::may_still_tell(file, home) {
        true => Fail::hint(
            format!(
                "a golem lives on the chain {} at this moment, and a newborn joins it where it stands",
                file.chain.name
            ),
            "stop it (Ctrl-C), create this one, then let them live together: bardo golem run NAME NAME",
        ),
        false => fail,
    })
}

/// What the budget means, under the other lines.
fn in_lines(means: &BudgetMeaning) -> String {
    let titled = |(n, line)| format!("\n  {:<10}  {line}", if n == 0 { "budget" } else { "" });
    means.lines().iter().enumerate().map(titled).collect()
}

/// 52 bits, so that every reader of TOML and JSON can hold it.
pub(super) fn random_seed() -> Result<u64, Fail> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|e| Fail::world(format!("the system has no randomness to give: {e}")))?;
    Ok((u64::from_le_bytes(bytes) >> 12).max(1))
}
