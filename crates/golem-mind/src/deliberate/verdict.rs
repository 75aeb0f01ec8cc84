//! The verdict: what a deliberation ends with when it commits no action. Read field by field; what cannot be read costs that
//! field, and without a stance there is no verdict.

use crate::cache::Stance;
use crate::math::unit;
use golem_core::words::one_line;
use serde_json::Value;

/// The most characters of a reason or an answer.
pub const MOST_WORDS: usize = 200;
/// Ids that a verdict may name.
const MOST_USED: usize = 8;

/// What a verdict is asked for. A small model that is offered a field fills it, so nothing is offered that nobody reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VerdictAsked {
    /// Tokens are short: the stance and nothing else.
    pub brief: bool,
    /// Somebody listens to what it says of its suffering.
    pub assess: bool,
    /// Somebody listens to what it says it feels.
    pub appraise: bool,
}

/// One field of a verdict: what the prompt says of it and what the schema wants stand side by side, and are asked for
/// together or not at all.
struct FieldOfVerdict {
    name: &'static str,
    required: bool,
    asked: fn(VerdictAsked) -> bool,
    about: &'static str,
    schema: &'static str,
}

const FIELDS: [FieldOfVerdict; 8] = [
    FieldOfVerdict {
        name: "stance",
        required: true,
        asked: |_| true,
        about: "\"follow\" lets the golem's own policy act; \"ease\" lets it act with risk_percent of its usual risk; \
                \"stand_aside\" opens nothing; \"reduce\" opens nothing and halves what is held.",
        schema: r#"{"enum":["follow","ease","stand_aside","reduce"]}"#,
    },
    FieldOfVerdict {
        name: "risk_percent",
        required: false,
        asked: |_| true,
        about: "with \"ease\", from 0 to 100.",
        schema: r#"{"type":"integer","minimum":0,"maximum":100}"#,
    },
    FieldOfVerdict {
        name: "confidence",
        required: true,
        asked: |_| true,
        about: "from 0 to 1, how sure you are.",
        schema: r#"{"type":"number","minimum":0,"maximum":1}"#,
    },
    FieldOfVerdict {
        name: "reason",
        required: true,
        asked: |_| true,
        about: "one short sentence.",
        schema: r#"{"type":"string","maxLength":200}"#,
    },
    FieldOfVerdict {
        name: "used",
        required: false,
        asked: |asked| !asked.brief,
        about: "the ids of remembered lines that decided it.",
        schema: r#"{"type":"array","maxItems":8,"items":{"type":"string","maxLength":40}}"#,
    },
    FieldOfVerdict {
        name: "answer",
        required: false,
        asked: |asked| !asked.brief,
        about: "one sentence to the owner, if the owner said something.",
        schema: r#"{"type":"string","maxLength":200}"#,
    },
    FieldOfVerdict {
        name: "suffering_assessment",
        required: false,
        asked: |asked| !asked.brief && asked.assess,
        about: "what weighs on you that is not listed above (new_stressors: type, description, condition), and what is \
                over (resolved: type, reason). What is measured ends by the record, not by words; prefer conditions \
                over the observed fields, such as golem.exposure < 0.2.",
        schema: r#"{"type":"object","properties":{"new_stressors":{"type":"array","maxItems":2,"items":{"type":"object","required":["type","description","condition"],"properties":{"type":{"type":"string","maxLength":60},"description":{"type":"string","maxLength":200},"condition":{"type":"string","maxLength":200}}}},"resolved":{"type":"array","maxItems":4,"items":{"type":"object","required":["type","reason"],"properties":{"type":{"type":"string","maxLength":60},"reason":{"type":"string","maxLength":200}}}}}}"#,
    },
    FieldOfVerdict {
        name: "appraisal",
        required: false,
        asked: |asked| !asked.brief && asked.appraise,
        about: "what you feel about this turn: emotion (joy, trust, fear, surprise, sadness, disgust, anger, \
                anticipation), intensity from 0 to 1, pad as three numbers from -1 to 1 (pleasure, arousal, dominance).",
        schema: r#"{"type":"object","required":["emotion","intensity","pad"],"properties":{"emotion":{"enum":["joy","trust","fear","surprise","sadness","disgust","anger","anticipation"]},"intensity":{"type":"number","minimum":0,"maximum":1},"pad":{"type":"array","minItems":3,"maxItems":3,"items":{"type":"number","minimum":-1,"maximum":1}}}}"#,
    },
];

fn fields(asked: VerdictAsked) -> impl Iterator<Item = &'static FieldOfVerdict> {
    FIELDS.iter().filter(move |field| (field.asked)(asked))
}

/// The schema that a verdict must fit.
#[must_use]
pub fn schema(asked: VerdictAsked) -> String {
    let required: Vec<String> = fields(asked).filter(|f| f.required).map(|f| format!("\"{}\"", f.name)).collect();
    let properties: Vec<String> = fields(asked).map(|f| format!("\"{}\":{}", f.name, f.schema)).collect();
    format!(
        r#"{{"type":"object","additionalProperties":false,"required":[{}],"properties":{{{}}}}}"#,
        required.join(","),
        properties.join(",")
    )
}

/// What the prompt says of the fields, a line each.
pub(super) fn described(asked: VerdictAsked) -> String {
    fields(asked).map(|f| format!("- {}: {}", f.name, f.about)).collect::<Vec<_>>().join("\n")
}

/// What a model came to.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelVerdict {
    /// How to meet the situation.
    pub stance: Stance,
    /// How sure, from 0 to 1.
    pub confidence: f64,
    /// Why, on one line.
    pub reason: String,
    /// What of memory decided it: beginnings of ids, as the model wrote them.
    pub used: Vec<String>,
    /// What the owner is told, if anything.
    pub answer: Option<String>,
    /// What it says of its suffering: unread, for the room that checks it.
    pub assessment: Option<Value>,
    /// What it says it feels: unread, for the room that checks it.
    pub appraisal: Option<Value>,
}

/// Read a verdict; none when there is no stance in it.
#[must_use]
pub fn read_verdict(text: &str) -> Option<ModelVerdict> {
    let said: Value = serde_json::from_str(text).ok()?;
    let field = |key: &str| said.get(key);
    let words =
        |key: &str| field(key).and_then(Value::as_str).map(|t| one_line(t, MOST_WORDS)).filter(|t| !t.is_empty());
    let stance = match field("stance")?.as_str()? {
        "follow" => Stance::Follow,
        // Whoever asks for ease and does not say how much gets half.
        "ease" => Stance::Ease { percent: field("risk_percent").and_then(percent).unwrap_or(50) },
        "stand_aside" => Stance::StandAside,
        "reduce" => Stance::Reduce,
        _ => return None,
    };
    let ids = field("used").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    Some(ModelVerdict {
        stance,
        confidence: field("confidence").and_then(Value::as_f64).map_or(0.0, unit),
        reason: words("reason").unwrap_or_default(),
        used: ids.take(MOST_USED).map(|id| one_line(id, 40)).filter(|id| !id.is_empty()).collect(),
        answer: words("answer"),
        assessment: field("suffering_assessment").cloned(),
        appraisal: field("appraisal").cloned(),
    })
}

fn percent(value: &Value) -> Option<u8> {
    value.as_f64().filter(|p| (0.0..=100.0).contains(p)).map(|p| libm::round(p) as u8)
}
