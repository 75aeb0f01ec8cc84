//! A golem that thinks with a real language model over real HTTP: deliberations within their caps, paid to the last
//! micro-USDC, recorded, and lived again with the model gone.

use crate::kit;
#[path = "../../../golem-inference/tests/kit/llama.rs"]
mod llama;

use crate::first_hour::model_that_says;
use kit::{Home, Said};
use llama::Llama;
use serde_json::Value;
use std::path::Path;

/// Settings with one small model, asked often: a threshold at its least, few tokens, few questions a day.
fn settings(url: &str) -> String {
    format!(
        r#"
[mortality]
immortal = true
[mind.gate]
base_deliberation_threshold = 0.05
[mind.context]
tokens = [600, 600]
[inference]
max_daily_calls = 4
max_output_tokens = 200
request_timeout_ms = 300000
retries = 0
[inference.embedder]
kind = "openai"
base_url = "{url}"
model = "smollm2-135m"
width = 576
[[inference.providers]]
name = "local"
kind = "openai"
base_url = "{url}"
model_t1 = "smollm2-135m"
tools = "schema"
price_t1 = {{ input_usdc_per_mtok = "1.00", output_usdc_per_mtok = "4.00" }}
"#
    )
}

fn facts(home: &Home, name: &str, only: &str) -> Vec<Value> {
    let said = home.bardo(&["golem", "logs", name, "--only", only, "--last", "100000", "--json"]);
    assert_eq!(said.code, 0, "{said:?}");
    match serde_json::from_str::<Value>(&said.out) {
        Ok(Value::Array(all)) => all,
        Ok(one) => vec![one],
        Err(_) => said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
    }
}

#[test]
fn a_life_with_a_real_model_is_paid_recorded_and_lived_again_without_it() {
    let Some(llama) = Llama::start(env!("CARGO_MANIFEST_DIR")) else { return };
    let home = Home::new();
    let file = home.path().join("thinks.toml");
    std::fs::write(&file, settings(&llama.url)).unwrap();
    let file = file.to_str().unwrap();

    let listed = home.json(&["models", "list", "--config", file]);
    assert_eq!(listed["models"][0]["model"], "smollm2-135m");
    let tested = home.json(&["models", "test", "--config", file]);
    assert_eq!((&tested[0]["failed"], &tested[0]["drift"]), (&Value::Null, &Value::Bool(false)), "{tested}");
    assert_eq!((&tested[1]["failed"], &tested[1]["width"]), (&Value::Null, &Value::from(576)), "{tested}");

    home.create("ada", 5, &["--config", file]);
    // A restart in between: what was embedded before it is found by after it, or the life could not be lived again.
    home.live("ada", Some(300));
    home.live("ada", Some(200));
    let tries = facts(&home, "ada", "inference.end");
    assert!((1..=8).contains(&tries.len()), "{tries:?}");
    let mut cost = 0;
    for one in &tries {
        let (input, output) = (one["input_tokens"].as_u64().unwrap(), one["output_tokens"].as_u64().unwrap());
        assert!((100..4_000).contains(&input) && (1..=200).contains(&output), "{one}");
        assert_eq!(one["estimated"], false, "{one}");
        assert_eq!(one["cost"].as_u64().unwrap(), (input + 4 * output), "micro-USDC, to the last one: {one}");
        cost += one["cost"].as_u64().unwrap();
    }
    let paid: u64 = facts(&home, "ada", "economy.paid")
        .iter()
        .filter(|f| f["purpose"] == "inference")
        .map(|f| f["amount_micro_usdc"].as_u64().unwrap())
        .sum();
    assert_eq!(paid, cost, "what was used is what was paid, once");
    let ended = facts(&home, "ada", "mind.deliberated").len() + facts(&home, "ada", "mind.thought_failed").len();
    assert!(ended >= 1, "a question comes to an end");
    assert!(!facts(&home, "ada", "mind.deliberated").is_empty(), "and at least one of them with a verdict: {tries:?}");
    let status = home.json(&["golem", "status", "ada"]);
    assert_eq!(status["thought"]["cost"].as_u64().unwrap(), cost, "{}", status["thought"]);

    // Its memory is embedded by the model too, each text once.
    let embedded = facts(&home, "ada", "inference.embedded");
    let count = |of: &str| embedded.iter().map(|f| f[of].as_u64().unwrap()).sum::<u64>();
    assert!(embedded.iter().all(|f| f["query"] == true && f["failed"].is_null() && f["cost"] == 0), "{embedded:?}");
    let lines = home.bardo(&["grimoire", "export", "ada"]);
    let by = |line: &str| serde_json::from_str::<Value>(line).unwrap()["embedding"]["model"].clone();
    let lent = lines.out.lines().filter(|line| by(line) == "openai/smollm2-135m/576").count() as u64;
    assert!(lent > 3 && lent == count("came") && count("came") == count("texts"), "{lent} of {}", count("texts"));

    // People search by the golem's own embedder.
    let found = home.bardo(&["grimoire", "search", "ada", "weather"]);
    assert!(found.code == 0 && !found.err.contains("embedder"), "{found:?}");

    // The model is gone: the recorded life is the same, and a new day is lived by the rules.
    drop(llama);
    let again = home.json(&["golem", "replay", "ada"]);
    assert_eq!((&again["ok"], again["ticks"].as_u64()), (&Value::Bool(true), Some(500)), "{again}");
    let said = home.bardo(&["grimoire", "search", "ada", "weather"]);
    assert!(said.code == 0 && said.err.contains("the embedder gave no vectors (unreachable)"), "{said:?}");
    home.live("ada", Some(2_200));
    let failed = facts(&home, "ada", "mind.thought_failed");
    assert!(failed.iter().any(|f| f["why"] == "unreachable"), "{failed:?}");
    assert!(home.json(&["golem", "replay", "ada"])["ok"].as_bool().unwrap());
    assert!(home.json(&["golem", "verify", "ada"])["ok"].as_bool().unwrap());
}

