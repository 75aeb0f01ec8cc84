//! What a dream asks of a language model: one row for each question, the request that is made of it, and how its reply
//! is read. A reply is evidence: it is read field by field, and nothing in it can act.
//!
//! The prompts are files in `prompts/`, for people to read and review.

mod read;
mod tools;

pub use read::{
    CounterfactualSaid, CreativeSaid, GuardSaid, ObserverSaid, ReplaySaid, ReturnSaid, TriageSaid, read_counterfactual,
    read_creative, read_observer, read_onset, read_replay, read_return, read_threats,
};
pub use tools::{DREAM_TOOLS, may_call};

use crate::imagine::creative::temperature;
use golem_core::Usdc;
use golem_core::model::{ModelMessage, ModelPurpose, ModelRequest, ModelTier};
use golem_core::words::one_line;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// The most lines that are shown, and the most characters of each.
const MOST_LINES: usize = 40;
const LINE: usize = 300;

/// The questions of a dream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DreamQuestion {
    Replay,
    Counterfactual,
    Creative,
    Threats,
    Onset,
    Observer,
    Return,
}

/// How warm a question is asked.
enum Warmth {
    /// The owner's wish, within what analysis bears.
    Cool,
    /// The owner's wish, within what creation needs.
    Warm,
    Fixed(f32),
    /// As deep as the edge of sleep is.
    Hori,
}

struct QuestionRow {
    /// Name and version. Another text is another version: replies are recorded under it.
    name: &'static str,
    text: &'static str,
    /// The large model, where it may be asked.
    large: bool,
    warmth: Warmth,
    most_tokens: u32,
    tools: bool,
    schema: &'static str,
}

const ROWS: [QuestionRow; 7] = [
    QuestionRow {
        name: "dream-replay@1",
        text: include_str!("../../prompts/replay.md"),
        large: false,
        warmth: Warmth::Cool,
        most_tokens: 700,
        tools: true,
        schema: r#"{"type":"object","additionalProperties":false,"required":["patterns","triage"],"properties":{"patterns":{"type":"array","maxItems":5,"items":{"type":"string","maxLength":240}},"triage":{"type":"array","maxItems":20,"items":{"type":"object","required":["episode","verdict"],"properties":{"episode":{"type":"integer","minimum":1},"verdict":{"enum":["preserve","abstract","forget"]}}}}}}"#,
    },
    QuestionRow {
        name: "dream-counterfactual@1",
        text: include_str!("../../prompts/counterfactual.md"),
        large: true,
        warmth: Warmth::Cool,
        most_tokens: 700,
        tools: true,
        schema: r#"{"type":"object","additionalProperties":false,"required":["lessons"],"properties":{"lessons":{"type":"array","maxItems":4,"items":{"type":"object","required":["episode","lesson"],"properties":{"episode":{"type":"integer","minimum":1},"lesson":{"type":"string","maxLength":240},"when":{"type":"string","maxLength":200},"then":{"type":"string","maxLength":200}}}}}}"#,
    },
    QuestionRow {
        name: "dream-creative@1",
        text: include_str!("../../prompts/creative.md"),
        large: true,
        warmth: Warmth::Warm,
        most_tokens: 900,
        tools: true,
        schema: r#"{"type":"object","additionalProperties":false,"required":["ideas"],"properties":{"ideas":{"type":"array","maxItems":3,"items":{"type":"object","required":["text","when","then","after_ticks"],"properties":{"text":{"type":"string","maxLength":240},"when":{"type":"string","maxLength":200},"then":{"type":"string","maxLength":200},"after_ticks":{"type":"integer","minimum":15,"maximum":90},"fails_when":{"type":"string","maxLength":240}}}}}}"#,
    },
    QuestionRow {
        name: "dream-threats@1",
        text: include_str!("../../prompts/threats.md"),
        large: false,
        warmth: Warmth::Cool,
        most_tokens: 600,
        tools: true,
        schema: r#"{"type":"object","additionalProperties":false,"required":["guards"],"properties":{"guards":{"type":"array","maxItems":3,"items":{"type":"object","required":["threat","when","text"],"properties":{"threat":{"type":"string","maxLength":40},"when":{"type":"string","maxLength":200},"text":{"type":"string","maxLength":240}}}}}}"#,
    },
    QuestionRow {
        name: "dream-onset@1",
        text: include_str!("../../prompts/onset.md"),
        large: false,
        warmth: Warmth::Hori,
        most_tokens: 80,
        tools: false,
        schema: "",
    },
    QuestionRow {
        name: "dream-observer@1",
        text: include_str!("../../prompts/observer.md"),
        large: false,
        warmth: Warmth::Fixed(0.4),
        most_tokens: 60,
        tools: false,
        schema: r#"{"type":"object","additionalProperties":false,"required":["novelty","keep"],"properties":{"novelty":{"type":"number","minimum":0,"maximum":1},"keep":{"type":"boolean"}}}"#,
    },
    QuestionRow {
        name: "dream-return@1",
        text: include_str!("../../prompts/return.md"),
        large: false,
        warmth: Warmth::Fixed(0.5),
        most_tokens: 300,
        tools: false,
        schema: r#"{"type":"object","additionalProperties":false,"required":["verdicts","line"],"properties":{"verdicts":{"type":"array","maxItems":16,"items":{"type":"object","required":["thought","verdict"],"properties":{"thought":{"type":"integer","minimum":0},"verdict":{"enum":["PROMOTE","STAGE","DISCARD"]}}}},"line":{"type":"string","maxLength":200}}}"#,
    },
];

