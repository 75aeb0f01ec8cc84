//! The fact envelope: who, in which order, in which turn, because of what, and what happened.
//!
//! Sequence orders history; timestamps only explain.

use crate::{GolemId, Tick, Timestamp};
use serde::{Deserialize, Serialize};

/// The place of a fact in a golem's history. A gap in a live stream means a loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Seq(pub u64);

/// One fact with its address. `B` is the body: each room has its own type, the turn unites them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Envelope<B> {
    /// Whose fact.
    pub golem: GolemId,
    /// Its place in that golem's history.
    pub seq: Seq,
    /// The turn it belongs to.
    pub tick: Tick,
    /// When, for people.
    pub at: Timestamp,
    /// The fact that led to this one, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Seq>,
    /// What happened.
    #[serde(flatten)]
    pub body: B,
}

/// What every body of facts can say of itself.
pub trait FactBody: Serialize {
    /// The seed's name, such as `mortality.phase_transition`.
    fn name(&self) -> &'static str;
    /// True for facts that recur every turn: they are kept as a downsampled series, not one by one.
    fn is_series(&self) -> bool {
        false
    }
}

/// Whether two words are the same, where a constant is made.
#[doc(hidden)]
#[must_use]
pub const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// A room's enum of facts. The name of each stands once, where it is serialised: `#[serde(rename = "...")]`. What a fact
/// says of itself ([`FactBody::name`]) and the list of all names come from there.
#[macro_export]
macro_rules! facts {
    (
        $(#[doc = $about:literal])*
        #[derive($($derive:path),* $(,)?)]
        #[serde(tag = "type")]
        $vis:vis enum $Facts:ident {
            $(
                $(#[doc = $doc:literal])*
                #[serde(rename = $name:literal)]
                $Variant:ident $body:tt
            ),* $(,)?
        }
    ) => {
        $(#[doc = $about])*
        #[derive($($derive),*)]
        #[serde(tag = "type")]
        $vis enum $Facts {
            $(
                $(#[doc = $doc])*
                #[serde(rename = $name)]
                $Variant $body,
            )*
        }

        impl $Facts {
            /// The names of all of them, as they stand in files.
            pub const NAMES: &'static [&'static str] = &[$($name),*];
            /// What each of them says, in the same order.
            pub const ABOUT: &'static [&'static str] = &[$(concat!($($doc),*)),*];

            /// The name of a variant, for whoever looks for its facts in a file: in a constant, a variant that does not
            /// exist does not compile.
            #[must_use]
            pub const fn named(variant: &str) -> &'static str {
                $(
                    if $crate::fact::is_same(variant, stringify!($Variant)) {
                        return $name;
                    }
                )*
                Self::NAMES[Self::NAMES.len()]
            }

            /// The name of this one.
            fn own_name(&self) -> &'static str {
                match self {
                    $(Self::$Variant { .. } => $name,)*
                }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    facts! {
        /// Facts of a test.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "type")]
        enum Told {
            /// With fields.
            #[serde(rename = "test.fields")]
            Fields {
                /// One.
                one: u8,
            },
            /// With a body of its own.
            #[serde(rename = "test.body")]
            Body(Box<Inner>),
        }
    }

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Inner {
        two: u8,
    }

    #[test]
    fn a_fact_is_called_what_it_is_written_as() {
        let told = [Told::Fields { one: 1 }, Told::Body(Box::new(Inner { two: 2 }))];
        for (fact, name) in told.iter().zip(Told::NAMES) {
            let json = serde_json::to_value(fact).unwrap();
            assert_eq!((json["type"].as_str(), fact.own_name()), (Some(*name), *name));
            assert_eq!(serde_json::from_value::<Told>(json).unwrap(), *fact);
        }
        const NAMED: [&str; 2] = [Told::named("Fields"), Told::named("Body")];
        assert_eq!(NAMED, Told::NAMES);
        assert_eq!(
            Told::ABOUT.iter().map(|about| about.trim()).collect::<Vec<_>>(),
            ["With fields.", "With a body of its own."]
        );
    }
}
