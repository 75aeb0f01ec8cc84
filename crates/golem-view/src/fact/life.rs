//! What a turn reports, in sentences.

use super::{count, dying, inherit, mind};
use crate::trade::{What, refusal};
use crate::{money, time};
use golem_core::intent::{Intent, Outcome};
use golem_core::{GolemId, OutcomeVerification, Regime, Usdc, UsdcDelta};
use golem_daimon::affect::MoodWord;
use golem_life::{Ask, LifeFact};
use golem_mortality::economic::{Partition, Purpose, PurseDenied};

pub(super) fn words(fact: &LifeFact) -> Option<String> {
    Some(match fact {
        LifeFact::Tick { .. } | LifeFact::PredictionResolved { .. } => return None,
        LifeFact::Born { funded, generation, temperament, .. } => {
            let after = match generation {
                0 => String::new(),
                n => format!(", {} after its first ancestor", count((*n).into(), "generation")),
            };
            let nature = temperament.map_or(String::new(), |t| format!(", by nature {}", MoodWord::of(t).name()));
            format!("born with {} USDC{after}{nature}", money::usdc(*funded))
        }
        LifeFact::RegimeChange { from, to } => {
            format!("the weather turned from {} to {}", weather(*from), weather(*to))
        }
        LifeFact::Rejected { fields } => {
            format!("{} of what it saw made no sense and was left out", count((*fields).into(), "number"))
        }
        LifeFact::Decided { action } => format!("decides to {}", intent(action)),
        LifeFact::Outcome { verification, realised, .. } => outcome(verification, *realised),
        LifeFact::Reorged { key, now, .. } => {
            let instead = if *now { "; something else holds now" } else { "" };
            format!("the chain took back what it had said about act {key}{instead}")
        }
        LifeFact::BooksDiffer { .. } => {
            "its books and the chain's say different things: nothing is opened until they agree".to_owned()
        }
        LifeFact::BooksAgree {} => "its books and the chain's say the same again".to_owned(),
        LifeFact::Gift { usdc, asset, .. } => format!(
            "in its account stands what it never booked ({} USDC, {} ETH): it does not count",
            money::usdc(*usdc),
            money::eth(*asset)
        ),
        LifeFact::Overdrawn { amount } => {
            format!("{} USDC more left the account than its capital held", money::usdc(*amount))
        }
        LifeFact::Denied { purpose, why } => format!("no money for {}: {}", purpose_words(*purpose), denied(why)),
        LifeFact::Paid { purpose, amount } => {
            format!("paid {} USDC for {}", money::usdc(*amount), purpose_words(*purpose))
        }
        LifeFact::Fed { amount } => format!("fed {} USDC", money::usdc(*amount)),
        LifeFact::Returned { amount } => format!("{} USDC of spare credit went back to work", money::usdc(*amount)),
        LifeFact::Order { ask, .. } => order(ask),
        LifeFact::KinHeard { from, kind, came, .. } => {
            format!("{} from its sibling {}: {came}", kind.replace('_', " "), short(*from))
        }
        LifeFact::ModeChange { mode, .. } => format!("it is {mode} now"),
        LifeFact::Inherited { .. } | LifeFact::HypothesesTaken { .. } => return inherit::words(fact),
        LifeFact::Accepted { .. }
        | LifeFact::Settled { .. }
        | LifeFact::WentHome { .. }
        | LifeFact::Withdrawn { .. }
        | LifeFact::TestamentWritten { .. }
        | LifeFact::TestamentTold { .. }
        | LifeFact::Bequeathed { .. } => return dying::words(fact),
        LifeFact::Goal { .. }
        | LifeFact::TierSelected { .. }
        | LifeFact::CacheHit { .. }
        | LifeFact::Inference { .. }
        | LifeFact::Embedded { .. }
        | LifeFact::ToolCalled { .. }
        | LifeFact::ThoughtFailed { .. }
        | LifeFact::Deliberated { .. }
        | LifeFact::Assessed { .. }
        | LifeFact::StagingSwept { .. }
        | LifeFact::Curated { .. }
        | LifeFact::PlaybookRevised { .. }
        | LifeFact::SettingProposed { .. }
        | LifeFact::PlaybookEdited { .. } => return mind::words(fact),
    })
}

