//! JSON of what is kept by the thousand, made shorter: members that are null are left out, and what is for people has
//! numbers of a few digits. It works on the text, so that the order of members is the one that was written.

use golem_core::plain;
use serde::Serialize;
use serde_json::ser::Formatter;
use std::io;

/// For people: JSON without null members, in which every number that is not whole has so many digits.
pub(crate) fn for_people<T: Serialize>(of: &T, digits: usize) -> String {
    let text = plain::json_by(of, ShortNumbers { digits });
    // Most have none, and looking for one is quick.
    if text.contains(":null") { without_nulls(&text) } else { text }
}

/// Without null members, which read back as absent. Everything else stays as it is.
pub(crate) fn without_nulls(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    // Where the member that is being written began.
    let mut member = None;
    let mut rest = json;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'"' | b'n')) {
        let (between, from) = rest.split_at(at);
        out.push_str(between);
        if from.starts_with('"') {
            let (token, after) = from.split_at(string_length(from));
            rest = after;
            if rest.starts_with(':') {
                member = Some(out.len());
            }
            out.push_str(token);
        } else {
            let (token, after) = from.split_at("null".len().min(from.len()));
            rest = after;
            if out.ends_with(':') {
                out.truncate(member.unwrap_or(out.len()));
                // One of the two commas around it goes too.
                match rest.strip_prefix(',') {
                    Some(next) => rest = next,
                    None if out.ends_with(',') => drop(out.pop()),
                    None => {}
                }
            } else {
                out.push_str(token);
            }
        }
    }
    out.push_str(rest);
    out
}

/// Up to and with the closing quote.
fn string_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|b| matches!(b, b'"' | b'\\'))) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    text.len()
}

/// Spells numbers with so many digits.
struct ShortNumbers {
    digits: usize,
}

impl Formatter for ShortNumbers {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, x: f64) -> io::Result<()> {
        match Digits::of(x, self.digits) {
            Some(digits) => digits.write(writer),
            None => writer.write_all(short(x, self.digits).as_bytes()),
        }
    }
    /// By the digits that a single has, and not by those of the double that is nearest to it.
    fn write_f32<W: ?Sized + io::Write>(&mut self, writer: &mut W, x: f32) -> io::Result<()> {
        let mut text = Vec::with_capacity(16);
        serde_json::ser::CompactFormatter.write_f32(&mut text, x)?;
        let read = std::str::from_utf8(&text).ok().and_then(|text| text.parse().ok());
        self.write_f64(writer, read.unwrap_or_else(|| f64::from(x)))
    }
}

/// The decimal digits of a number: a whole number of one to nine digits, none of the last ones zero, and the power of ten
/// of the first one.
struct Digits {
    negative: bool,
    whole: u32,
    count: usize,
    exponent: i32,
}

/// Powers of ten that a double holds exactly.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

impl Digits {
    /// So many digits of a number, by one multiplication; `None` where that does not decide how the last one is rounded.
    fn of(x: f64, digits: usize) -> Option<Self> {
        let size = x.abs();
        if digits == 0 || digits > 9 || !(1e-9..1e9).contains(&size) {
            return None;
        }
        // By how often it can be multiplied or divided: between two powers of ten, where it may be off by one.
        let exponent = if size >= 1.0 {
            TENS.iter().rposition(|ten| size >= *ten)? as i32
        } else {
            -(TENS.iter().position(|ten| size * ten >= 1.0)? as i32)
        };
        let last = digits as i32 - 1 - exponent;
        let ten = TENS.get(last.unsigned_abs() as usize)?;
        // Rounded once: off by a ten-millionth of a unit at most.
        let scaled = if last >= 0 { size * ten } else { size / ten };
        let (down, most) = (scaled.floor(), TENS[digits]);
        let rest = scaled - down;
        if (rest - 0.5).abs() < 1e-5 || scaled < TENS[digits - 1] || scaled >= most {
            return None;
        }
        let mut whole = down as u32 + u32::from(rest > 0.5);
        let (mut count, mut exponent) = (digits, exponent);
        if f64::from(whole) >= most {
            (whole, count, exponent) = (1, 1, exponent + 1);
        }
        while count > 1 && whole.is_multiple_of(10) {
            (whole, count) = (whole / 10, count - 1);
        }
        Some(Self { negative: x < 0.0, whole, count, exponent })
    }

