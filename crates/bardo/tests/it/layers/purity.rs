//! What pure rooms never touch, and what nobody does in silence.

use super::{PLAN, Purity, root, sources, without_tests};

/// What no pure room may say: clocks, IO, unaddressed chance, maps without order, and logarithms of this machine only.
const NEVER: &[&str] = &[
    "std::time",
    "std::fs",
    "std::io",
    "std::net",
    "std::env",
    "std::process",
    "std::thread",
    "SystemTime",
    "Instant::",
    "HashMap",
    "HashSet",
    "use rand",
    "getrandom",
    "println!",
    "eprintln!",
    "async fn",
    ".exp()",
    ".ln()",
    ".log2()",
    ".log10()",
    ".powf(",
    ".powi(",
    ".sin()",
    ".cos()",
    ".sin_cos()",
    ".tanh()",
    ".ln_1p()",
    ".exp_m1()",
    ".cbrt()",
    ".unwrap()",
    ".expect(\"",
    "panic!(",
    "unreachable!(",
];

/// What a pure room may say all the same, and where: it gives up over plain data that has no plain form, and what spells
/// numbers writes into memory through a trait that could also write elsewhere.
const EXEMPT: &[(&str, &str)] = &[("golem-core/src/plain.rs", "panic!("), ("golem-grimoire/src/lean.rs", "std::io")];

#[test]
fn pure_rooms_stay_pure() {
    let mut found = Vec::new();
    for (name, _, _) in PLAN.iter().filter(|(.., purity)| *purity == Purity::Pure) {
        for (file, text) in sources(&root().join("crates").join(name).join("src")) {
            if file.ends_with("tests.rs") || file.components().any(|part| part.as_os_str() == "tests") {
                continue;
            }
            // Tests may do as they like.
            let code = without_tests(&text);
            for (i, line) in code.lines().enumerate() {
                let line = line.split("//").next().unwrap_or_default();
                let exempt = |word: &str| EXEMPT.iter().any(|(place, said)| file.ends_with(place) && word == *said);
                for word in NEVER.iter().filter(|w| line.contains(**w) && !exempt(w)) {
                    found.push(format!("{}:{}: {word}", file.display(), i + 1));
                }
            }
        }
    }
    assert!(found.is_empty(), "pure rooms say what they must not:\n{}", found.join("\n"));
}

/// What "cannot fail" must not fail in silence: an empty text would be hashed, stored and believed.
#[test]
fn nothing_is_serialised_to_nothing() {
    let forms = ["serde_json::to_", "postcard::to_"];
    for (name, ..) in PLAN {
        for (file, text) in sources(&root().join("crates").join(name).join("src")) {
            let code = without_tests(&text).replace(char::is_whitespace, "");
            for part in forms.iter().flat_map(|form| code.split(form).skip(1)) {
                let call = part.split(';').next().unwrap_or_default();
                let call = &call[..call.find(")?").unwrap_or(call.len())];
                let silent = [".unwrap_or_default()", ".ok()"].iter().any(|end| call.contains(end));
                assert!(!silent, "{}: {call}", file.display());
            }
        }
    }
}

/// What a row holds is read, and never searched for as text: a word that is counted so is found in what somebody said, too.
#[test]
fn nothing_is_found_by_searching_the_text_of_data() {
    let (asked, quotes) = (["matches", "contains", "find", "rfind", "split", "split_once"], ["\"\\\"", "r#\"\""]);
    let mut found = Vec::new();
    for (name, ..) in PLAN {
        for (file, text) in sources(&root().join("crates").join(name).join("src")) {
            if file.ends_with("tests.rs") || file.components().any(|part| part.as_os_str() == "tests") {
                continue;
            }
            let code = without_tests(&text);
            let calls = asked.iter().flat_map(|ask| quotes.iter().map(move |quote| format!(".{ask}({quote}")));
            for words in calls.chain(["LIKE '%", "instr("].map(str::to_owned)) {
                found.extend(code.contains(&words).then(|| format!("{}: {words}", file.display())));
            }
        }
    }
    assert!(found.is_empty(), "found in a text instead of read:\n{}", found.join("\n"));
}
