//! What tokens cost, in whole micro-USDC, and how many there were when the provider does not say so in a way that can be
//! believed. Estimates are made upwards: a golem may think itself poorer than it is, never richer.

use golem_core::Usdc;
use golem_core::money::as_text;
use serde::{Deserialize, Serialize};

/// A model's price. Money per million tokens, so that the smallest prices stay whole numbers of micro-USDC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelPrice {
    /// For a million tokens that go in.
    #[serde(with = "as_text")]
    pub input_usdc_per_mtok: Usdc,
    /// For a million tokens that come out.
    #[serde(with = "as_text")]
    pub output_usdc_per_mtok: Usdc,
    /// For a million tokens that go in and were read from the provider's cache; the full price where it is not said.
    #[serde(default, with = "maybe_text", skip_serializing_if = "Option::is_none")]
    pub cached_usdc_per_mtok: Option<Usdc>,
    /// For a million tokens that go in and were written to its cache; the full price where it is not said.
    #[serde(default, with = "maybe_text", skip_serializing_if = "Option::is_none")]
    pub cache_write_usdc_per_mtok: Option<Usdc>,
}

/// Money as text, where there is any.
mod maybe_text {
    use golem_core::Usdc;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(amount: &Option<Usdc>, s: S) -> Result<S::Ok, S::Error> {
        match amount {
            Some(amount) => s.collect_str(amount),
            None => s.serialize_none(),
        }
    }
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Usdc>, D::Error> {
        String::deserialize(d)?.parse().map(Some).map_err(serde::de::Error::custom)
    }
}

impl ModelPrice {
    /// What so many tokens cost without any cache, rounded up once for the whole.
    #[must_use]
    pub fn cost(&self, input: u64, output: u64) -> Usdc {
        self.charge(&Counted { input, output, ..Counted::default() })
    }

    /// What was counted costs, each part at its own price, rounded up once for the whole.
    #[must_use]
    pub fn charge(&self, counted: &Counted) -> Usdc {
        let full = self.input_usdc_per_mtok;
        // Whoever writes to a cache sells it for more than whoever does not.
        let write = self.cache_write_usdc_per_mtok.unwrap_or(full).max(full);
        let cached = counted.cached.min(counted.input);
        let written = counted.written.min(counted.input - cached);
        let part = |tokens: u64, price: Usdc| u128::from(tokens) * u128::from(price.0);
        let whole = [
            part(counted.input - cached - written, full),
            part(cached, self.cached_usdc_per_mtok.unwrap_or(full)),
            part(written, write),
            part(counted.output, self.output_usdc_per_mtok),
        ];
        let whole = whole.into_iter().fold(0u128, u128::saturating_add);
        Usdc(u64::try_from(whole.div_ceil(1_000_000)).unwrap_or(u64::MAX))
    }
}

/// Tokens that a request of so many bytes is taken to have. The bytes are those of the whole body, with schema, tools and
/// quotes, of which ordinary text has about four to a token.
#[must_use]
pub fn estimated_input(body_bytes: usize) -> u64 {
    (body_bytes as u64).div_ceil(3)
}

/// What a provider says was used, as far as it is a whole number that is not negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Tokens that went in, with those of the cache.
    pub input: Option<u64>,
    /// Those of them that were read from its cache.
    pub cached: Option<u64>,
    /// Those of them that were written to its cache.
    pub written: Option<u64>,
    /// Tokens that came out.
    pub output: Option<u64>,
}

/// What is charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counted {
    /// Tokens that went in.
    pub input: u64,
    /// Those of them that were read from the provider's cache.
    pub cached: u64,
    /// Those of them that were written to it.
    pub written: u64,
    /// Tokens that came out.
    pub output: u64,
    /// True when at least one of them is an estimate.
    pub estimated: bool,
}

/// Providers put words of their own around a request: templates, tool instructions. No more than this is believed.
const WORDS_OF_THEIR_OWN: u64 = 8_192;

/// The worst that a request can cost: everything that goes in, by the estimate, and all that may come out.
#[must_use]
pub fn worst_case(body_bytes: usize, cap: u32) -> Counted {
    let input = estimated_input(body_bytes);
    // Writing to a cache is the dearest that can be done with them.
    Counted { input, cached: 0, written: input, output: u64::from(cap), estimated: true }
}

/// Whether an answer has more bytes than so many tokens can have: the cap on the output was not kept. A token is rarely
/// longer than 32 bytes.
#[must_use]
pub fn is_too_long(answer_bytes: usize, cap: u32) -> bool {
    answer_bytes as u64 > u64::from(cap).saturating_mul(32).saturating_add(64)
}

