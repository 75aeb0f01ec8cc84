//! What the page draws: causes, the dead and what they paid for, and a whole life as one page.

use crate::kit::{Client, Owned};
use golem_home::HomeReader;
use golem_home::golem_file::GolemFile;
use golem_mortality::config::Measure;
use golem_view::mood::mood_rgb;
use serde_json::{Value, json};

/// Forecasts are held to what nobody reaches: it dies of ignorance within an hour or two, and its death teaches something.
fn doomed(file: &mut GolemFile) {
    let clock = &mut file.mortality.epistemic;
    (clock.measure, clock.senescence_threshold, clock.recovery_threshold) = (Measure::RSquared, 0.6, 0.9);
    clock.senescence_max_ticks = 2_000;
}

fn graves(client: &Client, beside: &str) -> Vec<Value> {
    client.get(&format!("/api/graveyard{beside}")).json()["graves"].as_array().unwrap().clone()
}

#[test]
fn causes_are_told_as_data_and_in_words() {
    let owned = Owned::new();
    owned.lived("ada", 6_000);
    let client = owned.serve();
    let told = client.get("/api/golems/ada/causes").json();
    let home = HomeReader::open(owned.home());
    assert_eq!(told, serde_json::to_value(home.causes("ada", None).unwrap()).unwrap());
    let all = told.as_array().unwrap();
    assert!(!all.is_empty(), "whoever watches a market for days finds a cause");
    let holds: Vec<bool> = all.iter().map(|cause| cause["holds"].as_bool().unwrap()).collect();
    assert!(holds.is_sorted_by(|a, b| a >= b), "those that hold come first: {holds:?}");
    for cause in all {
        let words = &cause["words"];
        let way = if cause["weight"].as_f64().unwrap() < 0.0 { "lowers" } else { "raises" };
        assert_eq!(words["way"], json!(way), "{cause}");
        assert_eq!(cause["holds"], json!(cause["invalidated"].is_null()), "{cause}");
        let sentence = words["sentence"].as_str().unwrap();
        for part in [&words["from"], &words["to"], &words["after"]] {
            assert!(sentence.contains(part.as_str().unwrap()), "{cause}");
        }
        assert!(!sentence.contains("market."), "{sentence}");
    }
    assert_eq!(client.get("/api/golems/ada/causes?as_of=1").json(), json!([]), "at first nothing is known");
    client.server.stop();
}

#[test]
fn the_dead_are_marked_on_their_market_and_what_they_paid_for_names_them() {
    let owned = Owned::new();
    let dead = owned.born_with("poor", doomed);
    owned.live(&dead, 2_000);
    owned.lived("near", 5);
    let far = owned.born_with("far", |file| file.market.noise_share = 1.5);
    owned.live(&far, 5);
    let client = owned.serve();
    let grave = &graves(&client, "")[0];
    assert_eq!((&grave["name"], &grave["cause"]), (&json!("poor"), &json!("epistemic_senescence")), "{grave}");
    assert!(grave.get("same_market").is_none() && grave.get("market").is_none(), "{grave}");
    assert!(grave["price"].is_number() && grave["cause_in_words"].as_str().unwrap().contains(' '), "{grave}");
    let mood = serde_json::from_value(grave["mood"].clone()).unwrap();
    assert_eq!(grave["mood_rgb"], json!(mood_rgb(mood)), "{grave}");
    for (beside, same) in [("near", true), ("far", false), ("poor", true)] {
        let grave = &graves(&client, &format!("?beside={beside}"))[0];
        assert_eq!(grave["same_market"], json!(same), "{beside}: {grave}");
    }
    assert_eq!(client.get("/api/graveyard?beside=nobody").code, 409);
    let found = client.get("/api/golems/poor/grimoire?q=forecasts+death+ignorance").json();
    let entries = found["entries"].as_array().unwrap();
    let (paid, rest): (Vec<&Value>, Vec<&Value>) = entries.iter().partition(|e| !e["blood"].is_null());
    assert!(!paid.is_empty(), "{found}");
    assert!(paid.iter().all(|e| e["blood"] == grave["id"]), "{paid:?}");
    for entry in paid.iter().chain(&rest) {
        let text = entry["text"].as_str().unwrap();
        assert_eq!(!entry["blood"].is_null(), text.contains("a death by"), "{entry}");
        assert_eq!(entry["in_words"], json!(golem_view::story::in_words(text)), "{entry}");
    }
    client.server.stop();
}

#[test]
fn a_report_is_the_page_that_the_command_writes_and_nothing_of_it_runs() {
    let owned = Owned::new();
    owned.lived("ada", 300);
    owned.born("unborn-yet");
    let client = owned.serve();
    let said = client.get("/api/golems/ada/report");
    let page = HomeReader::open(owned.home()).life_page("ada").unwrap().page.html();
    assert_eq!((said.code, said.body.as_str()), (200, page.as_str()));
    assert!(page.contains("<svg") && page.contains("<style>"), "it has charts, and its styles in it");
    let head = said.head.to_lowercase();
    assert!(head.contains("content-type: text/html; charset=utf-8"), "{head}");
    let policies: Vec<&str> = head.lines().filter(|line| line.starts_with("content-security-policy:")).collect();
    let [policy] = policies[..] else { panic!("one policy: {head}") };
    for word in ["default-src 'none'", "style-src 'unsafe-inline'", "frame-ancestors 'none'", "sandbox"] {
        assert!(policy.contains(word), "{word} in {policy}");
    }
    assert!(!policy.contains("script-src") && !policy.contains("allow-scripts"), "{policy}");
    assert!(head.contains("nosniff") && head.contains("cache-control: no-store"), "{head}");
    // The page itself keeps the strict one.
    let own = client.get("/").head.to_lowercase();
    assert!(own.contains("style-src 'self'") && !own.contains("unsafe-inline"), "{own}");
    assert_eq!(client.get("/api/golems/nobody/report").code, 404);
    assert_eq!(client.get("/api/golems/unborn-yet/report").code, 409);
    let told = client.get("/api/openapi.json").json();
    let answers = &told["paths"]["/api/golems/{id}/report"]["get"]["responses"]["200"]["content"];
    assert!(answers["text/html"].is_object() && answers.get("application/json").is_none(), "{answers}");
    client.server.stop();
}
