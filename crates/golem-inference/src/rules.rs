//! Plain rules for the schemas that this house writes itself: the keywords of JSON Schema (2020-12) that they use. A schema
//! that says anything else is refused when it is read, so that no rule is passed over in silence.

use serde_json::{Map, Number, Value};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

/// The most steps from the top of a schema to its deepest rule. A value is looked into no deeper than its schema goes.
const DEEPEST: usize = 64;

/// What a value must keep: every rule of the list.
pub(crate) struct Rules(Vec<SchemaRule>);

enum SchemaRule {
    Never,
    Kinds(Vec<&'static str>),
    Among(Vec<Value>),
    AnyOf(Vec<Rules>),
    Required(Vec<String>),
    Properties(BTreeMap<String, Rules>),
    /// For properties beside the named ones.
    Others(Vec<String>, Rules),
    Items(Rules),
    Bound(&'static Bound, Number),
}

const KINDS: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];
const REMARKS: [&str; 3] = ["title", "description", "default"];

/// A keyword, what it bounds, how that must stand to the limit, and what is said when it does not.
struct Bound(&'static str, BoundMeasure, fn(Ordering) -> bool, &'static str);

#[derive(PartialEq)]
enum BoundMeasure {
    Number,
    Items,
    Characters,
}

const BOUNDS: [Bound; 8] = [
    Bound("minimum", BoundMeasure::Number, Ordering::is_ge, "value is less than"),
    Bound("maximum", BoundMeasure::Number, Ordering::is_le, "value is greater than"),
    Bound("exclusiveMinimum", BoundMeasure::Number, Ordering::is_gt, "value is not greater than"),
    Bound("exclusiveMaximum", BoundMeasure::Number, Ordering::is_lt, "value is not less than"),
    Bound("minItems", BoundMeasure::Items, Ordering::is_ge, "value has fewer items than"),
    Bound("maxItems", BoundMeasure::Items, Ordering::is_le, "value has more items than"),
    Bound("minLength", BoundMeasure::Characters, Ordering::is_ge, "value has fewer characters than"),
    Bound("maxLength", BoundMeasure::Characters, Ordering::is_le, "value has more characters than"),
];

impl Rules {
    /// Read a schema.
    ///
    /// # Errors
    /// The first thing that is not understood, by its place in the schema.
    pub(crate) fn read(schema: &Value) -> Result<Self, String> {
        Self::read_at(schema, &JsonPlace::Top)
    }

    fn read_at(schema: &Value, place: &JsonPlace<'_>) -> Result<Self, String> {
        if place.depth() > DEEPEST {
            return Err(place.say("too deep"));
        }
        let schema = match schema {
            Value::Bool(true) => return Ok(Self(Vec::new())),
            Value::Bool(false) => return Ok(Self(vec![SchemaRule::Never])),
            Value::Object(map) => map,
            _ => return Err(place.say("a schema is an object, true or false")),
        };
        let rules = schema.iter().filter(|(keyword, _)| !REMARKS.contains(&keyword.as_str()));
        rules.map(|(keyword, said)| SchemaRule::read(keyword, said, schema, place)).collect::<Result<_, _>>().map(Self)
    }

    /// What does not fit, by place and rule; the first few.
    pub(crate) fn judge(&self, value: &Value, most: usize) -> Vec<String> {
        let mut faults = Faults { found: Vec::new(), most };
        self.judge_at(value, &JsonPlace::Top, &mut faults);
        faults.found
    }

    fn judge_at(&self, value: &Value, place: &JsonPlace<'_>, faults: &mut Faults) {
        self.0.iter().for_each(|rule| rule.judge(value, place, faults));
    }

    fn is_never(&self) -> bool {
        matches!(self.0[..], [SchemaRule::Never])
    }
}

impl SchemaRule {
    fn read(keyword: &str, said: &Value, schema: &Map<String, Value>, above: &JsonPlace<'_>) -> Result<Self, String> {
        let place = &JsonPlace::Name(above, keyword);
        let must = |be: &str| place.say(&format!("must be {be}"));
        let list = || said.as_array().filter(|list| !list.is_empty()).ok_or_else(|| must("a list that is not empty"));
        let rules = || Rules::read_at(said, place);
        Ok(match keyword {
            "type" => {
                let kinds = if said.is_string() { std::slice::from_ref(said) } else { list()? };
                let kind = |k: &Value| KINDS.into_iter().find(|known| k == known).ok_or_else(|| must("known types"));
                Self::Kinds(kinds.iter().map(kind).collect::<Result<_, _>>()?)
            }
            "const" => Self::Among(vec![said.clone()]),
            "enum" => Self::Among(list()?.clone()),
            "anyOf" => {
                let ways = list()?.iter().enumerate();
                Self::AnyOf(ways.map(|(i, s)| Rules::read_at(s, &JsonPlace::Item(place, i))).collect::<Result<_, _>>()?)
            }
            "required" => {
                let names = said.as_array().ok_or_else(|| must("a list"))?.iter().map(Value::as_str);
                let names: Option<Vec<_>> = names.map(|n| n.map(str::to_owned)).collect();
                Self::Required(names.ok_or_else(|| must("names"))?)
            }
            "properties" => {
                let named = said.as_object().ok_or_else(|| must("an object"))?.iter();
                let read = |(n, s): (&String, _)| Ok((n.clone(), Rules::read_at(s, &JsonPlace::Name(place, n))?));
                Self::Properties(named.map(read).collect::<Result<_, String>>()?)
            }
            "additionalProperties" => {
                let named = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
                Self::Others(named.map(|(name, _)| name.clone()).collect(), rules()?)
            }
            "items" => Self::Items(rules()?),
            _ => {
                let bound = BOUNDS.iter().find(|b| b.0 == keyword).ok_or_else(|| place.say("unknown keyword"))?;
                let limit = said.as_number().filter(|n| bound.1 == BoundMeasure::Number || n.is_u64());
                Self::Bound(bound, limit.ok_or_else(|| must("a number that can bound it"))?.clone())
            }
        })
    }

