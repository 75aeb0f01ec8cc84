//! Addresses of nodes that carry a key: given by the environment's name, replaced during a life, and in clear nowhere.

use crate::kit::{Said, nowhere};
use crate::rpc::node::{Proxy, anvil};
use crate::rpc::stage::{Node, Stage};
use std::os::unix::fs::PermissionsExt;

const VARIABLE: &str = "BARDO_TEST_NODE_URL";
const SECRETS: [&str; 2] = ["hunter2hunter2", "0123456789abcdef0123456789abcdef"];

fn with_keys(address: &str, n: usize) -> String {
    format!("http://me:{0}@{address}/?key={0}", SECRETS[n])
}

#[test]
fn an_address_with_a_key_is_stored_and_shown_nowhere_and_can_be_replaced() {
    if anvil::is_missing() {
        return;
    }
    let mut stage = Stage::with(Node::anvil(true), |toml, address| {
        toml.replace(&format!("urls = [\"http://{address}\"]"), &format!("urls = []\nurl_env = [\"{VARIABLE}\"]"))
    });
    stage.node_funds();
    let (first, second) = (Proxy::before(&stage.town().anvil.address), Proxy::before(&stage.town().anvil.address));
    let pass = stage.passphrase.display().to_string();
    let run = |url: Option<String>, extra: &[&str]| -> Said {
        let args = ["golem", "run", "ada", "--speed", "max", "--quiet", "--ticks", "4", "--passphrase-file", &pass];
        let mut command = stage.home.command(&[&args[..], extra].concat());
        command.env_remove(VARIABLE);
        if let Some(url) = url {
            command.env(VARIABLE, url);
        }
        command.output().unwrap().into()
    };
    let quiet = |said: &Said| SECRETS.iter().all(|s| !said.out.contains(s) && !said.err.contains(s));
    let missing = run(None, &[]);
    assert!(missing.code == 2 && missing.err.contains(VARIABLE), "{missing:?}");
    let ok = run(Some(with_keys(&first.address, 0)), &[]);
    assert!(ok.code == 0 && quiet(&ok), "{ok:?}");
    // Another node, another key, the same life.
    let asked = second.asked();
    let ok = run(Some(with_keys(&second.address, 1)), &[]);
    assert!(ok.code == 0 && quiet(&ok) && second.asked() > asked, "{ok:?}");
    drop((first, second));
    let away = run(Some(with_keys("127.0.0.1:9", 0)), &[]);
    assert!(away.code != 0 && quiet(&away), "{away:?}");
    // Settings without a key may stand in for those it was born with.
    let file = stage.home.path().join("nodes.toml");
    std::fs::write(&file, format!("[chain.rpc]\nurls = [\"{}\"]\n", stage.town().anvil.url())).unwrap();
    let ok = run(None, &["--nodes", &file.display().to_string()]);
    assert!(ok.code == 0, "{ok:?}");
    let plain = run(Some(format!("http://node.example/{}", SECRETS[1])), &[]);
    assert!(plain.code == 2 && plain.err.contains("allow_remote_http") && quiet(&plain), "{plain:?}");
    for args in [&["golem", "status", "ada"][..], &["golem", "config", "ada"], &["golem", "logs", "ada"]] {
        assert!(quiet(&stage.home.bardo(args)), "{args:?}");
    }
    SECRETS.iter().for_each(|secret| nowhere(stage.home.path(), secret));
    let toml = std::fs::metadata(stage.dir.join("golem.toml")).unwrap();
    assert_eq!(toml.permissions().mode() & 0o777, 0o600);
}

#[test]
fn settings_with_a_key_in_an_address_make_no_golem() {
    if anvil::is_missing() {
        return;
    }
    let stage = Stage::unfunded(Node::anvil(true));
    let settings = stage.home.path().join("settings.toml").display().to_string();
    for url in [format!("https://node.example/v3/{}", SECRETS[1]), format!("https://me:{}@node.example", SECRETS[0])] {
        let set = format!("chain.rpc.urls=[\"{url}\"]");
        let said = stage.home.bardo(&[
            "golem",
            "create",
            "bob",
            "--config",
            &settings,
            "--set",
            "chain.wallet=main",
            "--set",
            &set,
        ]);
        assert!(said.code == 2, "{said:?}");
        assert!(SECRETS.iter().all(|s| !said.err.contains(s) && !said.out.contains(s)), "{said:?}");
    }
    let provider = format!(
        "[[inference.providers]]\nname = \"x\"\nkind = \"openai\"\nmodel_t1 = \"m\"\n\
        price_t1 = {{ input_usdc_per_mtok = \"1\", output_usdc_per_mtok = \"1\" }}\nbase_url = \"https://models.example/{}/v1\"\n",
        SECRETS[1]
    );
    let file = stage.home.path().join("models.toml");
    std::fs::write(&file, provider).unwrap();
    let said = stage.home.bardo(&["golem", "create", "bob", "--config", &file.display().to_string()]);
    assert!(said.code == 2 && said.err.contains("base_url_env") && !said.err.contains(SECRETS[1]), "{said:?}");
    SECRETS[..1].iter().for_each(|secret| nowhere(stage.home.path(), secret));
}
