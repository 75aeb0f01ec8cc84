//! `bardo chain profiles|check`: chains that people use, as far as they are published, and whether a node's chain is what is
//! published of it. Reads only: no key, no golem and nothing of this home is needed.

use crate::cli::CheckChain;
use crate::fail::Fail;
use crate::golem_file::GolemFile;
use crate::out::Out;
use crate::settings_file::nearest;
use golem_chain::profile::ChainProfile;
use golem_chain::rpc::{GasRule, SurveyRow, survey};
use golem_wallet::RouterKind;
use serde_json::json;
use std::time::{SystemTime, UNIX_EPOCH};

/// All profiles.
pub fn profiles(out: &Out) -> Result<(), Fail> {
    out.result(&json!({ "profiles": ChainProfile::all() }), || {
        let mut lines = vec![format!("{:<14}{:>9}  {:<13}{:<8}block", "profile", "chain id", "router", "gas")];
        for p in ChainProfile::all() {
            let router = match p.router.kind {
                RouterKind::V1 => "SwapRouter",
                RouterKind::V2 => "SwapRouter02",
            };
            let gas = match p.pace.gas {
                GasRule::Ethereum => "its own",
                GasRule::OpStack | GasRule::Arbitrum => "and L1",
            };
            let block = p.pace.block_ms as f64 / 1_000.0;
            lines.push(format!("{:<14}{:>9}  {router:<13}{gas:<8}{block} s", p.name, p.chain_id));
        }
        lines.push("hold one against a node: bardo chain check NAME --rpc-url URL".to_owned());
        lines.join("\n")
    })
}

/// Hold a profile against a chain: a row for each thing, and a failure when one of them is wrong.
pub fn check(args: &CheckChain, out: &Out) -> Result<(), Fail> {
    let profile = ChainProfile::named(&args.profile).ok_or_else(|| unknown(&args.profile))?;
    let urls: Vec<String> = args.rpc_url.iter().map(|url| toml::Value::String(url.clone()).to_string()).collect();
    let mut sets = vec![
        format!("chain.profile={}", profile.name),
        format!("chain.rpc.urls=[{}]", urls.join(", ")),
        format!("chain.rpc.allow_remote_http={}", args.allow_remote_http),
        // Nobody signs here; settings of a golem want to know who would.
        "chain.wallet=nobody".to_owned(),
    ];
    sets.extend(args.set.iter().cloned());
    let file = GolemFile::read("", &sets)?;
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let clock = Box::new(move || u64::try_from(now().as_millis()).unwrap_or(u64::MAX));
    let rows = survey(&file.chain.rpc, Some(profile.quoter.at), Box::new(|| 0.5), clock);
    let wrong = rows.iter().filter(|row| !row.ok).count();
    out.result(&json!({ "profile": profile.name, "ok": wrong == 0, "rows": rows }), || table(&rows))?;
    match wrong {
        0 => Ok(()),
        1 => Err(Fail::refused(format!("{}: one thing is not as it should be", profile.title))),
        n => Err(Fail::refused(format!("{}: {n} things are not as they should be", profile.title))),
    }
}

fn table(rows: &[SurveyRow]) -> String {
    let line = |row: &SurveyRow| format!("{:<6} {:<13} {}", if row.ok { "ok" } else { "wrong" }, row.what, row.found);
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn unknown(word: &str) -> Fail {
    let names: Vec<&str> = ChainProfile::all().iter().map(|p| p.name.as_str()).collect();
    let hint = nearest(word, names.iter().copied())
        .map_or_else(|| format!("there are {}", names.join(", ")), |near| format!("did you mean {near}?"));
    Fail::hint(format!("there is no profile {word:?}"), hint)
}
