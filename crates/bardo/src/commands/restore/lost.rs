//! What is lost by going back to a snapshot: turns, orders, money. Said by whoever goes back, as far as it can be known.

use golem_core::{Tick, Usdc};
use golem_life::Ask;
use golem_runtime::{Error, Reader};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;

/// What the file said before it was moved aside; as much of it as could be read.
#[derive(Debug, Default)]
pub struct Before {
    tick: Option<Tick>,
    orders: Option<Vec<(u64, Ask)>>,
    worth: Option<Usdc>,
}

/// What is lost.
#[derive(Debug, Serialize)]
pub struct Lost {
    /// Turns; unknown when the file that was there could not be read.
    pub turns: Option<u64>,
    /// Orders that it was given since, in words.
    pub orders: Option<Vec<String>>,
    /// USDC that it was fed since, in millionths.
    pub fed_micro_usdc: Option<u64>,
    /// What it was worth when it was last written, in millionths.
    pub worth_before_micro_usdc: Option<u64>,
    /// What it is worth now, in millionths.
    pub worth_now_micro_usdc: Option<u64>,
}

impl Before {
    /// Look at the file that is there.
    pub fn look(dir: &Path) -> Self {
        let Ok(reader) = Reader::open(dir) else { return Self::default() };
        Self {
            tick: reader.tip().ok().map(|(tick, _)| tick),
            orders: reader.orders().ok(),
            worth: worth(&reader).ok().flatten(),
        }
    }

    /// What of it is not in the file that is there now.
    pub fn lost(self, dir: &Path, tick: Tick) -> Result<Lost, Error> {
        let reader = Reader::open(dir)?;
        let known: BTreeSet<u64> = reader.orders()?.into_iter().map(|(id, _)| id).collect();
        let gone: Option<Vec<Ask>> =
            self.orders.map(|all| all.into_iter().filter(|(id, _)| !known.contains(id)).map(|(_, ask)| ask).collect());
        let fed = |asks: &Vec<Ask>| asks.iter().fold(Usdc(0), |sum, ask| sum.plus(amount(ask))).0;
        Ok(Lost {
            turns: self.tick.map(|was| was.0.saturating_sub(tick.0)),
            fed_micro_usdc: gone.as_ref().map(fed),
            orders: gone.map(|asks| asks.iter().map(words).collect()),
            worth_before_micro_usdc: self.worth.map(|usdc| usdc.0),
            worth_now_micro_usdc: worth(&reader)?.map(|usdc| usdc.0),
        })
    }
}

/// Everything that it has, as it showed it last.
fn worth(reader: &Reader) -> Result<Option<Usdc>, Error> {
    let Some(status) = reader.status()? else { return Ok(None) };
    let body: serde_json::Value = serde_json::from_str(&status.body).unwrap_or_default();
    Ok(body["balance_micro_usdc"].as_u64().map(Usdc))
}

fn amount(ask: &Ask) -> Usdc {
    if let Ask::Feed { amount } = ask { *amount } else { Usdc(0) }
}

fn words(ask: &Ask) -> String {
    match ask {
        Ask::Feed { amount } => format!("feed {amount} USDC"),
        Ask::Kill { .. } => "kill".to_owned(),
        Ask::KillSwitch { .. } => "the kill switch".to_owned(),
        Ask::Halt { .. } => "halt".to_owned(),
        Ask::Pause => "pause".to_owned(),
        Ask::Resume => "resume".to_owned(),
        Ask::Tell { .. } => "tell".to_owned(),
        Ask::Learn { entries } => format!("learn {} entries", entries.len()),
        Ask::Equip { parcels } => format!("equip with {} entries", parcels.len()),
        Ask::Peer { .. } => "a letter of a peer".to_owned(),
        Ask::Suffer { .. } => "suffer".to_owned(),
        Ask::Dream => "dream now".to_owned(),
        Ask::Wake { .. } => "wake".to_owned(),
        Ask::Judge { proposal, .. } => format!("a word on proposal {proposal}"),
        Ask::Withdraw { amount: Some(amount) } => format!("withdraw {amount} USDC"),
        Ask::Withdraw { amount: None } => "withdraw all".to_owned(),
        Ask::Kin { .. } => "a word of a sibling".to_owned(),
    }
}

impl Lost {
    /// For people.
    pub fn words(&self) -> Vec<String> {
        let mut lines = Vec::new();
        lines.push(match self.turns {
            Some(turns) => format!("lost: {turns} turns"),
            None => "what is lost cannot be told: the file that was there could not be read".to_owned(),
        });
        match self.orders.as_deref() {
            None => lines.push("lost: whatever it was ordered since, which could not be read".to_owned()),
            Some([]) => {}
            Some(orders) => lines.push(format!("lost: {} orders ({})", orders.len(), orders.join(", "))),
        }
        if let Some(fed @ 1..) = self.fed_micro_usdc {
            lines.push(format!("lost: {} USDC that it was fed since; feed it again", Usdc(fed)));
        }
        if let (Some(before), Some(now)) = (self.worth_before_micro_usdc, self.worth_now_micro_usdc) {
            lines.push(format!("it had {} USDC, and has {} now", Usdc(before), Usdc(now)));
        }
        lines
    }
}
