//! A turn's record as bytes in the journal.
//!
//! The shapes are spelled again because the types' own serde form is made for JSON (tagged enums, which a format without
//! field names cannot read back), and because old journals must stay readable when the JSON changes. The compiler holds
//! both against each other. Variants and fields are only ever added at the end; anything else is a new format number.

use golem_core::door::{Amended, EffectKey};
use golem_core::intent::{Asset, Outcome};
use golem_core::venue::{Action, Book, Gas, LogKind, Point, VenueId};
use golem_core::{GolemId, Hash, HomeSum, Intent, Observation, Preview, Receipt, ReferencePrice, Timestamp, Usdc};
use golem_life::{Answer, Ask, Order, Record, TickInput};
use serde::{Deserialize, Serialize};

/// The number of the format that is written.
pub(crate) const FORMAT: u8 = 5;

#[derive(Serialize, Deserialize)]
#[serde(remote = "Intent")]
enum IntentWire {
    Hold,
    Buy { pay: Usdc, min_out: Asset },
    Sell { give: Asset, min_out: Usdc },
    Add { pay: Usdc, give: Asset, width_bps: u32, tolerance_bps: u32 },
    Remove { share_bps: u32, tolerance_bps: u32 },
    Collect,
    Rebalance { width_bps: u32, tolerance_bps: u32 },
    Home { sum: HomeSum },
    Unwrap { give: Asset },
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Receipt")]
struct ReceiptWire {
    #[serde(with = "IntentWire")]
    intent: Intent,
    outcome: Outcome,
    gas: Gas,
    after: Option<Book>,
    point: Option<Point>,
    logs: Vec<LogKind>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Preview")]
struct PreviewWire {
    #[serde(with = "IntentWire")]
    intent: Intent,
    venue: VenueId,
    code: Hash,
    actions: Vec<Action>,
    before: Book,
    after: Book,
    outcome: Outcome,
    gas: Gas,
    logs: Vec<LogKind>,
    reference: Option<ReferencePrice>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Amended")]
struct AmendedWire {
    key: EffectKey,
    #[serde(with = "maybe_receipt")]
    was: Option<Receipt>,
    #[serde(with = "maybe_receipt")]
    now: Option<Receipt>,
}

mod maybe_receipt {
    use super::*;
    #[derive(Serialize)]
    struct LentReceipt<'a>(#[serde(with = "ReceiptWire")] &'a Receipt);
    #[derive(Deserialize)]
    struct OwnedReceipt(#[serde(with = "ReceiptWire")] Receipt);
    pub(super) fn serialize<S: serde::Serializer>(it: &Option<Receipt>, s: S) -> Result<S::Ok, S::Error> {
        it.as_ref().map(LentReceipt).serialize(s)
    }
    pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<Receipt>, D::Error> {
        Ok(Option::<OwnedReceipt>::deserialize(d)?.map(|OwnedReceipt(it)| it))
    }
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
    Halt { reason: String },
    Learn { entries: Vec<String> },
    Peer { from: String, text: String, died: bool, at: Timestamp },
    Suffer { text: String },
    Dream,
    Wake { reason: String },
    Judge { proposal: u64, approved: bool },
    Equip { parcels: Vec<String> },
    Withdraw { amount: Option<Usdc> },
    Kin { from: GolemId, letter: String, at: Timestamp },
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
    #[serde(with = "amendments")]
    amended: Vec<Amended>,
    edited: Option<String>,
    swallowed: Vec<Usdc>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Record")]
struct RecordWire {
    #[serde(with = "InputWire")]
    input: TickInput,
    #[serde(with = "answers")]
    answers: Vec<Answer>,
    #[serde(with = "intents")]
    intents: Vec<Intent>,
    #[serde(with = "previews")]
    previews: Vec<Preview>,
    granted: Vec<bool>,
    #[serde(with = "receipts")]
    receipts: Vec<Receipt>,
}

macro_rules! list_of {
    ($list:ident, $item:ident, $wire:literal) => {
        mod $list {
            use super::*;
            #[derive(Serialize)]
            struct LentItem<'a>(#[serde(with = $wire)] &'a $item);
            #[derive(Deserialize)]
            struct OwnedItem(#[serde(with = $wire)] $item);
            pub(super) fn serialize<S: serde::Serializer>(items: &[$item], s: S) -> Result<S::Ok, S::Error> {
                s.collect_seq(items.iter().map(LentItem))
            }
            pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Vec<$item>, D::Error> {
                Ok(Vec::<OwnedItem>::deserialize(d)?.into_iter().map(|OwnedItem(item)| item).collect())
            }
        }
    };
}
list_of!(orders, Order, "OrderWire");
list_of!(intents, Intent, "IntentWire");
list_of!(receipts, Receipt, "ReceiptWire");
list_of!(previews, Preview, "PreviewWire");
list_of!(amendments, Amended, "AmendedWire");

/// Answers are mostly text already: each is kept as JSON, which can be read whatever becomes of the types.
mod answers {
    use super::*;
    pub(super) fn serialize<S: serde::Serializer>(items: &[Answer], s: S) -> Result<S::Ok, S::Error> {
        let each: Result<Vec<String>, _> = items.iter().map(serde_json::to_string).collect();
        each.map_err(serde::ser::Error::custom)?.serialize(s)
    }
    pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Vec<Answer>, D::Error> {
        let each = Vec::<String>::deserialize(d)?;
        each.iter().map(|one| serde_json::from_str(one)).collect::<Result<_, _>>().map_err(serde::de::Error::custom)
    }
}

/// Append the record's bytes.
pub(crate) fn write(record: &Record, out: Vec<u8>) -> Result<Vec<u8>, postcard::Error> {
    #[derive(Serialize)]
    struct LentRecord<'a>(#[serde(with = "RecordWire")] &'a Record);
    postcard::to_extend(&LentRecord(record), out)
}

/// Read a record that must fill the bytes exactly. Never allocates more than the bytes themselves could hold.
pub(crate) fn read(format: u8, bytes: &[u8]) -> Result<Record, String> {
    #[derive(Deserialize)]
    struct OwnedRecord(#[serde(with = "RecordWire")] Record);
    if format != FORMAT {
        return Err(format!("record format {format} is not the one this program knows ({FORMAT})"));
    }
    match postcard::take_from_bytes(bytes) {
        Ok((OwnedRecord(record), [])) => Ok(record),
        Ok((_, rest)) => Err(format!("{} bytes too many", rest.len())),
        Err(e) => Err(e.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::door::{EmbedReply, EmbedRequest, Embedding};
    use golem_core::intent::Refusal;
    use golem_core::{ProtocolState, RawObservation, Tick};

    fn input() -> TickInput {
        let raw = RawObservation {
            price: Some(2_512.25),
            gas_gwei: Some(12.5),
            fee_yield: Some(0.0004),
            volume: Some(1e6),
            protocol: Some(ProtocolState::Normal),
            reference: Some(ReferencePrice {
                kind: golem_core::ReferenceKind::PoolMean,
                tick: -196_000,
                spot: -196_010,
                window_s: 1_800,
            }),
            ..RawObservation::default()
        };
        TickInput { at: Timestamp(1_790_000_000), seen: raw.admit(), ..Default::default() }
    }

    fn embedded() -> Answer {
        let request = EmbedRequest { query: Some("q".into()), texts: vec!["t".into()], max_cost: Usdc(1) };
        let vector = Embedding { model: "m/3".into(), row: vec![-127, 0, 5], scale: 0.1 };
        Answer::Embedded(Box::new(EmbedReply { query: Some(vector), ..request.unanswered() }))
    }

    fn quiet(input: TickInput) -> Record {
        Record { input, answers: vec![], intents: vec![], previews: vec![], granted: vec![], receipts: vec![] }
    }

    #[test]
    fn records_come_back_and_are_small() {
        let mut record = quiet(input());
        let plain = write(&record, Vec::new()).unwrap();
        // Five numbers of eight bytes at most, a time, a reference of ten, and a byte for each list that is empty.
        assert!(plain.len() <= 70, "{} bytes", plain.len());
        assert_eq!(read(FORMAT, &plain).unwrap(), record);

        let asks = [
            Ask::Feed { amount: Usdc(1) },
            Ask::Pause,
            Ask::Resume,
            Ask::Kill { reason: "r".into() },
            Ask::KillSwitch { trigger: "t".into() },
            Ask::Tell { text: "ü".into() },
            Ask::Halt { reason: "h".into() },
            Ask::Learn { entries: vec!["{}".into()] },
            Ask::Peer { from: "eve".into(), text: "ä".into(), died: true, at: Timestamp(9) },
            Ask::Suffer { text: "{}".into() },
            Ask::Dream,
            Ask::Wake { reason: "w".into() },
            Ask::Judge { proposal: 7, approved: true },
            Ask::Equip { parcels: vec!["{}".into()] },
            Ask::Withdraw { amount: Some(Usdc(3)) },
            Ask::Withdraw { amount: None },
            Ask::Kin { from: GolemId([7; 16]), letter: "{}".into(), at: Timestamp(-5) },
        ];
        record.input.orders = asks.into_iter().zip(7..).map(|(ask, id)| Order { id, ask }).collect();
        record.input.seen.book = Some(Book::default());
        record.intents = vec![
            Intent::Hold,
            Intent::Buy { pay: Usdc(3), min_out: Asset(4) },
            Intent::Sell { give: Asset(u128::MAX), min_out: Usdc(6) },
            Intent::Add { pay: Usdc(7), give: Asset(1), width_bps: 8, tolerance_bps: 9 },
            Intent::Remove { share_bps: 9, tolerance_bps: 10 },
            Intent::Collect,
            Intent::Rebalance { width_bps: 11, tolerance_bps: 12 },
            Intent::Home { sum: HomeSum::Usdc(Usdc(1)) },
            Intent::Home { sum: HomeSum::Coin(Asset(2)) },
            Intent::Unwrap { give: Asset(3) },
        ];
        let why = Refusal::Slippage;
        record.previews = record.intents.iter().map(|&intent| Preview::refused(intent, why)).collect();
        record.previews[1].actions = vec![Action::Collect { position: 5 }];
        let sum = HomeSum::Asset(Asset(u128::MAX));
        record.previews[2].actions = vec![Action::Home { sum }, Action::Unwrap { give: Asset(1) }];
        record.previews[2].outcome = Outcome::SentHome { sum };
        record.previews[3].outcome = Outcome::Unwrapped { gave: Asset(4) };
        record.granted = record.intents.iter().map(|i| i.only_reduces()).collect();
        record.receipts = record.intents.iter().map(|&intent| Receipt::kept_back(intent, why)).collect();
        let (was, now) = (Some(record.receipts[1].clone()), None);
        record.input.amended = vec![Amended { key: EffectKey::new(Tick(1), 0), was, now }];
        record.input.edited = Some("# mine".into());
        record.input.swallowed = vec![Usdc(17)];
        record.answers = vec![Answer::Previews(record.previews.clone()), embedded()];
        let full = write(&record, Vec::new()).unwrap();
        assert_eq!(read(FORMAT, &full).unwrap(), record);
        for cut in 0..full.len() {
            assert!(read(FORMAT, &full[..cut]).is_err(), "cut at {cut}");
        }
        assert!(read(FORMAT, &[&full[..], &[0]].concat()).is_err());
        assert!(read(FORMAT + 1, &full).is_err());
        assert!(read(FORMAT - 1, &full).is_err());
    }

    #[test]
    fn bytes_on_disk_never_move() {
        let order = Order { id: 300, ask: Ask::Tell { text: "hi".into() } };
        let input = TickInput { at: Timestamp(-1), orders: vec![order], ..Default::default() };
        let intents = vec![Intent::Rebalance { width_bps: 5, tolerance_bps: 6 }];
        let record = Record { intents, granted: vec![true], ..quiet(input) };
        let bytes = write(&record, Vec::new()).unwrap();
        assert_eq!(
            bytes,
            [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 172, 2, 5, 2, 104, 105, 0, 0, 0, 0, 1, 6, 5, 6, 0, 1, 1, 0]
        );
    }
}