pub(super) fn is_event(fact: &LifeFact) -> bool {
    matches!(
        fact,
        LifeFact::Fed { .. }
            | LifeFact::Order { .. }
            | LifeFact::BooksDiffer { .. }
            | LifeFact::BooksAgree {}
            | LifeFact::Gift { .. }
            | LifeFact::Reorged { .. }
            | LifeFact::Overdrawn { .. }
            | LifeFact::Deliberated { .. }
            | LifeFact::PlaybookEdited { .. }
            | LifeFact::SettingProposed { .. }
            | LifeFact::TestamentWritten { .. }
            | LifeFact::WentHome { .. }
            | LifeFact::Withdrawn { .. }
            | LifeFact::Inherited { .. }
    )
}

/// What somebody wants to do.
pub(super) fn intent(intent: &Intent) -> String {
    match intent {
        Intent::Hold => "hold".to_owned(),
        Intent::Buy { pay, .. } => format!("buy ETH for {} USDC", money::usdc(*pay)),
        Intent::Sell { give, .. } => format!("sell {} ETH", money::eth(*give)),
        Intent::Add { pay, give, width_bps, .. } => {
            let range = match width_bps {
                0 => String::new(),
                bps => format!(", {} % around the price", f64::from(*bps) / 100.0),
            };
            format!("put up to {} USDC and {} ETH into the pool{range}", money::usdc(*pay), money::eth(*give))
        }
        Intent::Remove { share_bps, .. } => format!("take {} % out of the pool", f64::from(*share_bps) / 100.0),
        Intent::Collect => "collect its fees".to_owned(),
        Intent::Rebalance { width_bps, .. } => {
            format!("move its range to {} % around the price", f64::from(*width_bps) / 100.0)
        }
        Intent::Home { sum } => format!("send {} home", money::sum(*sum)),
        Intent::Unwrap { give } => format!("turn {} ETH into coin for gas", money::eth(*give)),
    }
}

fn outcome(v: &OutcomeVerification, realised: Option<UsdcDelta>) -> String {
    let u = |x: Usdc| money::usdc(x);
    let done = match v.tx_receipt.outcome {
        Outcome::Held => return "held, as it wanted".to_owned(),
        Outcome::Refused { why } => {
            let wanted = What::of_outcome(&v.prediction.expected_return).map_or("act", What::verb);
            return format!("wanted to {wanted} and could not: {}", refusal(why));
        }
        Outcome::Bought { paid, got } => format!("bought {} ETH for {} USDC", money::eth(got), u(paid)),
        Outcome::Sold { gave, got } => format!("sold {} ETH for {} USDC", money::eth(gave), u(got)),
        Outcome::Added { paid, gave, .. } => format!("put {} USDC and {} ETH into the pool", u(paid), money::eth(gave)),
        Outcome::Removed { got, got_asset, .. } => {
            format!("took {} USDC and {} ETH out of the pool", u(got), money::eth(got_asset))
        }
        Outcome::Collected { got, got_asset } => format!("collected {} USDC and {} ETH", u(got), money::eth(got_asset)),
        Outcome::Moved { .. } => "moved its range in the pool".to_owned(),
        Outcome::SentHome { sum } => format!("sent {} home", money::sum(sum)),
        Outcome::Unwrapped { gave } => format!("turned {} ETH into coin for gas", money::eth(gave)),
    };
    let gas = v.tx_receipt.gas_used.cost;
    let gain = realised.filter(|r| r.0 != 0).map_or(String::new(), |r| format!(", {} USDC", money::gain(r)));
    format!("{done}{gain}; gas {} USDC", u(gas))
}

/// The beginning of an id, by which commands find it too.
fn short(id: GolemId) -> String {
    id.to_string().chars().take(8).collect()
}

