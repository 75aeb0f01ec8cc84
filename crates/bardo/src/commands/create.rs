//! `bardo golem create NAME`.

use crate::birth::{Request, conceive};
use crate::budget;
use crate::cli::Create;
use crate::fail::Fail;
use crate::golem_file::GolemFile;
use crate::home::Home;
use crate::out::Out;
use crate::show;
use golem_mortality::economic::budget::BudgetMeaning;
use golem_mortality::stochastic;
use serde_json::json;

/// Create a golem, or show what would be created.
pub fn run(args: Create, home: &Home, out: &Out) -> Result<(), Fail> {
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
    // A seed makes the whole life open, the market too; a sealed life gets a market of its own; unless one was chosen.
    if file.world.seed == 0 {
        file.world.seed = match args.seed {
            Some(seed) => seed,
            None => random_seed()?,
        };
    }
    file.world.settle()?;
    file.chain.joined_at = crate::chain::joined(&file, home, out)?;
    let (stochastic, chain) = (file.mortality.stochastic.clone(), file.chain.kind);
    let means = budget::at_birth(args.budget, &file);
    let newborn = conceive(Request { name: args.name, budget: args.budget, seed: args.seed, file })?;
    let birth = newborn.origin.birth.clone();
    let median = stochastic::median_remaining(0.0, 0.5, &stochastic) / 2_160.0;
    newborn.is_free(home)?;
    if args.dry_run {
        let told = json!({ "id": birth.id, "commitment": birth.commitment, "dry_run": true, "birth": birth,
            "budget": means });
        return out.result(&told, || {
            format!("would create {} ({}) with {} USDC{}", birth.name, birth.id, birth.funding, in_lines(&means))
        });
    }
    let place = newborn.settle(home)?;
    let told = json!({
        "id": birth.id, "name": birth.name, "commitment": birth.commitment, "open": birth.open, "chain": chain,
        "dir": place.dir.display().to_string(), "budget": means,
    });
    out.result(&told, || {
        let seal = if birth.open { "open (its chances follow from the seed)" } else { "sealed" };
        format!(
            "{} is born: {}\n  given       {} USDC\n  commitment  {}\n  chances     {seal}\n  born into   {}{}\n  by chance alone half of its kind die within {median:.0} days\n  let it live: bardo golem run {}",
            birth.name,
            birth.id,
            birth.funding,
            birth.commitment,
            show::time(birth.born_at),
            in_lines(&means),
            birth.name,
        )
    })
}

/// What the budget means, under the other lines.
fn in_lines(means: &BudgetMeaning) -> String {
    let titled = |(n, line)| format!("\n  {:<10}  {line}", if n == 0 { "budget" } else { "" });
    means.lines().iter().enumerate().map(titled).collect()
}

/// 52 bits, so that every reader of TOML and JSON can hold it.
fn random_seed() -> Result<u64, Fail> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|e| Fail::world(format!("the system has no randomness to give: {e}")))?;
    Ok((u64::from_le_bytes(bytes) >> 12).max(1))
}
