//! JSON of what is kept by the thousand, made shorter: members that are null are left out, and what is for people has
//! numbers of a few digits. It works on the text, so that the order of members is the one that was written.

/// Without null members, which read back as absent. Everything else stays as it is.
pub(crate) fn without_nulls(json: &str) -> String {
    lean(json, |number| number.to_owned())
}

/// For people: the same, and every number that is not whole has so many digits.
pub(crate) fn for_people(json: &str, digits: usize) -> String {
    lean(json, |number| {
        let whole = number.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        match number.parse::<f64>() {
            Ok(x) if !whole => short(x, digits),
            _ => number.to_owned(),
        }
    })
}

fn short(x: f64, digits: usize) -> String {
    let after = digits.saturating_sub(1);
    let rounded = format!("{x:.after$e}");
    let Some((mantissa, exponent)) = rounded.split_once('e') else { return rounded };
    let mantissa = if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    // Very small and very large ones are shorter with their exponent.
    let (plain, short) = (plainly(mantissa, exponent), format!("{mantissa}e{exponent}"));
    if short.len() < plain.len() { short } else { plain }
}

/// A mantissa of at least one digit with its exponent, written out.
fn plainly(mantissa: &str, exponent: i32) -> String {
    let (sign, unsigned) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits: String = unsigned.chars().filter(|c| *c != '.').collect();
    if digits == "0" {
        return format!("{sign}0");
    }
    match usize::try_from(exponent) {
        Err(_) => format!("{sign}0.{}{digits}", "0".repeat(exponent.unsigned_abs() as usize - 1)),
        Ok(places) if places + 1 >= digits.len() => format!("{sign}{digits}{}", "0".repeat(places + 1 - digits.len())),
        Ok(places) => format!("{sign}{}.{}", &digits[..=places], &digits[places + 1..]),
    }
}

fn lean(json: &str, number: impl Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(json.len());
    // Where the member that is being written began.
    let mut member = None;
    let mut rest = json;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => string_length(rest),
            '-' | '0'..='9' => {
                rest.find(|c| !matches!(c, '-' | '+' | '.' | 'e' | 'E' | '0'..='9')).unwrap_or(rest.len())
            }
            'n' => "null".len(),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length.min(rest.len()));
        rest = after;
        match first {
            '"' if rest.starts_with(':') => {
                member = Some(out.len());
                out.push_str(token);
            }
            'n' if out.ends_with(':') => {
                out.truncate(member.unwrap_or(out.len()));
                // One of the two commas around it goes too.
                match rest.strip_prefix(',') {
                    Some(next) => rest = next,
                    None if out.ends_with(',') => drop(out.pop()),
                    None => {}
                }
            }
            '-' | '0'..='9' => out.push_str(&number(token)),
            _ => out.push_str(token),
        }
    }
    out
}

/// Up to and with the closing quote.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn nulls_go_and_numbers_are_short() {
        let all = json!({ "a": null, "b": [null, 1], "c": { "d": null }, "e": "x\": null, \"y", "f": 0.123_456_789,
                          "g": 12_345_678, "h": 1.5e-9, "i": null });
        let text = all.to_string();
        let kept = json!({ "b": [null, 1], "c": {}, "e": "x\": null, \"y", "f": 0.123_456_789, "g": 12_345_678,
                           "h": 1.5e-9 });
        assert_eq!(serde_json::from_str::<Value>(&without_nulls(&text)).unwrap(), kept);
        let people: Value = serde_json::from_str(&for_people(&text, 6)).unwrap();
        assert_eq!((&people["f"], &people["g"], &people["h"]), (&json!(0.123_457), &json!(12_345_678), &json!(1.5e-9)));
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-1e9..1e9).prop_map(Value::from),
            "[\\PC\"\\\\:,null]{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map("[\\PC\"\\\\:,null]{0,6}", inner, 0..6)
                    .prop_map(|all| Value::Object(all.into_iter().collect())),
            ]
        })
    }

    /// What should be left.
    fn stripped(value: &Value) -> Value {
        match value {
            Value::Array(all) => all.iter().map(stripped).collect(),
            Value::Object(all) => {
                all.iter().filter(|(_, v)| !v.is_null()).map(|(k, v)| (k.clone(), stripped(v))).collect()
            }
            other => other.clone(),
        }
    }

    fn close(a: &Value, b: &Value) -> bool {
        match (a, b) {
            (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(a, b)),
            (Value::Object(a), Value::Object(b)) => {
                a.len() == b.len() && a.iter().all(|(k, v)| b.get(k).is_some_and(|w| close(v, w)))
            }
            (Value::Number(a), Value::Number(b)) if a.is_f64() => {
                let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
                (a - b).abs() <= a.abs() * 5.1e-6
            }
            _ => a == b,
        }
    }

    /// Rounded by way of the number that it then is.
    fn roundly(x: f64, digits: usize) -> String {
        let after = digits.saturating_sub(1);
        let rounded = format!("{x:.after$e}").parse::<f64>().unwrap_or(x);
        let (plain, short) = (format!("{rounded}"), format!("{rounded:e}"));
        if short.len() < plain.len() { short } else { plain }
    }

    proptest! {
        #[test]
        fn numbers_are_written_as_their_rounded_values_are(x in prop_oneof![-1e6..1e6, -1.0..1.0, any::<f64>(), Just(0.0), Just(-0.0), Just(1e21)], digits in 1usize..9) {
            // Where a double has all its digits.
            let size = f64::abs(x);
            prop_assume!(size < 1e300 && (size > 1e-300 || size <= 0.0));
            prop_assert_eq!(short(x, digits), roundly(x, digits));
        }

        #[test]
        fn nothing_else_is_lost(value in any_json()) {
            let kept = stripped(&value);
            let text = value.to_string();
            prop_assert_eq!(serde_json::from_str::<Value>(&without_nulls(&text)).unwrap(), kept.clone());
            let people: Value = serde_json::from_str(&for_people(&text, 6)).unwrap();
            prop_assert!(close(&kept, &people), "{} {}", kept, people);
        }
    }
}
