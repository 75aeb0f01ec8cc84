//! What tokens cost, in whole micro-USDC, and how many there were when the provider does not say so in a way that can be
//! believed. Estimates are made upwards: a golem may think itself poorer than it is, never richer.

use golem_core::Usdc;
use golem_core::money::as_text;
use serde::{Deserialize, Serialize};

/// A model's price. Money per million tokens, so that the smallest prices stay whole numbers of micro-USDC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// For a million tokens that go in.
    #[serde(with = "as_text")]
    pub input_usdc_per_mtok: Usdc,
    /// For a million tokens that come out.
    #[serde(with = "as_text")]
    pub output_usdc_per_mtok: Usdc,
}

impl Price {
    /// What so many tokens cost, rounded up once for the whole.
    #[must_use]
    pub fn cost(&self, input: u64, output: u64) -> Usdc {
        let part = |tokens: u64, price: Usdc| u128::from(tokens) * u128::from(price.0);
        let whole = part(input, self.input_usdc_per_mtok).saturating_add(part(output, self.output_usdc_per_mtok));
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
    /// Tokens that went in.
    pub input: Option<u64>,
    /// Tokens that came out.
    pub output: Option<u64>,
}

/// What is charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// Tokens that went in.
    pub input: u64,
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
    Counted { input: estimated_input(body_bytes), output: u64::from(cap), estimated: true }
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
    Counted {
        input: input.unwrap_or(worst.input),
        output: output.unwrap_or(worst.output),
        estimated: input.is_none() || output.is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn price(input: u64, output: u64) -> Price {
        Price { input_usdc_per_mtok: Usdc(input), output_usdc_per_mtok: Usdc(output) }
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
        let says = |input, output| count(Usage { input, output }, 300, 40, 50);
        let whole = |input, output, estimated| Counted { input, output, estimated };
        assert_eq!(says(Some(80), Some(12)), whole(80, 12, false));
        assert_eq!(says(None, Some(12)), whole(100, 12, true));
        assert_eq!(says(Some(80), None), whole(80, 50, true));
        assert_eq!(says(Some(0), Some(0)), whole(100, 50, true));
        assert_eq!(says(Some(300 + 8_192), Some(50)), whole(300 + 8_192, 50, false));
        assert_eq!(says(Some(300 + 8_193), Some(51)), whole(100, 50, true));
        assert_eq!(count(Usage::default(), 300, 50 * 32 + 65, 50), whole(100, 555, true));
        assert_eq!(count(Usage { input: Some(9), output: Some(60) }, 300, 60, 50), whole(9, 60, false));
    }

    proptest! {
        #[test]
        fn whatever_a_provider_says_the_charge_is_bounded(
            input in proptest::option::of(any::<u64>()), output in proptest::option::of(any::<u64>()),
            body in 1usize..100_000, answer in 0usize..100_000, cap in 1u32..8_192,
        ) {
            let got = count(Usage { input, output }, body, answer, cap);
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
