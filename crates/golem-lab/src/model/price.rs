//! What the stand-in costs: the tokens of the whole request and of the answer, at the price of a model of its size.

use golem_core::Usdc;
use golem_core::model::{ModelMessage, ModelRequest, ModelTier};
use golem_grimoire::retrieval::tokens;

/// Micro-USDC for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenPrice {
    pub input: u64,
    pub output: u64,
}

/// Tokens of a request, and what they cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenCharge {
    pub input: u64,
    pub output: u64,
    pub cost: Usdc,
}

impl TokenPrice {
    /// A small model costs what the hint of `inference.providers` names (0.15 and 0.60 USDC), a large one about sixteen
    /// times as much.
    #[must_use]
    pub fn of(tier: ModelTier) -> Self {
        match tier {
            ModelTier::T1 => Self { input: 150_000, output: 600_000 },
            ModelTier::T2 => Self { input: 2_500_000, output: 10_000_000 },
        }
    }

    /// What a request and its answer cost: four characters a token, rounded up once for the whole.
    #[must_use]
    pub fn charge(self, request: &ModelRequest, answer: &str) -> TokenCharge {
        let said = |message: &ModelMessage| match message {
            ModelMessage::Golem { text } | ModelMessage::Tool { text, .. } => tokens(text),
            ModelMessage::Model { text, calls } => {
                tokens(text) + calls.iter().map(|c| tokens(&c.arguments)).sum::<u32>()
            }
        };
        let tools = request.tools.iter().map(|tool| tokens(&tool.about) + tokens(&tool.parameters));
        let around = tokens(&request.system) + tokens(&request.schema);
        let input = u64::from(around) + request.messages.iter().map(said).chain(tools).map(u64::from).sum::<u64>();
        let output = u64::from(tokens(answer));
        let whole = u128::from(input) * u128::from(self.input) + u128::from(output) * u128::from(self.output);
        TokenCharge { input, output, cost: Usdc(u64::try_from(whole.div_ceil(1_000_000)).unwrap_or(u64::MAX)) }
    }
}
