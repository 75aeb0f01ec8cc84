//! Credit that was signed beforehand, and an heir in a process of its own: as their owner meets them.

use crate::kit::{Home, Said};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Whom the owner's payments must pay, in which token, on which chain.
const TO: &str = "0x00000000000000000000000000000000000000bB";
const TOKEN: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const PAYER: &str = "0xd09Ad14080d4b257a819a4f579b8485Be88f086c";

/// Sixty and twenty USDC, good from 1970 to the end of 2099, signed by another implementation (eth_account, key 0x05..05).
const SIXTY: (&str, u8, &str) = (
    "60000000",
    0x09,
    "b2fd6e89c969d5626e7b5e2c1c3cf78b9d0dae2bbed693dcec8dff93f1a12cf71e32cd6de7fca70fdb8c5f823182de57b582b3d54ed8c69a3eed99eea5b8483c1b",
);
const TWENTY: (&str, u8, &str) = (
    "20000000",
    0x0a,
    "89fc1c6a54e7862e74ab2e38e62de4831ffaf4cbae47265afb94aa9282f77d8570dbc75c3ff0b98518580e3c15a24f529bc514d035e6ed5b3e165d31c46796a61c",
);

fn x402((value, nonce, signature): (&str, u8, &str)) -> Value {
    let nonce = format!("0x{}", format!("{nonce:02x}").repeat(32));
    let words = json!({ "from": PAYER, "to": TO, "value": value, "validAfter": "100", "validBefore": "4102444800",
        "nonce": nonce });
    json!({ "x402Version": 1, "scheme": "exact", "network": "base",
        "payload": { "signature": format!("0x{signature}"), "authorization": words } })
}

fn authorize(home: &Home, payment: &Value, [to, token, chain]: [&str; 3]) -> Said {
    let file = home.path().join("payment.json");
    std::fs::write(&file, payment.to_string()).unwrap();
    let file = file.to_str().unwrap();
    home.bardo(&["treasury", "authorize", file, "--to", to, "--token", token, "--chain-id", chain, "--json"])
}

fn elder(extra: &[&str]) -> Home {
    let home = Home::new();
    let auto = ["--set", "succession.auto=true", "--set", "succession.inherit_grimoire=false"];
    home.create("elder", 7, &[&auto[..], extra].concat());
    home.live("elder", Some(60));
    home
}

fn golems(home: &Home) -> Vec<Value> {
    home.json(&["golem", "list"]).as_array().unwrap().clone()
}