    /// Written out, or with its exponent where that is shorter.
    fn write<W: ?Sized + io::Write>(&self, writer: &mut W) -> io::Result<()> {
        let Self { negative, whole, count, exponent } = *self;
        // A sign, "0.", eight zeros and nine digits at most; or a point and an exponent of two characters.
        let mut text = [b'0'; 24];
        let mut digits = [0; 9];
        let mut left = whole;
        for digit in digits[..count].iter_mut().rev() {
            (*digit, left) = (b'0' + (left % 10) as u8, left / 10);
        }
        let (digits, places) = (&digits[..count], exponent.unsigned_abs() as usize);
        let sign = usize::from(negative);
        text[0] = b'-';
        let plain = match exponent {
            ..0 => 1 + places + count,
            _ if places + 1 >= count => places + 1,
            _ => count + 1,
        };
        let long = if exponent < 0 { 3 } else { 2 } + usize::from(count > 1);
        if count + long < plain {
            text[sign] = digits[0];
            let mut at = sign + 1;
            if count > 1 {
                text[at] = b'.';
                text[at + 1..at + count].copy_from_slice(&digits[1..]);
                at += count;
            }
            text[at] = b'e';
            if exponent < 0 {
                at += 1;
                text[at] = b'-';
            }
            // Between powers of ten of one digit.
            text[at + 1] = b'0' + places as u8;
            return writer.write_all(&text[..at + 2]);
        }
        let from = match exponent {
            ..0 => {
                text[sign..sign + 2].copy_from_slice(b"0.");
                sign + 1 + places
            }
            _ => sign,
        };
        if exponent >= 0 && places + 1 < count {
            text[from..=from + places].copy_from_slice(&digits[..=places]);
            text[from + places + 1] = b'.';
            text[from + places + 2..=from + count].copy_from_slice(&digits[places + 1..]);
        } else {
            text[from..from + count].copy_from_slice(digits);
        }
        writer.write_all(&text[..sign + plain])
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    /// The long way: token by token, each number by its text.
    fn plainly_for_people(json: &str, digits: usize) -> String {
        lean(json, |number| {
            let whole = number.bytes().all(|b| b.is_ascii_digit() || b == b'-');
            match number.parse::<f64>() {
                Ok(x) if !whole => short(x, digits),
                _ => number.to_owned(),
            }
        })
    }

    fn lean(json: &str, number: impl Fn(&str) -> String) -> String {
        let mut out = String::with_capacity(json.len());
        // Where the member that is being written began.
        let mut member = None;
        let mut rest = json;
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '"' => slow_string_length(rest),
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
    fn slow_string_length(text: &str) -> usize {
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

    #[test]
    fn nulls_go_and_numbers_are_short() {
        let all = json!({ "a": null, "b": [null, 1], "c": { "d": null }, "e": "x\": null, \"y", "f": 0.123_456_789,
                          "g": 12_345_678, "h": 1.5e-9, "i": null });
        let text = all.to_string();
        let kept = json!({ "b": [null, 1], "c": {}, "e": "x\": null, \"y", "f": 0.123_456_789, "g": 12_345_678,
                           "h": 1.5e-9 });
        assert_eq!(serde_json::from_str::<Value>(&without_nulls(&text)).unwrap(), kept);
        let people: Value = serde_json::from_str(&for_people(&all, 6)).unwrap();
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
            prop_assert_eq!(for_people(&x, digits), short(x, digits));
        }

        #[test]
        fn digits_by_one_multiplication_are_those_of_the_text(
            x in prop_oneof![
                -1e6..1e6, -1.0..1.0, -1e-3..1e-3,
                // Those that lie on the edge of being rounded, and powers of ten and their neighbours.
                (-100_000i32..100_000, 0..12i32).prop_map(|(n, e)| f64::from(n) / 2.0 / f64::powi(10.0, e)),
                (-9i32..9, -2i64..3).prop_map(|(e, n)| f64::from_bits((f64::powi(10.0, e).to_bits() as i64 + n) as u64)),
            ],
            digits in 1usize..9,
        ) {
            let text = plain::json(&x);
            prop_assert_eq!(for_people(&x, digits), plainly_for_people(&text, digits));
            let single = x as f32;
            prop_assert_eq!(for_people(&single, digits), plainly_for_people(&plain::json(&single), digits));
        }

        #[test]
        fn nothing_else_is_lost(value in any_json()) {
            let kept = stripped(&value);
            let text = value.to_string();
            prop_assert_eq!(serde_json::from_str::<Value>(&without_nulls(&text)).unwrap(), kept.clone());
            let people: Value = serde_json::from_str(&for_people(&value, 6)).unwrap();
            prop_assert!(close(&kept, &people), "{} {}", kept, people);
            prop_assert_eq!(for_people(&value, 4), plainly_for_people(&text, 4));
            prop_assert_eq!(without_nulls(&text), lean(&text, str::to_owned));
        }
    }
}
