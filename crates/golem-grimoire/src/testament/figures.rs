//! Figures in a text, so that one text can be held against others: whoever retells may round, and may not invent.

/// More digits than this are no figure of a life.
const MOST_DIGITS: usize = 24;
/// Numbers as words. What multiplies or divides has no value of its own: it stands where the record has the same word.
const WORDS: [(&str, Option<u128>); 41] = [
    ("two", Some(2)),
    ("three", Some(3)),
    ("four", Some(4)),
    ("five", Some(5)),
    ("six", Some(6)),
    ("seven", Some(7)),
    ("eight", Some(8)),
    ("nine", Some(9)),
    ("ten", Some(10)),
    ("eleven", Some(11)),
    ("twelve", Some(12)),
    ("thirteen", Some(13)),
    ("fourteen", Some(14)),
    ("fifteen", Some(15)),
    ("sixteen", Some(16)),
    ("seventeen", Some(17)),
    ("eighteen", Some(18)),
    ("nineteen", Some(19)),
    ("twenty", Some(20)),
    ("thirty", Some(30)),
    ("forty", Some(40)),
    ("fifty", Some(50)),
    ("sixty", Some(60)),
    ("seventy", Some(70)),
    ("eighty", Some(80)),
    ("ninety", Some(90)),
    ("twice", Some(2)),
    ("thrice", Some(3)),
    ("half", None),
    ("double", None),
    ("doubled", None),
    ("triple", None),
    ("tripled", None),
    ("tenfold", None),
    ("dozen", None),
    ("dozens", None),
    ("hundred", None),
    ("hundreds", None),
    ("thousand", None),
    ("thousands", None),
    ("million", None),
];

/// A figure: its digits, how many of them stand after the point, and the letters that follow it at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WrittenFigure {
    digits: u128,
    decimals: u32,
    unit: String,
}

impl WrittenFigure {
    /// Whether this is the other one, exactly or rounded. What is not nothing is never rounded to nothing.
    pub(super) fn is(&self, other: &Self) -> bool {
        if self.unit != other.unit || (self.digits == 0) != (other.digits == 0) {
            return false;
        }
        match other.decimals.checked_sub(self.decimals) {
            Some(fewer) => {
                let unit = 10u128.pow(fewer);
                (other.digits + unit / 2) / unit == self.digits
            }
            None => other.digits.checked_mul(10u128.pow(self.decimals - other.decimals)) == Some(self.digits),
        }
    }
}

/// Every figure of a text; none where it has one that cannot be read for certain.
pub(super) fn figures(text: &str) -> Option<Vec<WrittenFigure>> {
    if text.chars().any(|c| c.is_numeric() && !c.is_ascii_digit()) {
        return None;
    }
    let mut all = Vec::new();
    let words = text.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase);
    for word in words {
        if let Some((_, value)) = WORDS.iter().find(|(name, _)| *name == word) {
            let unit = if value.is_some() { String::new() } else { word };
            all.push(WrittenFigure { digits: value.unwrap_or(1), decimals: 0, unit });
        }
    }
    let chars: Vec<char> = text.chars().collect();
    let is_digit = |n: usize| chars.get(n).is_some_and(char::is_ascii_digit);
    let mut at = 0;
    while at < chars.len() {
        if !is_digit(at) {
            at += 1;
            continue;
        }
        let (mut digits, mut decimals, mut point) = (String::new(), 0, false);
        loop {
            match chars.get(at) {
                Some(c) if c.is_ascii_digit() => {
                    digits.push(*c);
                    decimals += u32::from(point);
                }
                Some(',') if !point && is_digit(at + 1) => {}
                Some('.') if !point && is_digit(at + 1) => point = true,
                _ => break,
            }
            at += 1;
        }
        let unit: String = chars[at..].iter().take_while(|c| c.is_alphabetic()).collect();
        at += unit.chars().count();
        let digits = (digits.len() <= MOST_DIGITS).then(|| digits.parse().ok())??;
        all.push(WrittenFigure { digits, decimals, unit });
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Whether every figure of one text stands in the other.
    fn stands(said: &str, in_text: &str) -> bool {
        let (said, known) = (figures(said), figures(in_text).unwrap_or_default());
        said.is_some_and(|said| said.iter().all(|figure| known.iter().any(|k| figure.is(k))))
    }

    #[test]
    fn what_is_rounded_stands_and_what_is_invented_does_not() {
        let record = "At turn 1512 I was worth 498.123456 USDC, 3 times; pleasure +0.047, 1,250 in all.";
        for said in [
            "It ended at turn 1512.",
            "498.12 USDC were left, about 498.",
            "Three times, at 1,512.",
            "No figure at all, but one or two words... no: three.",
            "1250 of them, at a pleasure of 0.05.",
        ] {
            let fits = !said.contains("two");
            assert_eq!(stands(said, record), fits, "{said}");
        }
        for said in [
            "At turn 1513.",
            "498.13 USDC.",
            "498.1234567 USDC.",
            "1512k USDC.",
            "0 USDC were left.",
            "Twenty times.",
            "A hundred times, 3 of them.",
            "I doubled it 3 times.",
            "\u{ff13} times.",
            "\u{00b3} times.",
            "1,512,1250 in all.",
            "12345678901234567890123456789012345678901 times.",
        ] {
            assert!(!stands(said, record), "{said}");
        }
        assert!(!stands("0.0 of 1", "0.004 of 1") && stands("0.0 of 1", "0 of 1"), "something is not nothing");
        assert!(stands("Half of it went.", "half an hour later"), "the record's own word");
        assert!(stands("market.return_90 fell below 0.02", "when market.return_90 < 0.02"));
    }

    proptest! {
        #[test]
        fn no_text_breaks_it_and_every_text_stands_in_itself(text in any::<String>(), n in 0u64..1_000_000_000_000, d in 0u32..9) {
            let _read = figures(&text);
            let figure = format!("{}.{:0width$}", n, n % 10u64.pow(d.max(1)), width = d.max(1) as usize);
            prop_assert!(stands(&figure, &figure));
        }
    }
}
