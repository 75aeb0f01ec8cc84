//! Parameters, read strictly: hex as the standard has it, no more and no fewer than there should be. What is wrong is said
//! with its name.

use super::fault::ServeFault;
use alloy_primitives::{Address, B256, Bytes, U256, hex};
use serde_json::Value;

/// Which block is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    /// The last one that is closed. There is no reorganisation: it is safe and final as well.
    Latest,
    /// The one that is open.
    Pending,
    Number(u64),
    Hash(B256),
}

/// The parameters of a call.
#[derive(Debug)]
pub(super) struct Params<'a>(&'a [Value]);

impl<'a> Params<'a> {
    /// At most so many; beyond that a null is nothing.
    pub fn new(values: &'a [Value], most: usize) -> Result<Self, ServeFault> {
        match values.iter().skip(most).find(|v| !v.is_null()) {
            Some(_) => Err(ServeFault::params(format!("too many arguments, want at most {most}"))),
            None => Ok(Self(values)),
        }
    }
    pub fn optional(&self, at: usize) -> Option<&'a Value> {
        self.0.get(at).filter(|v| !v.is_null())
    }
    pub fn required(&self, at: usize, name: &str) -> Result<&'a Value, ServeFault> {
        self.optional(at)
            .ok_or_else(|| ServeFault::params(format!("missing value for required argument {at} ({name})")))
    }
    pub fn address(&self, at: usize) -> Result<Address, ServeFault> {
        address(self.required(at, "address")?, "address")
    }
    pub fn hash(&self, at: usize) -> Result<B256, ServeFault> {
        hash(self.required(at, "hash")?, "hash")
    }
    pub fn number(&self, at: usize, name: &str) -> Result<u64, ServeFault> {
        number(self.required(at, name)?, name)
    }
    pub fn flag(&self, at: usize, name: &str) -> Result<bool, ServeFault> {
        match self.optional(at) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(ServeFault::params(format!("{name}: expected true or false"))),
        }
    }
    /// The block at a place; the latest when none is named.
    pub fn block(&self, at: usize) -> Result<Which, ServeFault> {
        self.optional(at).map_or(Ok(Which::Latest), block)
    }
}

fn text<'a>(value: &'a Value, name: &str, want: &str) -> Result<&'a str, ServeFault> {
    value.as_str().ok_or_else(|| ServeFault::params(format!("{name}: expected {want}")))
}

fn fixed<const N: usize>(value: &Value, name: &str) -> Result<[u8; N], ServeFault> {
    let wrong = || ServeFault::params(format!("{name}: expected 0x and {} hex digits", 2 * N));
    let digits = value.as_str().and_then(|t| t.strip_prefix("0x")).ok_or_else(wrong)?;
    let mut bytes = [0; N];
    hex::decode_to_slice(digits, &mut bytes).map_err(|_| wrong())?;
    // The decoder takes a second prefix for one.
    if digits.len() == 2 * N { Ok(bytes) } else { Err(wrong()) }
}

pub(super) fn address(value: &Value, name: &str) -> Result<Address, ServeFault> {
    Ok(Address::from(fixed::<20>(value, name)?))
}

pub(super) fn hash(value: &Value, name: &str) -> Result<B256, ServeFault> {
    Ok(B256::from(fixed::<32>(value, name)?))
}

pub(super) fn bytes(value: &Value, name: &str) -> Result<Bytes, ServeFault> {
    let wrong = || ServeFault::params(format!("{name}: expected 0x and an even number of hex digits"));
    let digits = value.as_str().and_then(|t| t.strip_prefix("0x")).ok_or_else(wrong)?;
    if digits.starts_with("0x") {
        return Err(wrong());
    }
    hex::decode(digits).map(Bytes::from).map_err(|_| wrong())
}

/// A quantity: 0x, and at least one digit, the first of which is not zero unless it is the only one.
pub(super) fn quantity(value: &Value, name: &str) -> Result<U256, ServeFault> {
    let text = text(value, name, "a quantity in hex")?;
    let wrong = |why: &str| ServeFault::params(format!("{name}: {why}"));
    let digits = text.strip_prefix("0x").ok_or_else(|| wrong("a quantity begins with 0x"))?;
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(wrong("expected 0x and hex digits"));
    }
    if digits.len() > 1 && digits.starts_with('0') {
        return Err(wrong("a quantity has no leading zeros"));
    }
    U256::from_str_radix(digits, 16).map_err(|_| wrong("more than 256 bits"))
}

