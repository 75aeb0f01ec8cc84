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
