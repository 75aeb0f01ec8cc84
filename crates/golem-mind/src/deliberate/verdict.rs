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

/// The schema that a verdict must fit. What it may say of itself is only asked for where somebody listens: a small model
/// that is offered a field fills it.
#[must_use]
pub fn schema(brief: bool, assess: bool, appraise: bool) -> String {
    let mut properties = STANCE.to_owned();
    for (wanted, part) in [(!brief, MORE), (!brief && assess, ASSESSMENT), (!brief && appraise, APPRAISAL)] {
        if wanted {
            properties.push(',');
            properties.push_str(part);
        }
    }
    format!(
        r#"{{"type":"object","additionalProperties":false,"required":["stance","confidence","reason"],"properties":{{{properties}}}}}"#
    )
}

const STANCE: &str = r#""stance":{"enum":["follow","ease","stand_aside","reduce"]},"risk_percent":{"type":"integer","minimum":0,"maximum":100},"confidence":{"type":"number","minimum":0,"maximum":1},"reason":{"type":"string","maxLength":200}"#;
const MORE: &str = r#""used":{"type":"array","maxItems":8,"items":{"type":"string","maxLength":40}},"answer":{"type":"string","maxLength":200}"#;
const ASSESSMENT: &str = r#""suffering_assessment":{"type":"object","properties":{"new_stressors":{"type":"array","maxItems":2,"items":{"type":"object","required":["type","description","condition"],"properties":{"type":{"type":"string","maxLength":60},"description":{"type":"string","maxLength":200},"condition":{"type":"string","maxLength":200}}}},"resolved":{"type":"array","maxItems":4,"items":{"type":"object","required":["type","reason"],"properties":{"type":{"type":"string","maxLength":60},"reason":{"type":"string","maxLength":200}}}}}}"#;
const APPRAISAL: &str = r#""appraisal":{"type":"object","required":["emotion","intensity","pad"],"properties":{"emotion":{"enum":["joy","trust","fear","surprise","sadness","disgust","anger","anticipation"]},"intensity":{"type":"number","minimum":0,"maximum":1},"pad":{"type":"array","minItems":3,"maxItems":3,"items":{"type":"number","minimum":-1,"maximum":1}}}}"#;

/// What a model came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
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
pub fn read_verdict(text: &str) -> Option<Verdict> {
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
    Some(Verdict {
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
