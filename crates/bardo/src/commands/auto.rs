//! `bardo golem successor DEAD --auto`: what the owner said beforehand, from wherever it stands.

use crate::auto::{self, Attended};
use crate::chain::OpenChains;
use crate::fail::Fail;
use crate::herald::Herald;
use crate::home::Home;
use crate::lines::folded;
use crate::out::Out;
use golem_clade::succession::SuccessionNext;
use serde_json::json;

/// Do whatever is due now.
pub fn run(id: &str, home: &Home, home_flag: &str, out: &Out) -> Result<(), Fail> {
    let place = home.golem(id)?;
    home.is_at_home(&place)?;
    let (chains, _herald) = (OpenChains::default(), Herald::begin(home, std::slice::from_ref(&place), *out));
    let Some(Attended { next, case, here }) = auto::attend(&place, home, &chains, true, out)? else {
        return Err(Fail::hint(
            format!("nothing was said about a successor of {} that comes by itself", place.name),
            format!("write [succession] auto = true into {}", home.path().join("succession.toml").display()),
        ));
    };
    let halted = match &next {
        SuccessionNext::Halted(why) => Some(why.clone()),
        _ => None,
    };
    if let Some(why) = halted {
        let what = format!("{} has no successor by itself: {why}", place.name);
        return Err(Fail::Refused(what, Some(why.lifted_by().to_string())));
    }
    let will = case.will.as_ref();
    let said = json!({ "parent": place.id, "id": case.heir, "generation": case.generation, "step": case.at, "berth": case.berth,
        "due": case.due, "identity": case.identity, "name": will.map(|w| &w.name),
        "budget_micro_usdc": will.map(|w| w.budget), "failures": case.failures, "said": case.said });
    out.result(&said, || {
        folded(&match (&next, &here) {
            (SuccessionNext::Wait(until), _) => format!(
                "{} waits for its successor until {until}{}",
                place.name,
                case.said.as_ref().map_or_else(String::new, |why| format!(" ({why})"))
            ),
            (_, Some(heir)) => format!(
                "{} succeeds {}, as generation {}\n  let it live: bardo{home_flag} golem run {}",
                heir.name, place.name, case.generation, heir.name
            ),
            _ => format!("{} has a successor in {}", place.name, case.berth.as_deref().unwrap_or("another place")),
        })
    })
}
