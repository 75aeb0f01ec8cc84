//! Searching logs: by block or range, contract and topics.

use super::answers;
use super::desk::ServedChain;
use super::fault::ServeFault;
use super::params::{self, Params, Which};
use alloy_primitives::{Address, B256, Log};
use serde_json::Value;

/// What is looked for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Filter {
    from: Option<Which>,
    until: Option<Which>,
    block: Option<B256>,
    /// Any of these; all when there are none.
    addresses: Vec<Address>,
    /// For each place any of these; whatever it is where there are none.
    topics: Vec<Vec<B256>>,
}

impl Filter {
    fn read(value: &Value) -> Result<Self, ServeFault> {
        let Value::Object(fields) = value else { return Err(ServeFault::params("filter: expected an object")) };
        let mut filter = Self::default();
        for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
            match name.as_str() {
                "fromBlock" => filter.from = Some(params::block(value)?),
                "toBlock" => filter.until = Some(params::block(value)?),
                "blockHash" => filter.block = Some(params::hash(value, name)?),
                "address" => filter.addresses = some_of(value, |v| params::address(v, "address"))?.unwrap_or_default(),
                "topics" => filter.topics = topics(value)?,
                other => {
                    let name: String = other.chars().take(40).collect();
                    return Err(ServeFault::params(format!("filter: unknown field {name}")));
                }
            }
        }
        if filter.block.is_some() && (filter.from.is_some() || filter.until.is_some()) {
            return Err(ServeFault::params("cannot specify both blockHash and fromBlock/toBlock"));
        }
        Ok(filter)
    }

    fn fits(&self, log: &Log) -> bool {
        let topics = log.data.topics();
        let fits =
            |(at, any): (usize, &Vec<B256>)| topics.get(at).is_some_and(|topic| any.is_empty() || any.contains(topic));
        (self.addresses.is_empty() || self.addresses.contains(&log.address)) && self.topics.iter().enumerate().all(fits)
    }

    /// The first and the last block; none when there is nothing to look through.
    fn range(&self, desk: &ServedChain) -> Result<Option<(u64, u64)>, ServeFault> {
        if let Some(hash) = self.block {
            let number = desk.number(Which::Hash(hash)).ok_or_else(|| ServeFault::absent("unknown block"))?;
            return Ok(Some((number, number)));
        }
        let latest = desk.latest();
        let place = |which: Option<Which>| match which {
            None | Some(Which::Latest) => Ok(latest),
            // Nothing is in the open block.
            Some(Which::Pending) => Ok(latest.saturating_add(1)),
            Some(Which::Number(n)) => Ok(n),
            Some(hash) => desk.number(hash).ok_or_else(|| ServeFault::absent("unknown block")),
        };
        let (from, until) = (place(self.from)?, place(self.until)?);
        if from > until && self.until.is_some() && self.from.is_some() {
            return Err(ServeFault::params(format!("invalid block range: from {from} to {until}")));
        }
        let until = until.min(latest);
        Ok((from <= until).then_some((from, until)))
    }
}

/// One, or a list; none where anything will do.
fn some_of<T>(value: &Value, read: impl Fn(&Value) -> Result<T, ServeFault>) -> Result<Option<Vec<T>>, ServeFault> {
    match value {
        Value::Array(list) if list.iter().any(Value::is_null) => Ok(None),
        Value::Array(list) if list.len() > 1000 => Err(ServeFault::params("filter: at most 1000 alternatives")),
        Value::Array(list) => list.iter().map(read).collect::<Result<_, _>>().map(Some),
        one => Ok(Some(vec![read(one)?])),
    }
}

fn topics(value: &Value) -> Result<Vec<Vec<B256>>, ServeFault> {
    let Value::Array(list) = value else { return Err(ServeFault::params("topics: expected a list")) };
    if list.len() > 4 {
        return Err(ServeFault::params("topics: a log has at most four"));
    }
    let place = |value: &Value| match value {
        Value::Null => Ok(Vec::new()),
        any => Ok(some_of(any, |v| params::hash(v, "topic"))?.unwrap_or_default()),
    };
    list.iter().map(place).collect()
}

/// `eth_getLogs`.
pub(super) fn search(desk: &mut ServedChain, params: &Params<'_>) -> Result<Value, ServeFault> {
    let filter = Filter::read(params.required(0, "filter")?)?;
    let Some((from, until)) = filter.range(desk)? else { return Ok(Value::Array(Vec::new())) };
    let limits = desk.limits;
    if until - from >= limits.log_blocks {
        return Err(ServeFault::limit(format!("at most {} blocks can be searched at once", limits.log_blocks)));
    }
    let (mut found, mut again) = (Vec::new(), 0);
    for number in from..=until {
        let Some(seen) = desk.chain.block(number)? else { break };
        if seen.transactions == 0 {
            continue;
        }
        if !desk.is_known(number) {
            again += u64::from(seen.transactions);
        }
        if again > limits.log_transactions {
            let words = format!("too many transactions to look through: ask for blocks {from} to {}", number - 1);
            return Err(ServeFault::limit(words));
        }
        for run in desk.runs(number)?.iter() {
            let fitting = (0..run.logs.len()).filter(|at| run.logs.get(*at).is_some_and(|log| filter.fits(log)));
            found.extend(fitting.map(|at| answers::log(run, at, &seen)));
        }
        if found.len() > limits.logs {
            return Err(ServeFault::limit(format!("query returned more than {} results", limits.logs)));
        }
    }
    Ok(Value::Array(found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_primitives::Bytes;
    use serde_json::json;

    #[test]
    fn topics_fit_by_place() {
        let [a, b, c] = [1, 2, 3].map(B256::repeat_byte);
        let log = Log::new(Address::repeat_byte(9), vec![a, b], Bytes::new()).expect("a log");
        let table = [
            (json!([]), true),
            (json!([a]), true),
            (json!([null, b]), true),
            (json!([[c, a], [b]]), true),
            (json!([[], b]), true),
            (json!([[null, c], b]), true),
            (json!([b]), false),
            (json!([a, c]), false),
            (json!([a, b, null]), false),
        ];
        for (topics, want) in table {
            let filter = Filter::read(&json!({ "topics": topics })).expect("a filter");
            assert_eq!(filter.fits(&log), want, "{topics}");
        }
        let at = |address: Address| Filter::read(&json!({ "address": [address] })).expect("a filter").fits(&log);
        assert!(at(Address::repeat_byte(9)) && !at(Address::repeat_byte(8)));
    }

    #[test]
    fn odd_filters_are_refused() {
        let hash = B256::ZERO;
        for odd in [
            json!(null),
            json!({ "topics": {} }),
            json!({ "topics": [1] }),
            json!({ "topics": [hash, hash, hash, hash, hash] }),
            json!({ "address": "0x1" }),
            json!({ "blockHash": hash, "fromBlock": "0x1" }),
            json!({ "colour": 1 }),
        ] {
            assert_eq!(Filter::read(&odd).map_err(|f| f.code), Err(-32602), "{odd}");
        }
    }
}
