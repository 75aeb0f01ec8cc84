//! A turn's record as bytes in the journal.
//!
//! The shapes are spelled again because the types' own serde form is made for JSON (tagged enums, which a format without
//! field names cannot read back), and because old journals must stay readable when the JSON changes. The compiler holds
//! both against each other. Variants and fields are only ever added at the end; anything else is a new format number.

use golem_core::intent::{Asset, Outcome};
use golem_core::{Intent, Observation, Receipt, Timestamp, Usdc};
use golem_life::{Ask, Order, Record, TickInput};
use serde::{Deserialize, Serialize};

/// The number of the format that is written.
pub(crate) const FORMAT: u8 = 1;

#[derive(Serialize, Deserialize)]
#[serde(remote = "Intent")]
enum IntentWire {
    Hold,
    Buy { pay: Usdc, min_out: Asset },
    Sell { give: Asset, min_out: Usdc },
    Add { pay: Usdc, width_bps: u32 },
    Remove { share_bps: u32, min_out: Usdc },
    Collect,
    Rebalance { width_bps: u32 },
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Receipt")]
struct ReceiptWire {
    #[serde(with = "IntentWire")]
    intent: Intent,
    outcome: Outcome,
    gas: Usdc,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Ask")]
enum AskWire {
    Feed { amount: Usdc },
    Pause,
    Resume,
    Kill { reason: String },
    KillSwitch { trigger: String },
    Tell { text: String },
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Order")]
struct OrderWire {
    id: u64,
    #[serde(with = "AskWire")]
    ask: Ask,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "TickInput")]
struct InputWire {
    at: Timestamp,
    seen: Observation,
    #[serde(with = "orders")]
    orders: Vec<Order>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Record")]
struct RecordWire {
    #[serde(with = "InputWire")]
    input: TickInput,
    #[serde(with = "intents")]
    intents: Vec<Intent>,
    #[serde(with = "receipts")]
    receipts: Vec<Receipt>,
}

macro_rules! list_of {
    ($list:ident, $item:ident, $wire:literal) => {
        mod $list {
            use super::*;
            #[derive(Serialize)]
            struct Lent<'a>(#[serde(with = $wire)] &'a $item);
            #[derive(Deserialize)]
            struct Owned(#[serde(with = $wire)] $item);
            pub(super) fn serialize<S: serde::Serializer>(items: &[$item], s: S) -> Result<S::Ok, S::Error> {
                s.collect_seq(items.iter().map(Lent))
            }
            pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Vec<$item>, D::Error> {
                Ok(Vec::<Owned>::deserialize(d)?.into_iter().map(|Owned(item)| item).collect())
            }
        }
    };
}
list_of!(orders, Order, "OrderWire");
list_of!(intents, Intent, "IntentWire");
list_of!(receipts, Receipt, "ReceiptWire");

/// Append the record's bytes.
pub(crate) fn write(record: &Record, out: Vec<u8>) -> Result<Vec<u8>, postcard::Error> {
    #[derive(Serialize)]
    struct Lent<'a>(#[serde(with = "RecordWire")] &'a Record);
    postcard::to_extend(&Lent(record), out)
}

/// Read a record that must fill the bytes exactly. Never allocates more than the bytes themselves could hold.
pub(crate) fn read(format: u8, bytes: &[u8]) -> Result<Record, String> {
    #[derive(Deserialize)]
    struct Owned(#[serde(with = "RecordWire")] Record);
    if format != FORMAT {
        return Err(format!("record format {format} is not known"));
    }
    match postcard::take_from_bytes(bytes) {
        Ok((Owned(record), [])) => Ok(record),
        Ok((_, rest)) => Err(format!("{} bytes too many", rest.len())),
        Err(e) => Err(e.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::intent::Refusal;
    use golem_core::{ProtocolState, RawObservation};

    #[test]
    fn records_come_back_and_are_small() {
        let raw = RawObservation {
            price: Some(2_512.25),
            gas_gwei: Some(12.5),
            fee_yield: Some(0.0004),
            volume: Some(1e6),
            protocol: Some(ProtocolState::Normal),
        };
        let mut record = Record {
            input: TickInput { at: Timestamp(1_790_000_000), seen: raw.admit(), orders: vec![] },
            intents: vec![],
            receipts: vec![],
        };
        let plain = write(&record, Vec::new()).unwrap();
        assert!(plain.len() <= 50, "{} bytes", plain.len());
        assert_eq!(read(FORMAT, &plain).unwrap(), record);

        let asks = [
            Ask::Feed { amount: Usdc(1) },
            Ask::Pause,
            Ask::Resume,
            Ask::Kill { reason: "r".into() },
            Ask::KillSwitch { trigger: "t".into() },
            Ask::Tell { text: "ü".into() },
        ];
        record.input.orders = asks.into_iter().zip(7..).map(|(ask, id)| Order { id, ask }).collect();
        record.intents = vec![
            Intent::Hold,
            Intent::Buy { pay: Usdc(3), min_out: Asset(4) },
            Intent::Sell { give: Asset(5), min_out: Usdc(6) },
            Intent::Add { pay: Usdc(7), width_bps: 8 },
            Intent::Remove { share_bps: 9, min_out: Usdc(10) },
            Intent::Collect,
            Intent::Rebalance { width_bps: 11 },
        ];
        let outcome = Outcome::Refused { why: Refusal::Slippage };
        record.receipts = record.intents.iter().map(|&intent| Receipt { intent, outcome, gas: Usdc(2) }).collect();
        let full = write(&record, Vec::new()).unwrap();
        assert_eq!(read(FORMAT, &full).unwrap(), record);
        for cut in 0..full.len() {
            assert!(read(FORMAT, &full[..cut]).is_err(), "cut at {cut}");
        }
        assert!(read(FORMAT, &[&full[..], &[0]].concat()).is_err());
        assert!(read(FORMAT + 1, &full).is_err());
    }

    #[test]
    fn bytes_on_disk_never_move() {
        let order = Order { id: 300, ask: Ask::Tell { text: "hi".into() } };
        let record = Record {
            input: TickInput { at: Timestamp(-1), seen: Observation::default(), orders: vec![order] },
            intents: vec![Intent::Rebalance { width_bps: 5 }],
            receipts: vec![],
        };
        let bytes = write(&record, Vec::new()).unwrap();
        assert_eq!(bytes, [1, 0, 0, 0, 0, 0, 0, 1, 172, 2, 5, 2, 104, 105, 1, 6, 5, 0]);
    }
}