#[test]
fn a_payment_signed_beforehand_is_credit_once_and_an_altered_one_is_none() {
    let home = elder(&[]);
    let right = [TO, TOKEN, "8453"];
    let refused = |payment: &Value, asked: [&str; 3], why: &str| {
        let said = authorize(&home, payment, asked);
        assert!(said.code == 3 && said.err.contains(why), "{why}: {said:?}");
    };
    refused(&x402(SIXTY), [PAYER, TOKEN, "8453"], "it pays");
    refused(&x402(SIXTY), [TO, TOKEN, "1"], "signed it, or its words were changed");
    refused(&x402(SIXTY), [TO, TO, "8453"], "signed it, or its words were changed");
    refused(&x402(("60000001", SIXTY.1, SIXTY.2)), right, "signed it, or its words were changed");
    refused(&x402(("60000000", TWENTY.1, SIXTY.2)), right, "signed it, or its words were changed");
    for (bad, why) in [(json!({}), "no payment"), (x402(("6e7", 9, SIXTY.2)), "numbers are written as text")] {
        let said = authorize(&home, &bad, right);
        assert!(said.code == 2 && said.err.contains(why), "{why}: {said:?}");
    }
    let said = authorize(&home, &x402(SIXTY), ["bB", TOKEN, "8453"]);
    assert!(said.code == 2 && said.err.contains("--to"), "{said:?}");
    assert_eq!(
        home.json(&["treasury", "show"])["authorizations"].as_array().unwrap().len(),
        0,
        "nothing of it is kept"
    );

    // Too little is there: nothing is taken in for a death that it cannot pay for.
    assert_eq!(authorize(&home, &x402(TWENTY), right).json()["new"], true);
    home.bardo(&["golem", "kill", "elder", "--yes", "--reason", "time"]);
    assert_eq!(golems(&home).len(), 1);
    let told = home.json(&["treasury", "show"]);
    assert!(told["authorizations"][0]["used_for"].is_null() && told["credited_micro_usdc"] == 0, "{told:#}");

    // The larger one covers it: it counts once, and the smaller one stays.
    let first = authorize(&home, &x402(SIXTY), right).json();
    assert_eq!((&first["new"], &first["amount_micro_usdc"]), (&json!(true), &json!(60_000_000)));
    assert_eq!(authorize(&home, &x402(SIXTY), right).json()["new"], false, "the same nonce is the same payment");
    let heir = home.json(&["golem", "successor", "elder", "--auto"]);
    assert_eq!((heir["step"].as_str(), golems(&home).len()), (Some("done"), 2));
    for _ in 0..2 {
        let told = home.json(&["treasury", "show"]);
        let n = |key: &str| told[key].as_u64().unwrap();
        assert_eq!(
            [n("credited_micro_usdc"), n("moved_micro_usdc"), n("free_micro_usdc")],
            [60_000_000, 50_000_000, 10_000_000]
        );
        let used = |at: usize| told["authorizations"][at]["used_for"].is_null();
        assert_eq!([used(0), used(1)].iter().filter(|unused| **unused).count(), 1, "{told:#}");
        assert_eq!(authorize(&home, &x402(SIXTY), right).json()["new"], false, "what was used is not new again");
        home.bardo(&["golem", "successor", "elder", "--auto"]);
    }
}

/// The process that holds a golem's lock.
fn holder(home: &Home, id: &str) -> Option<u32> {
    let lock = home.path().join("golems").join(id).join("lock");
    let pid: u32 = std::fs::read_to_string(lock).ok()?.trim().parse().ok()?;
    let words = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    String::from_utf8_lossy(&words).contains(id).then_some(pid)
}

fn wait_for<T>(what: &str, look: impl Fn() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn an_heir_in_a_process_of_its_own_lives_there_and_in_one_alone() {
    let home = elder(&["--set", "succession.provision.kind=process"]);
    home.ok(&["treasury", "add", "70"]);
    let said = home.bardo(&["golem", "kill", "elder", "--yes", "--reason", "time"]);
    assert!(said.err.contains("elder-1 succeeds elder, in a process of this machine"), "{said:?}");
    let all = golems(&home);
    let heir = all.iter().find(|golem| golem["name"] == "elder-1").expect("an heir");
    let id = heir["id"].as_str().unwrap().to_owned();
    let pid = wait_for("nobody runs the heir", || holder(&home, &id));
    // A group of its own: whoever breaks off the run of the dead one does not break off this one.
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let group = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(2).unwrap().to_owned();
    assert_eq!(group, pid.to_string());
    wait_for("it does not live", || {
        golems(&home).iter().find(|g| g["id"] == id.as_str()).and_then(|g| g["tick"].as_u64()).filter(|tick| *tick > 0)
    });
    // Asked again nobody else is begun, and nobody else is born.
    home.bardo(&["golem", "successor", "elder", "--auto"]);
    assert_eq!((holder(&home, &id), golems(&home).len()), (Some(pid), 2));
    let said = home.bardo(&["golem", "run", "elder-1", "--ticks", "1", "--quiet"]);
    assert_ne!(said.code, 0, "it lives elsewhere: {said:?}");
    // A request to stop is followed, as by every run.
    assert!(std::process::Command::new("kill").arg(pid.to_string()).status().unwrap().success());
    wait_for("it does not stop", || holder(&home, &id).is_none().then_some(()));
    home.live("elder-1", Some(3));
}