pub(super) fn number(value: &Value, name: &str) -> Result<u64, ServeFault> {
    u64::try_from(quantity(value, name)?).map_err(|_| ServeFault::params(format!("{name}: more than 64 bits")))
}

pub(super) fn wide(value: &Value, name: &str) -> Result<u128, ServeFault> {
    u128::try_from(quantity(value, name)?).map_err(|_| ServeFault::params(format!("{name}: more than 128 bits")))
}

/// A slot of storage: clients write it as a quantity or as 32 bytes.
pub(super) fn slot(value: &Value) -> Result<U256, ServeFault> {
    match value.as_str().map(str::len) {
        Some(66) => hash(value, "slot").map(Into::into),
        _ => quantity(value, "slot"),
    }
}

/// A tag, a number, or an object with a number or a hash.
pub(super) fn block(value: &Value) -> Result<Which, ServeFault> {
    if let Value::Object(fields) = value {
        let known = ["blockNumber", "blockHash", "requireCanonical"];
        if let Some(odd) = fields.keys().find(|key| !known.contains(&key.as_str())) {
            return Err(ServeFault::params(format!(
                "block: unknown field {}",
                odd.chars().take(40).collect::<String>()
            )));
        }
        if fields.get("requireCanonical").is_some_and(|v| !v.is_boolean()) {
            return Err(ServeFault::params("block: requireCanonical is true or false"));
        }
        return match (fields.get("blockNumber"), fields.get("blockHash")) {
            (Some(n), None) => block_word(n),
            (None, Some(h)) => Ok(Which::Hash(hash(h, "blockHash")?)),
            _ => Err(ServeFault::params("block: expected either blockNumber or blockHash")),
        };
    }
    block_word(value)
}

fn block_word(value: &Value) -> Result<Which, ServeFault> {
    match text(value, "block", "a tag or a number in hex")? {
        "latest" | "safe" | "finalized" => Ok(Which::Latest),
        "pending" => Ok(Which::Pending),
        "earliest" => Ok(Which::Number(0)),
        _ => Ok(Which::Number(number(value, "block")?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn quantities_are_minimal_hex() {
        for (text, want) in [("0x0", 0), ("0x1", 1), ("0xff", 255), ("0xFF", 255), ("0xffffffffffffffff", u64::MAX)] {
            assert_eq!(number(&json!(text), "n"), Ok(want), "{text}");
        }
        for odd in ["", "0", "0x", "x1", "0x01", "0x+1", "0x-1", "0x1_0", "0x 1", "0x10000000000000000", "latest"] {
            assert_eq!(number(&json!(odd), "n").map_err(|f| f.code), Err(-32602), "{odd}");
        }
        assert!(number(&json!(1), "n").is_err() && quantity(&json!(format!("0x1{}", "0".repeat(64))), "n").is_err());
    }

    #[test]
    fn bytes_are_whole_and_prefixed_once() {
        assert_eq!(bytes(&json!("0x"), "b"), Ok(Bytes::new()));
        for odd in ["", "00", "0x0", "0xzz", "0x0x00", "0X00"] {
            assert!(bytes(&json!(odd), "b").is_err(), "{odd}");
        }
        for odd in ["0x", "0x0x11111111111111111111111111111111111111", "1111111111111111111111111111111111111111"] {
            assert!(address(&json!(odd), "a").is_err(), "{odd}");
        }
    }

    #[test]
    fn a_block_is_named_in_every_usual_way() {
        let hash = B256::repeat_byte(7);
        let table = [
            (json!("safe"), Which::Latest),
            (json!("earliest"), Which::Number(0)),
            (json!("pending"), Which::Pending),
            (json!("0x10"), Which::Number(16)),
            (json!({ "blockNumber": "0x2" }), Which::Number(2)),
            (json!({ "blockHash": hash, "requireCanonical": true }), Which::Hash(hash)),
        ];
        for (value, want) in table {
            assert_eq!(block(&value), Ok(want), "{value}");
        }
        for odd in
            [json!(16), json!("LATEST"), json!({}), json!({ "blockNumber": "0x1", "blockHash": hash }), json!([])]
        {
            assert!(block(&odd).is_err(), "{odd}");
        }
    }
}
