//! What a golem leaves, through the real binary: files that can be written again, a signature that anybody can check, and
//! hints for whoever asks too early.

use crate::kit;

use ed25519_dalek::{Signature, Verifier, VerifyingKey};
use golem_core::{Hash, Secret};
use golem_grimoire::testament::{SignedTestament, TestamentSection};
use kit::Home;

fn hex<const N: usize>(text: &str) -> [u8; N] {
    golem_core::hash::parse_hex(text).unwrap()
}

#[test]
fn a_testament_is_written_signed_and_rewritten_from_the_file() {
    let home = Home::new();
    let dir = home.create("ada", 5, &["--budget", "100", "--template", "eth-dca"]);
    let early = home.bardo(&["golem", "testament", "ada"]);
    assert!(early.code == 2 && early.err.contains("lives") && early.err.contains("hint:"), "{early:?}");
    home.live("ada", Some(3_000));
    home.ok(&["golem", "kill", "ada", "--yes", "--reason", "the *end* <b>"]);
    let files = ["testament.json", "testament.md"].map(|name| dir.join(name));
    let texts = || files.clone().map(|file| std::fs::read_to_string(file).unwrap());
    let [json, page] = texts();
    let signed: SignedTestament = serde_json::from_str(&json).unwrap();
    assert!(signed.testament.is_whole());
    // Anybody can check it: the key is that of the birth record, and the secret is the one that was committed to.
    let key = VerifyingKey::from_bytes(&signed.testament.by.public_key.0).unwrap();
    let signature = Signature::from_bytes(&hex(signed.signature.as_deref().unwrap()));
    key.verify(&SignedTestament::message(&signed.testament), &signature).unwrap();
    let secret = Secret::from_entropy(signed.death_secret.unwrap().0);
    assert_eq!(secret.commitment(), signed.testament.by.commitment);
    assert_eq!(Some(home.json(&["golem", "verify", "ada"])["revealed_secret"].clone()), {
        signed.death_secret.map(|secret: Hash| secret.to_string().into())
    });
    for section in TestamentSection::ALL {
        assert!(page.contains(&format!("## {}\n", section.title())), "{page}");
    }
    assert!(page.contains("the \\*end\\* \\<b\\>") && page.contains("[^1]: "), "{page}");
    assert!(page.contains("Asset") || page.contains("| asset |"), "{page}");
    for file in &files {
        std::fs::remove_file(file).unwrap();
    }
    let shown: SignedTestament = serde_json::from_str(&home.ok(&["golem", "testament", "ada", "--json"]).out).unwrap();
    assert!(shown == signed, "shown as it was written");
    assert!(texts() == [json, page], "written again from the file, to the last byte");
    let story = home.ok(&["golem", "story", "ada"]).out;
    assert!(story.contains("its testament") && story.contains("settled"), "{story}");
}

#[test]
fn who_lives_without_memory_and_feeling_leaves_a_testament_too() {
    let home = Home::new();
    home.create("bare", 5, &["--set", "grimoire.enabled=false", "--set", "mortality.affect.enabled=false"]);
    home.live("bare", Some(300));
    home.ok(&["golem", "kill", "bare", "--yes", "--reason", "over"]);
    let said = home.json(&["golem", "testament", "bare"]);
    assert_eq!(said["testament"]["final_playbook"], "");
    assert!(said["testament"]["sections"]["learned"].as_array().unwrap().is_empty());
    let page = home.ok(&["golem", "testament", "bare"]).out;
    assert!(page.contains("Nothing that I believed was borne out.") && page.contains("not finished"), "{page}");
}

/// Settings of a golem whose waking model cannot be reached, and whose testament has one of its own.
fn told_by(private: &str) -> String {
    format!("[testament]\nprovider = \"private\"\n{}", crate::kit::private_model(private, "reflection"))
}

const TOLD: &str = r#"{"narrative":[{"text":"I began with little and looked around.","rests_on":["r1"]},{"text":"I won 9999 times.","rests_on":["r1"]}],"sections":{"killed_me":[{"text":"I was ended.","rests_on":["r9999"]}]},"last_words":{"text":"Look again.","rests_on":["r1"]}}"#;

