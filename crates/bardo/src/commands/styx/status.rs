//! `bardo styx status`: what a relay says of itself, and of one owner to whoever has its token.

use crate::cli::StyxStatus;
use crate::fail::Fail;
use crate::out::Out;
use golem_view::wrap::counted;
use reqwest::Client;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// How long a relay may take to say how it is.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most of an answer that is read.
const MOST: usize = 8 * 1024 * 1024;

/// Ask, and tell.
pub fn run(args: &StyxStatus, out: &Out) -> Result<(), Fail> {
    let base = base(&args.relay)?;
    let token = args.token_file.as_deref().map(secret).transpose()?;
    let client = client(args, &base)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    let told = runtime.block_on(async {
        match tokio::time::timeout(PATIENCE, ask(&client, &base, token.as_deref())).await {
            Ok(told) => told,
            Err(_) => Err("it does not answer in time".to_owned()),
        }
    });
    runtime.shutdown_background();
    let told = told.map_err(|why| {
        Fail::world_hint(format!("no relay at {base}: {why}"), "start one with bardo styx run, or name it: --relay URL")
    })?;
    out.result(&told, || words(&told))?;
    match told["ready"].as_bool() {
        Some(true) => Ok(()),
        _ => Err(Fail::world_hint("the relay runs, and its store does not answer", "look at its disk or its database")),
    }
}

/// Where it is asked; golems' own addresses of it are understood, too.
fn base(said: &str) -> Result<String, Fail> {
    let hint = "such as http://127.0.0.1:7078, or what bardo styx run printed";
    let bad = || Fail::hint("--relay is no address of a relay", hint);
    let (scheme, rest) = said.split_once("://").ok_or_else(bad)?;
    let scheme = match scheme {
        "http" | "ws" => "http",
        "https" | "wss" => "https",
        _ => return Err(bad()),
    };
    let host = rest.strip_suffix(styx::SOCKET_PATH).unwrap_or(rest).trim_end_matches('/');
    let plain = !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || ".-[]:".contains(c));
    if plain { Ok(format!("{scheme}://{host}")) } else { Err(bad()) }
}

fn secret(file: &std::path::Path) -> Result<String, Fail> {
    let hint = "bardo styx token OWNER prints it";
    let text = std::fs::read_to_string(file).map_err(|e| Fail::hint(format!("{}: {e}", file.display()), hint))?;
    Ok(text.trim().to_owned())
}

fn client(args: &StyxStatus, base: &str) -> Result<Client, Fail> {
    // The first one counts for the whole process; that there is one already is just as well.
    let _there = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder().redirect(reqwest::redirect::Policy::none()).retry(reqwest::retry::never());
    if base.starts_with("http://") {
        builder = builder.no_proxy();
    }
    if let Some(file) = &args.ca {
        let hint = "--ca is a certificate as a PEM file";
        let wrong = |why: String| Fail::hint(format!("{}: {why}", file.display()), hint);
        let bytes = std::fs::read(file).map_err(|e| wrong(e.to_string()))?;
        let trusted =
            reqwest::Certificate::from_pem_bundle(&bytes).map_err(|_| wrong("it is no certificate".to_owned()))?;
        if trusted.is_empty() {
            return Err(wrong("it is no certificate".to_owned()));
        }
        builder = builder.tls_certs_only(trusted);
    }
    builder.build().map_err(|e| Fail::world(format!("no HTTP client can be made: {e}")))
}

/// Everything that is told; others rely on these names.
async fn ask(client: &Client, base: &str, token: Option<&str>) -> Result<Value, String> {
    let (code, health) = get(client, base, "/health", None).await?;
    if code != 200 || !health.contains("ok") {
        return Err("something else answers there".to_owned());
    }
    let ready = get(client, base, "/ready", None).await?.0 == 200;
    let figures = figures(&get(client, base, "/metrics", None).await?.1);
    let mut told = json!({ "relay": base, "ready": ready, "golems": figures["connections"], "figures": figures });
    if let Some(token) = token {
        for name in ["log", "siblings"] {
            let (code, body) = get(client, base, &format!("/v1/styx/{name}"), Some(token)).await?;
            if code == 401 {
                return Err("it does not know the token (a closed epoch closes its tokens)".to_owned());
            }
            let mut value: Value = serde_json::from_str(&body).map_err(|_| "its answer cannot be read".to_owned())?;
            told[name] = if name == "siblings" { value["siblings"].take() } else { value };
        }
    }
    Ok(told)
}

async fn get(client: &Client, base: &str, path: &str, token: Option<&str>) -> Result<(u16, String), String> {
    let mut request = client.get(format!("{base}{path}"));
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    let broken = |e: reqwest::Error| match e.is_connect() {
        true => "nobody answers there, or not with a certificate that is trusted (--ca)".to_owned(),
        false => "the connection broke".to_owned(),
    };
    let mut response = request.send().await.map_err(broken)?;
    let (code, mut body) = (response.status().as_u16(), Vec::new());
    while let Some(part) = response.chunk().await.map_err(broken)? {
        if body.len() + part.len() > MOST {
            return Err("the answer has no end".to_owned());
        }
        body.extend_from_slice(&part);
    }
    Ok((code, String::from_utf8_lossy(&body).into_owned()))
}

/// Prometheus' lines as numbers.
fn figures(page: &str) -> Value {
    let line = |line: &str| {
        let (name, n) = line.split_once(' ')?;
        let name = name.strip_prefix("styx_")?;
        Some((name.strip_suffix("_total").unwrap_or(name).to_owned(), json!(n.parse::<u64>().ok()?)))
    };
    Value::Object(page.lines().filter_map(line).collect::<Map<String, Value>>())
}

fn words(told: &Value) -> String {
    let n = |name: &str| told["figures"][name].as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    let ready = if told["ready"] == json!(true) { "ready" } else { "its store does not answer" };
    let golems = counted(n("connections"), "golem");
    let mut text = format!("{ready}; {golems} connected\n");
    text +=
        &format!("  {} kept, {} known already, {} refused\n", counted(n("kept"), "delta"), n("known"), n("refused"));
    text += &format!("  {} sent to siblings, {} of them at once\n", n("sent") + n("urgent"), n("urgent"));
    text += &format!("  {} not let in, {} cut off\n", n("turned_away"), n("slow") + n("silent") + n("over_quota"));
    text += &format!("  the store failed {}\n", counted(n("store_faults"), "time"));
    if let Some(log) = told.get("log") {
        text += &format!("the owner's log is at {}, and holds {} bytes\n", log["head"], log["bytes"]);
    }
    for sibling in told.get("siblings").and_then(Value::as_array).into_iter().flatten() {
        text += &format!("  golem {} has read up to {}\n", sibling["golem"].as_str().unwrap_or("?"), sibling["cursor"]);
    }
    text
}