/// Believe a provider's count where it can be true, and take the worst case where it cannot: no token goes in for a
/// request that has bytes, none has less than a byte, and none comes out beyond what was allowed and what was seen.
#[must_use]
pub fn count(usage: Usage, body_bytes: usize, answer_bytes: usize, cap: u32) -> Counted {
    let mut worst = worst_case(body_bytes, cap);
    if is_too_long(answer_bytes, cap) {
        worst.output = estimated_input(answer_bytes);
    }
    let most_in = (body_bytes as u64).saturating_add(WORDS_OF_THEIR_OWN);
    let most_out = u64::from(cap).max(answer_bytes as u64);
    let least_out = u64::from(answer_bytes > 0);
    let input = usage.input.filter(|n| (1..=most_in).contains(n));
    let output = usage.output.filter(|n| (least_out..=most_out).contains(n));
    let (cached, written) = match input {
        None => (0, worst.written),
        // A share that is more than the whole is not believed: then all of it has its full price.
        Some(all) => {
            let (cached, written) = (usage.cached.unwrap_or(0), usage.written.unwrap_or(0));
            if cached.checked_add(written).is_some_and(|sum| sum <= all) { (cached, written) } else { (0, 0) }
        }
    };
    Counted {
        input: input.unwrap_or(worst.input),
        cached,
        written,
        output: output.unwrap_or(worst.output),
        estimated: input.is_none() || output.is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn price(input: u64, output: u64) -> ModelPrice {
        ModelPrice { input_usdc_per_mtok: Usdc(input), output_usdc_per_mtok: Usdc(output), ..ModelPrice::default() }
    }

    #[test]
    fn money_is_rounded_up_once() {
        for (p, input, output, micro) in [
            (price(150_000, 600_000), 1_000_000, 1_000_000, 750_000),
            (price(150_000, 600_000), 1, 0, 1),
            (price(150_000, 600_000), 3, 1, 2),
            (price(0, 0), u64::MAX, u64::MAX, 0),
            (price(u64::MAX, 1), u64::MAX, 1, u64::MAX),
            (price(1, 0), 1, 0, 1),
        ] {
            assert_eq!(p.cost(input, output), Usdc(micro), "{p:?} {input} {output}");
        }
    }

    #[test]
    fn a_count_is_believed_only_where_it_can_be_true() {
        let says = |input, output| count(Usage { input, output, ..Usage::default() }, 300, 40, 50);
        let plain = |of: Counted| (of.input, of.output, of.estimated);
        let says = |input, output| plain(says(input, output));
        let whole = |input, output, estimated| (input, output, estimated);
        assert_eq!(says(Some(80), Some(12)), whole(80, 12, false));
        assert_eq!(says(None, Some(12)), whole(100, 12, true));
        assert_eq!(says(Some(80), None), whole(80, 50, true));
        assert_eq!(says(Some(0), Some(0)), whole(100, 50, true));
        assert_eq!(says(Some(300 + 8_192), Some(50)), whole(300 + 8_192, 50, false));
        assert_eq!(says(Some(300 + 8_193), Some(51)), whole(100, 50, true));
        assert_eq!(plain(count(Usage::default(), 300, 50 * 32 + 65, 50)), whole(100, 555, true));
        let told = Usage { input: Some(9), output: Some(60), ..Usage::default() };
        assert_eq!(plain(count(told, 300, 60, 50)), whole(9, 60, false));
    }

    #[test]
    fn what_was_cached_has_its_own_price_where_one_is_set() {
        let full = price(1_000_000, 0);
        let cheap = ModelPrice { cached_usdc_per_mtok: Some(Usdc(100_000)), ..full };
        let both = ModelPrice { cache_write_usdc_per_mtok: Some(Usdc(1_250_000)), ..cheap };
        let told = |cached, written| Usage { input: Some(250), cached, written, output: Some(0) };
        let costs = |cached, written| {
            let counted = count(told(cached, written), 300, 0, 50);
            [full, cheap, both].map(|p| p.charge(&counted).0)
        };
        assert_eq!(costs(None, None), [250, 250, 250]);
        assert_eq!(costs(Some(200), None), [250, 70, 70]);
        assert_eq!(costs(Some(100), Some(100)), [250, 160, 185]);
        assert_eq!(costs(Some(200), Some(51)), [250, 250, 250], "more than the whole is not believed");
        assert_eq!(costs(Some(u64::MAX), Some(1)), [250, 250, 250]);
        // What may be charged at most is at the dearest of them.
        assert_eq!(both.charge(&worst_case(300, 0)), Usdc(125));
        assert_eq!(full.charge(&worst_case(300, 0)), Usdc(100));
    }

    proptest! {
        #[test]
        fn whatever_a_provider_says_the_charge_is_bounded(
            input in proptest::option::of(any::<u64>()), output in proptest::option::of(any::<u64>()),
            body in 1usize..100_000, answer in 0usize..100_000, cap in 1u32..8_192,
        ) {
            let got = count(Usage { input, output, ..Usage::default() }, body, answer, cap);
            prop_assert!(got.input >= 1 && got.input <= body as u64 + 8_192);
            prop_assert!(got.output <= u64::from(cap).max(answer as u64));
            prop_assert!(got.output >= u64::from(answer > 0));
            prop_assert_eq!(got.estimated, Some(got.input) != input || Some(got.output) != output);
            let p = price(150_000, 600_000);
            let exact = (u128::from(got.input) * 150_000 + u128::from(got.output) * 600_000) as f64 / 1e6;
            let charged = p.cost(got.input, got.output).0 as f64;
            prop_assert!(charged >= exact - 1e-6 && charged < exact + 1.0);
        }
    }
}