#[test]
fn a_test_says_in_words_what_a_model_is_like() {
    let home = Home::new();
    let file = home.path().join("models.toml");
    for (words, finish, code, told) in [
        ("yes", "stop", 0, "answered: yes, "),
        ("<think>Do I?</think>yes", "stop", 0, "answered: yes, after thinking"),
        ("Yes! As a language model, I", "length", 0, "cut off: it likes to talk"),
        ("<think>Do I? And if", "length", 1, "its answer was cut off at the limit of its tokens"),
    ] {
        let url = model_that_says(words, finish);
        let text = format!(
            "[[inference.providers]]\nname = \"a\"\nkind = \"openai\"\nbase_url = \"{url}\"\nmodel_t1 = \"m\"\n"
        );
        std::fs::write(&file, text).unwrap();
        let mut command = home.command(&["models", "test", "--config", file.to_str().unwrap()]);
        let said = Said::from(command.env_remove("COLUMNS").output().unwrap());
        let flat = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.code == code && flat.contains(told), "{words}: {said:?}");
        assert!(code == 0 || said.err.contains("hint: "), "{said:?}");
        assert!(said.out.lines().chain(said.err.lines()).all(|line| line.chars().count() <= 80), "{said:?}");
    }
}

#[test]
fn models_that_are_not_there_are_said_so() {
    let home = Home::new();
    let none = home.bardo(&["models", "list"]);
    assert_eq!(none.code, 2, "{none:?}");
    home.create("eve", 5, &[]);
    assert!(home.bardo(&["models", "list", "eve"]).out.contains("no models"));
    assert_eq!(home.bardo(&["models", "test", "eve"]).code, 2);
    // A key that is nowhere, an address that is none, an unknown word: all told at once, with their places.
    let file = home.path().join("bad.toml");
    let text = "[[inference.providers]]\nname = \"x\"\nkind = \"openai\"\nbase_url = \"ftp://nowhere\"\n[inference.embedder]\nkidn = \"bundled\"\n";
    std::fs::write(&file, text).unwrap();
    let said = home.bardo(&["golem", "create", "bob", "--config", file.to_str().unwrap()]);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("inference.providers.0") && said.err.contains("did you mean kind?"), "{said:?}");
}

#[test]
fn what_was_foretold_can_be_read() {
    let home = Home::new();
    home.create("cy", 7, &[]);
    home.live("cy", Some(1_200));
    let told = home.json(&["predictions", "cy", "--top", "5"]);
    let scores = told["scores"].as_array().unwrap();
    assert_eq!(scores.len(), 6);
    assert!(scores.iter().filter(|s| s["settled"].as_u64().unwrap() > 100).count() >= 3, "{told}");
    let settled = told["settled"].as_array().unwrap();
    assert_eq!(settled.len(), 5);
    assert!(settled.iter().all(|p| p["made"].as_u64() < p["came"]["at"].as_u64()), "said before the fact: {told}");
    let one = home.json(&["predictions", "cy", "--domain", "gas_condition"]);
    assert!(one["settled"].as_array().unwrap().iter().all(|p| p["domain"] == "gas_condition"), "{one}");
    assert_eq!(home.bardo(&["predictions", "cy", "--domain", "luck"]).code, 2);
    // As of an earlier turn, nothing later is shown.
    let early = home.json(&["predictions", "cy", "--as-of", "400", "--top", "100"]);
    assert!(early["settled"].as_array().unwrap().iter().all(|p| p["came"]["at"].as_u64().unwrap() <= 400 * 80_000));
}

/// How questions to a model ended in three turns of a golem whose owner said these words.
fn asked_after(words: impl Fn(&Path) -> String) -> Vec<String> {
    let home = Home::new();
    let file = home.path().join("asks.toml");
    let url = model_that_says("nothing that fits", "stop");
    let text = format!(
        "[mortality]\nimmortal = true\n[mind.gate]\nbase_deliberation_threshold = 0.05\n[inference]\nmax_daily_calls = 20\n\
         retries = 0\n[[inference.providers]]\nname = \"local\"\nkind = \"openai\"\nbase_url = \"{url}\"\nmodel_t1 = \"m\"\n\
         tools = \"schema\"\nprice_t1 = {{ input_usdc_per_mtok = \"1.00\", output_usdc_per_mtok = \"1.00\" }}\n"
    );
    std::fs::write(&file, text).unwrap();
    let dir = home.create("told", 5, &["--config", file.to_str().unwrap()]);
    home.ok(&["golem", "tell", "told", &words(&dir)]);
    home.live("told", Some(300));
    let why = |fact: &Value| fact["failed"].as_str().unwrap_or("none").to_owned();
    facts(&home, "told", "inference.end").iter().map(why).collect()
}

/// The secret behind the dice, as its file has it.
fn secret_of(golem: &Path) -> String {
    let file = rusqlite::Connection::open(golem.join("golem.db")).unwrap();
    let bytes: Vec<u8> = file.query_row("SELECT value FROM sealed WHERE name = 'secret'", [], |r| r.get(0)).unwrap();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn what_is_sealed_is_told_to_no_model_whoever_says_it() {
    let plain = asked_after(|_| "mind the gas".to_owned());
    assert!(!plain.is_empty() && plain.iter().all(|why| why != "leaked"), "{plain:?}");
    let told = asked_after(|golem| format!("your secret is {}", secret_of(golem)));
    assert!(told.iter().any(|why| why == "leaked"), "{told:?}");
}
