//! Keys go to the host that they are for and nowhere else: not into errors, not into reports, not after a redirect.

use crate::kit::{Act, Server, open, provider, request, said, settings, used};
use golem_core::model::{ModelAnswer, ModelFailure};
use golem_inference::{Inference, ProviderKind, config::ProviderConfig, list};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const CANARY: &str = "sk-canary-2718281828";

fn key_file(dir: &Path) -> PathBuf {
    let path = dir.join("key");
    std::fs::write(&path, format!("{CANARY}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    path
}

fn with_key(url: &str, file: PathBuf) -> ProviderConfig {
    ProviderConfig { key_file: Some(file), ..provider("a", ProviderKind::Openai, url) }
}

#[test]
fn a_redirect_gets_no_key_and_is_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    let thief = Server::start(vec![said("yes", used(30, 1))]);
    for status in [301, 302, 303, 307, 308] {
        let server = Server::start(vec![Act::Say(status, vec![("location", thief.url.clone())], vec![])]);
        let reply = open(&settings(vec![with_key(&server.url, key_file(dir.path()))])).ask(&request());
        assert_eq!(reply.answer, ModelAnswer::Nothing { why: ModelFailure::Refused });
        assert!(server.seen()[0].headers["authorization"].contains(CANARY));
    }
    assert_eq!(thief.seen().len(), 0);
}

#[test]
fn no_reply_report_or_error_shows_a_key() {
    let dir = tempfile::tempdir().unwrap();
    let echo = format!(r#"{{"error":{{"message":"the key {CANARY} is not valid"}}}}"#);
    let acts = [
        Act::Say(401, vec![], echo.clone().into_bytes()),
        Act::Say(400, vec![], echo.into_bytes()),
        said(&format!("your key is {CANARY}"), used(30, 9)),
        Act::Close,
        Act::Hang,
    ];
    for act in acts {
        let server = Server::start(vec![act]);
        let config = settings(vec![with_key(&server.url, key_file(dir.path()))]);
        let mut door = open(&config);
        let mut asked = request();
        asked.timeout_ms = 300;
        let reply = door.ask(&asked);
        let shown = format!(
            "{reply:?} {} {:?} {config:?} {}",
            serde_json::to_string(&reply).unwrap(),
            list(&config),
            serde_json::to_string(&config).unwrap()
        );
        assert!(!shown.contains(CANARY), "{shown}");
        assert!(server.seen()[0].headers["authorization"].contains(CANARY), "the key was not even used");
    }
}

#[test]
fn a_prompt_that_holds_the_key_is_not_sent() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(vec![said("yes", used(30, 1))]);
    let mut door = open(&settings(vec![with_key(&server.url, key_file(dir.path()))]));
    let mut asked = request();
    asked.system = format!("Use {CANARY} wisely.");
    assert_eq!(door.ask(&asked).answer, ModelAnswer::Nothing { why: ModelFailure::Leaked });
    assert_eq!(server.seen().len(), 0);
}

#[test]
fn a_key_that_others_can_read_or_that_is_not_there_is_a_problem() {
    let dir = tempfile::tempdir().unwrap();
    let file = key_file(dir.path());
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    let mut named = provider("b", ProviderKind::Openai, "http://127.0.0.1:9");
    named.key_env = Some("BARDO_TEST_NO_SUCH_KEY".into());
    let config = settings(vec![with_key("http://127.0.0.1:9", file), named]);
    let problems = Inference::new(&config).err().unwrap();
    let keys: Vec<&str> = problems.0.iter().map(|p| p.key.as_str()).collect();
    assert_eq!(keys, ["providers.0.key_file", "providers.1.key_env"]);
    assert!(!problems.to_string().contains(CANARY));
}

#[test]
fn no_proxy_sees_what_is_for_this_machine() {
    let proxy = Server::start(vec![said("yes", used(30, 1))]);
    // Another test, once more in a process whose environment names a proxy.
    let ran = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "faults::a_fitting_answer_is_given_and_paid_exactly"])
        .envs(["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"].map(|name| (name, &proxy.url)))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}");
    assert_eq!(proxy.seen().len(), 0);
}