    fn judge(&self, value: &Value, place: &JsonPlace<'_>, faults: &mut Faults) {
        if faults.found.len() >= faults.most {
            return;
        }
        let mut say = |words: &str| faults.found.push(place.say(words));
        match (self, value) {
            (Self::Never, _) => say("nothing may stand here"),
            (Self::Kinds(kinds), _) if !kinds.iter().any(|kind| is(kind, value)) => {
                say(&format!("value is not of type {}", listed(kinds)));
            }
            (Self::Among(known), _) if !known.iter().any(|k| same(k, value)) => {
                say(&format!("value is not one of {}", listed(known)));
            }
            (Self::AnyOf(ways), _) if !ways.iter().any(|rules| rules.judge(value, 1).is_empty()) => {
                say("value is none of what it may be");
            }
            (Self::Required(names), Value::Object(object)) => {
                let missing: Vec<&String> = names.iter().filter(|name| !object.contains_key(*name)).collect();
                if !missing.is_empty() {
                    say(&format!("missing: {}", listed(&missing)));
                }
            }
            (Self::Properties(named), Value::Object(object)) => {
                for (name, rules) in named {
                    if let Some(inner) = object.get(name) {
                        rules.judge_at(inner, &JsonPlace::Name(place, name), faults);
                    }
                }
            }
            (Self::Others(named, rules), Value::Object(object)) => {
                let mut others = object.iter().filter(|(name, _)| !named.contains(name));
                if !rules.is_never() {
                    others.for_each(|(name, inner)| rules.judge_at(inner, &JsonPlace::Name(place, name), faults));
                } else if others.next().is_some() {
                    say(&format!("only these may stand here: [{}]", listed(named)));
                }
            }
            (Self::Items(rules), Value::Array(items)) => {
                let items = items.iter().enumerate();
                items.for_each(|(i, item)| rules.judge_at(item, &JsonPlace::Item(place, i), faults));
            }
            (Self::Bound(bound, limit), _) if bound.is_broken(value, limit) => {
                say(&format!("{} {limit}", bound.3));
            }
            _ => {}
        }
    }
}

impl Bound {
    /// Whether a value can have what is bounded, and has too much or too little of it.
    fn is_broken(&self, value: &Value, limit: &Number) -> bool {
        let size = match (&self.1, value) {
            (BoundMeasure::Number, Value::Number(number)) => number.clone(),
            (BoundMeasure::Items, Value::Array(items)) => items.len().into(),
            (BoundMeasure::Characters, Value::String(text)) => text.chars().count().into(),
            _ => return false,
        };
        !(self.2)(compare(&size, limit))
    }
}

fn is(kind: &str, value: &Value) -> bool {
    match value {
        Value::Null => kind == "null",
        Value::Bool(_) => kind == "boolean",
        Value::Number(n) => kind == "number" || (kind == "integer" && n.as_f64().is_some_and(|x| x.fract() == 0.0)),
        Value::String(_) => kind == "string",
        Value::Array(_) => kind == "array",
        Value::Object(_) => kind == "object",
    }
}

/// Equal as JSON: 1 is 1.0, and the order of names means nothing.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => compare(a, b).is_eq(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

/// By value, exactly, whether whole or not: no whole number is rounded that could then change sides.
fn compare(a: &Number, b: &Number) -> Ordering {
    let float = |n: &Number| n.as_f64().unwrap_or(f64::NAN);
    let whole =
        |n: &Number| n.as_i128().or(Some(float(n)).filter(|x| x.fract() == 0.0 && x.abs() < 1e38).map(|x| x as i128));
    match (whole(a), whole(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => float(a).total_cmp(&float(b)),
    }
}

fn listed<T: serde::Serialize>(words: &[T]) -> String {
    let words: Vec<String> = words.iter().map(|w| golem_core::plain::json(w)).collect();
    words.join(", ")
}

struct Faults {
    found: Vec<String>,
    most: usize,
}

/// The way to a part of a value: a JSON pointer.
enum JsonPlace<'a> {
    Top,
    Name(&'a JsonPlace<'a>, &'a str),
    Item(&'a JsonPlace<'a>, usize),
}

impl JsonPlace<'_> {
    fn depth(&self) -> usize {
        match self {
            Self::Top => 0,
            Self::Name(above, _) | Self::Item(above, _) => above.depth() + 1,
        }
    }

    fn say(&self, words: &str) -> String {
        if matches!(self, Self::Top) { format!("the object: {words}") } else { format!("{self}: {words}") }
    }
}

impl fmt::Display for JsonPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Top => Ok(()),
            Self::Name(above, name) => write!(f, "{above}/{}", name.replace('~', "~0").replace('/', "~1")),
            Self::Item(above, at) => write!(f, "{above}/{at}"),
        }
    }
}
