//! What an answer must be: one of the tools that were offered, called as it is described, or words that fit the schema.

use crate::adapter::{Heard, REPLY};
use crate::schema::{Schema, strict};
use golem_core::model::{ModelMessage, ModelRequest, ToolCall};
use serde_json::Value;
use std::collections::BTreeMap;

/// What a request asks for, ready to judge an answer.
pub(crate) struct Fit {
    schema: Option<Schema>,
    tools: BTreeMap<String, Schema>,
}

/// An answer that fits.
pub(crate) struct FittingAnswer {
    pub text: String,
    pub calls: Vec<ToolCall>,
}

/// The most of a model's words that it is shown again.
const SHOWN: usize = 2_000;

impl Fit {
    /// Compile what a request asks for. An error is a bug of whoever wrote the request.
    pub(crate) fn new(request: &ModelRequest) -> Result<Self, String> {
        let schema = (!request.schema.is_empty()).then(|| Schema::new(&request.schema)).transpose()?;
        let mut tools = BTreeMap::new();
        for tool in &request.tools {
            let parameters = Schema::new(&tool.parameters).map_err(|why| format!("tool {}: {why}", tool.name))?;
            if tool.name == REPLY || tools.insert(tool.name.clone(), parameters).is_some() {
                return Err(format!("tool {}: the name is taken", tool.name));
            }
        }
        Ok(Self { schema, tools })
    }

    pub(crate) fn schema(&self) -> Option<&Value> {
        self.schema.as_ref().map(Schema::value)
    }

    /// Judge an answer; the error is what the model is told.
    pub(crate) fn judge(&self, heard: &Heard) -> Result<FittingAnswer, String> {
        let (replies, calls): (Vec<_>, Vec<_>) = heard.calls.iter().partition(|c| c.name == REPLY);
        if !calls.is_empty() {
            if !replies.is_empty() {
                return Err("call a tool or reply, not both".into());
            }
            calls.iter().try_for_each(|c| self.judge_call(c))?;
            return Ok(FittingAnswer { text: heard.text.clone(), calls: calls.into_iter().cloned().collect() });
        }
        let words = match replies[..] {
            [] => heard.text.as_str(),
            [one] if self.schema.is_some() => one.arguments.as_str(),
            _ => return Err("reply once".into()),
        };
        match &self.schema {
            Some(schema) => schema.read(words).map(|(_, text)| FittingAnswer { text, calls: Vec::new() }),
            None if words.trim().is_empty() => Err("the reply is empty".into()),
            None => Ok(FittingAnswer { text: words.to_owned(), calls: Vec::new() }),
        }
    }

    fn judge_call(&self, call: &ToolCall) -> Result<(), String> {
        let Some(parameters) = self.tools.get(&call.name) else {
            let known: Vec<&str> = self.tools.keys().map(String::as_str).collect();
            return Err(format!("there is no such tool; the tools are {}", known.join(", ")));
        };
        let value = strict(&call.arguments).map_err(|why| format!("arguments of {}: {why}", call.name))?;
        parameters.check(&value).map_err(|why| format!("arguments of {}: {why}", call.name))
    }
}

/// The same request once more, with what was wrong. The model's words are shown to it again, cut.
pub(crate) fn repaired(request: &ModelRequest, heard: &Heard, complaint: &str) -> ModelRequest {
    let mut said = heard.text.clone();
    for call in &heard.calls {
        said.push_str(&format!("{}({})", call.name, call.arguments));
    }
    let said: String = if said.trim().is_empty() { "(nothing)".into() } else { said.chars().take(SHOWN).collect() };
    let told = format!("That reply cannot be used: {complaint}. Reply again, with only what was asked for.");
    let mut again = request.clone();
    again.messages.push(ModelMessage::Model { text: said, calls: Vec::new() });
    again.messages.push(ModelMessage::Golem { text: told });
    again
}