#[test]
fn a_testament_is_told_by_whom_its_owner_named_paid_and_lived_again_without_anybody() {
    let home = Home::new();
    let file = home.path().join("told.toml");
    std::fs::write(&file, told_by(&crate::first_hour::model_that_says(TOLD, "stop"))).unwrap();
    home.create("ada", 7, &["--budget", "200", "--config", file.to_str().unwrap()]);
    home.live("ada", Some(400));
    home.ok(&["golem", "kill", "ada", "--yes", "--reason", "over"]);
    let facts = |only: &str| -> Vec<serde_json::Value> {
        let said = home.ok(&["golem", "logs", "ada", "--only", only, "--json", "-n", "100000"]);
        said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let told = facts("testament.told");
    assert_eq!((told.len(), &told[0]["kept"], &told[0]["dropped"]), (1, &2.into(), &2.into()), "{told:?}");
    let tries = facts("inference.end");
    let cost: u64 = tries.iter().filter(|f| f["provider"] == "private").map(|f| f["cost"].as_u64().unwrap()).sum();
    assert!(cost > 0 && told[0]["cost_micro_usdc"].as_u64() == Some(cost), "{tries:?}");
    let said = home.json(&["golem", "testament", "ada"])["testament"].clone();
    assert_eq!(said["statistics"]["spent_by_purpose_micro_usdc"]["reflection"].as_u64(), Some(cost), "{said}");
    assert_eq!(said["told"]["last_words"]["text"], "Look again.");
    let page = home.ok(&["golem", "testament", "ada"]).out;
    assert!(page.contains("*I began with little and looked around.[^1]*") && page.contains("> *Look again."), "{page}");
    assert!(home.json(&["golem", "replay", "ada"])["ok"].as_bool().unwrap());
    assert!(home.json(&["golem", "verify", "ada"])["ok"].as_bool().unwrap());
}

#[test]
fn a_sealed_testament_is_its_owners_alone_and_costs_an_heir_nothing() {
    let home = Home::new();
    let keys = tempfile::tempdir().unwrap();
    let key = |name: &str| keys.path().join(name).display().to_string();
    let public = home.json(&["wallet", "seal-key", &key("owner")])["sealed_to"].as_str().unwrap().to_owned();
    home.ok(&["wallet", "seal-key", &key("other")]);
    let odd = home.bardo(&["golem", "create", "bob", "--set", "testament.sealed_to=abc"]);
    assert!(odd.code == 2 && odd.err.contains("testament.sealed_to") && odd.err.contains("seal-key"), "{odd:?}");
    let to = format!("testament.sealed_to={public}");
    let dir = home.create("ada", 5, &["--budget", "100", "--template", "eth-dca", "--set", &to]);
    let open = home.create("eve", 5, &["--budget", "100", "--template", "eth-dca"]);
    for name in ["ada", "eve"] {
        home.live(name, Some(3_000));
        home.ok(&["golem", "kill", name, "--yes", "--reason", "over"]);
    }
    assert!(!dir.join("testament.json").exists() && !dir.join("testament.md").exists());
    let sealed = std::fs::read_to_string(dir.join("testament.sealed")).unwrap();
    let clear = std::fs::read_to_string(open.join("testament.json")).unwrap();
    assert!(clear.contains("I was ended") && !sealed.contains("ended") && !sealed.contains("checksum"));
    for (args, why) in [
        (vec!["golem", "testament", "ada"], "sealed to its owner"),
        (vec!["golem", "testament", "ada", "--key-file", &key("other")], "does not open"),
        (vec!["golem", "testament", "eve", "--key-file", &key("owner")], "is not sealed"),
    ] {
        let refused = home.bardo(&args);
        assert!(refused.code != 0 && refused.err.contains(why) && refused.out.is_empty(), "{refused:?}");
        assert!(refused.err.contains("hint:"), "{refused:?}");
    }
    let opened = home.json(&["golem", "testament", "ada", "--key-file", &key("owner")]);
    assert!(opened["signature"].is_string() && opened["testament"]["last_words"]["text"].is_string());
    assert!(!dir.join("testament.json").exists(), "opening it leaves nothing readable behind");
    for (command, shown) in [(vec!["golem", "story"], "its testament"), (vec!["graveyard"], "I was ended")] {
        let (mut ada, mut eve) = (command.clone(), command.clone());
        if command.len() > 1 {
            ada.push("ada");
            eve.push("eve");
            assert!(home.ok(&eve).out.contains(shown) && !home.ok(&ada).out.contains(shown));
        } else {
            assert_eq!(home.ok(&command).out.matches(shown).count(), 1, "only what is not sealed is shown");
        }
    }
    // What an heir takes over is read from the golem's own file.
    let heir = |of: &str| {
        home.json(&[
            "golem",
            "successor",
            of,
            "--budget",
            "50",
            "--inherit-grimoire",
            "--dry-run",
            "--force-similarity",
        ])
    };
    assert_eq!(heir("ada")["preview"], heir("eve")["preview"]);
    assert!(heir("ada")["inherited"].as_u64().unwrap() > 0);
}