/// What a sibling says, by its kind: its words are a stranger's until they have been examined.
/// By which way something of siblings came, and what.
enum KinHeard {
    Told(&'static str),
    Grave,
    Scent,
}

fn kin_word(letter: &str) -> KinHeard {
    let said: Option<serde_json::Value> = serde_json::from_str(letter).ok();
    let word = said.as_ref().map(|letter| &letter["word"]);
    match word.and_then(|word| word["kin"].as_str()) {
        Some("entry") if word.is_some_and(|w| w["parcel"]["entry"]["entry"]["body"]["kind"] == "warning") => {
            KinHeard::Told("a warning")
        }
        Some("entry") => KinHeard::Told("what it believes"),
        Some("regime") => KinHeard::Told("that the weather has changed"),
        Some("validation") => KinHeard::Told("how something went there"),
        Some("blood") => KinHeard::Grave,
        Some("scent") => KinHeard::Scent,
        _ => KinHeard::Told("something"),
    }
}

/// What the owner or a peer asked, in a sentence.
fn order(ask: &Ask) -> String {
    match ask {
        Ask::Feed { amount } => format!("the owner feeds it {} USDC", money::usdc(*amount)),
        Ask::Pause => "the owner pauses it".to_owned(),
        Ask::Resume => "the owner lets it go on".to_owned(),
        Ask::Kill { reason } => format!("the owner ends its life: {reason}"),
        Ask::KillSwitch { trigger } => format!("the kill switch is thrown: {trigger}"),
        Ask::Halt { reason } => format!("the owner halts all new risk: {reason}"),
        Ask::Learn { entries } => {
            format!("it is given {} of another golem to learn", things(entries.len(), "entry", "entries"))
        }
        Ask::Equip { parcels } => {
            format!("it is equipped with {} of the library", things(parcels.len(), "entry", "entries"))
        }
        Ask::Peer { from, died: true, text, .. } => format!("{from} died, and said: {text}"),
        Ask::Peer { from, text, .. } => format!("{from} says: {text}"),
        Ask::Suffer { text } => {
            format!("it is given what another agent suffered ({})", things(text.lines().count(), "line", "lines"))
        }
        Ask::Tell { text } => format!("the owner says: {text}"),
        Ask::Dream => "the owner asks it to dream".to_owned(),
        Ask::Wake { reason } => format!("the owner wakes it: {reason}"),
        Ask::Judge { proposal, approved: true } => format!("the owner approves proposal {proposal}"),
        Ask::Judge { proposal, .. } => format!("the owner rejects proposal {proposal}"),
        Ask::Withdraw { amount: Some(amount) } => format!("the owner withdraws {} USDC", money::usdc(*amount)),
        Ask::Withdraw { amount: None } => "the owner withdraws all of its capital".to_owned(),
        Ask::Kin { from, letter, .. } => match kin_word(letter) {
            KinHeard::Told(what) => format!("its sibling {} tells it {what}", short(*from)),
            KinHeard::Grave => format!("the grave of its sibling {} says what its death taught", short(*from)),
            KinHeard::Scent => "it smells a threat that several siblings have marked".to_owned(),
        },
    }
}

fn things(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}

fn denied(why: &PurseDenied) -> String {
    let purse = |p: &Partition| p.name();
    match why {
        PurseDenied::Purse { partition, left, asked } => {
            format!(
                "the {} purse holds {}, and {} was asked",
                purse(partition),
                money::usdc(*left),
                money::usdc(*asked)
            )
        }
        PurseDenied::DailyCap { partition, cap } => {
            format!("the {} purse may spend {} a day", purse(partition), money::usdc(*cap))
        }
        PurseDenied::Reserve => "only the reserve is left".to_owned(),
    }
}

/// What money was for.
fn purpose_words(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Compute => "the machine it runs on",
        Purpose::Inference => "a model's answer",
        Purpose::Gas => "gas",
        Purpose::Data => "its market feed",
        Purpose::Snapshot => "a snapshot of itself",
        Purpose::Reflection => "reflection while dying",
        Purpose::Settlement => "settlement while dying",
    }
}

fn weather(regime: Regime) -> &'static str {
    match regime {
        Regime::Unknown => "unknown",
        Regime::RangeBound => "quiet",
        Regime::TrendingUp => "rising",
        Regime::TrendingDown => "falling",
        Regime::Volatile => "wild",
    }
}

/// A stretch of a goal's time.
pub(super) fn until(deadline: golem_core::VirtualTime) -> String {
    format!("by the age of {}", time::age(deadline.age().as_days()))
}
