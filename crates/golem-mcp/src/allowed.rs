//! What the owner lets others order. Nothing, unless it was said when the server was started: whoever calls cannot change it.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// An order, as it is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OrderWord {
    Pause,
    Resume,
    Halt,
    Feed,
    Kill,
    Tell,
    Dream,
    Wake,
    Approve,
    Reject,
}

impl OrderWord {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Pause,
        Self::Resume,
        Self::Halt,
        Self::Feed,
        Self::Kill,
        Self::Tell,
        Self::Dream,
        Self::Wake,
        Self::Approve,
        Self::Reject,
    ];

    /// As it is typed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Halt => "halt",
            Self::Feed => "feed",
            Self::Kill => "kill",
            Self::Tell => "tell",
            Self::Dream => "dream",
            Self::Wake => "wake",
            Self::Approve => "approve",
            Self::Reject => "reject",
        }
    }
}

/// A word that allows nothing that there is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no order {0:?}; there are {all}, or all of them with all", all = names(OrderWord::ALL))]
pub struct UnknownOrder(String);

/// The orders that others may give.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowedOrders(BTreeSet<OrderWord>);

impl AllowedOrders {
    /// Whether one of them is.
    #[must_use]
    pub fn has(&self, order: OrderWord) -> bool {
        self.0.contains(&order)
    }

    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromStr for AllowedOrders {
    type Err = UnknownOrder;

    /// Names with commas between them, or `all`.
    fn from_str(words: &str) -> Result<Self, UnknownOrder> {
        let mut all = Self::default();
        for word in words.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match OrderWord::ALL.into_iter().find(|order| order.name() == word) {
                Some(order) => drop(all.0.insert(order)),
                None if word == "all" => all.0.extend(OrderWord::ALL),
                None => return Err(UnknownOrder(word.to_owned())),
            }
        }
        Ok(all)
    }
}

impl fmt::Display for AllowedOrders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&names(self.0.iter().copied()))
    }
}

fn names(orders: impl IntoIterator<Item = OrderWord>) -> String {
    orders.into_iter().map(OrderWord::name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_allowed_but_what_was_said() {
        let read = |words: &str| words.parse::<AllowedOrders>().unwrap();
        assert!(AllowedOrders::default().is_empty() && read("").is_empty() && read(" , ").is_empty());
        assert_eq!(read("resume, pause,pause").to_string(), "pause, resume");
        assert!(OrderWord::ALL.into_iter().all(|order| read("all").has(order)));
        for order in OrderWord::ALL {
            let one = read(order.name());
            assert!(OrderWord::ALL.into_iter().all(|other| one.has(other) == (other == order)));
        }
        for bad in ["pausee", "ALL", "kill;feed", "*", "pause all"] {
            assert!(bad.parse::<AllowedOrders>().is_err(), "{bad}");
        }
    }
}