/// What a question may cost, and how it is asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AskTerms {
    /// The largest model that may be asked.
    pub tier: ModelTier,
    /// True for episodes whose replay needs the large model.
    pub flagged: bool,
    /// The owner's temperature.
    pub temperature: f64,
    /// How deep the edge of sleep is, as a temperature.
    pub depth: f64,
    pub max_cost: Usdc,
    pub timeout_ms: u32,
}

impl DreamQuestion {
    pub const ALL: [Self; 7] =
        [Self::Replay, Self::Counterfactual, Self::Creative, Self::Threats, Self::Onset, Self::Observer, Self::Return];

    fn row(self) -> &'static QuestionRow {
        &ROWS[self as usize]
    }
    /// The name and version of its prompt.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The most tokens that its answer may have.
    #[must_use]
    pub fn most_tokens(self) -> u32 {
        self.row().most_tokens
    }
    /// Whether it offers tools.
    #[must_use]
    pub fn has_tools(self) -> bool {
        self.row().tools
    }

    /// The request, with what is to be shown, a line each.
    #[must_use]
    pub fn request(self, shown: &[String], terms: &AskTerms) -> ModelRequest {
        let row = self.row();
        let is_large = row.large || (self == Self::Replay && terms.flagged);
        let warm = match row.warmth {
            Warmth::Cool => temperature(false, terms.temperature),
            Warmth::Warm => temperature(true, terms.temperature),
            Warmth::Fixed(at) => at,
            Warmth::Hori => {
                if terms.depth.is_nan() {
                    1.0
                } else {
                    terms.depth.clamp(0.8, 1.5) as f32
                }
            }
        };
        let mut text = String::new();
        for line in shown.iter().map(|line| one_line(line, LINE)).filter(|line| !line.is_empty()).take(MOST_LINES) {
            let _written = writeln!(text, "- {line}");
        }
        ModelRequest {
            purpose: ModelPurpose::Dream,
            tier: if is_large { terms.tier } else { ModelTier::T1 },
            prompt: row.name.to_owned(),
            system: row.text.to_owned(),
            messages: vec![ModelMessage::Golem { text }],
            tools: if row.tools { tools::specs() } else { Vec::new() },
            schema: row.schema.to_owned(),
            temperature: warm,
            max_output_tokens: row.most_tokens,
            max_cost: terms.max_cost,
            timeout_ms: terms.timeout_ms,
            web: false,
        }
    }
}

#[cfg(test)]
mod tests;
