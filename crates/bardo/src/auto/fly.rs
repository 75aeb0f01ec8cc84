//! The Fly Machines API: one machine and one volume for one death, found again by their names whatever was heard of the answer.
//!
//! The heir is born there, from its settings and the bundle that the dead one signed: no key of a golem travels. The token comes from the
//! environment, is stored nowhere and stands in no error.

use super::fly_line::{FlyAnswer, FlyLine};
use super::provision::{BerthOrder, BerthRefusal, Provisioner};
use golem_clade::succession::FlyConfig;
use golem_core::GolemId;
use golem_core::words::one_line;
use serde_json::{Value, json};

/// States in which a machine stands ready, or runs.
const READY: [&str; 4] = ["created", "stopped", "started", "suspended"];
/// Where a machine finds its settings and what was left to it: beside the program, which is the image's `/bardo`.
const SETTINGS: &str = "/heir/golem.toml";
const LEFT: &str = "/heir/left.bundle";
/// Seconds that a machine may take to come to a state.
const WAIT_S: u64 = 60;

/// Machines of one app.
pub struct FlyBerth {
    config: FlyConfig,
    line: FlyLine,
}

impl FlyBerth {
    /// Speak to the API that the settings name. Without a token nothing is asked.
    pub fn new(config: &FlyConfig) -> Result<Self, BerthRefusal> {
        let token = std::env::var(&config.token_env).unwrap_or_default();
        let token = token.trim();
        if token.len() < 8 || !token.bytes().all(|b| b.is_ascii_graphic() || b == b' ') {
            return Err(BerthRefusal::lasting(format!(
                "the environment has no usable {}; export it",
                config.token_env
            )));
        }
        let line = FlyLine::new(&config.api, token, config.timeout_s).map_err(BerthRefusal::lasting)?;
        Ok(Self { config: config.clone(), line })
    }

    fn at(&self, rest: &str) -> String {
        format!("/v1/apps/{}/{rest}", self.config.app)
    }

    /// The machine of a death, if there is one. It is told by its name and by what it says of itself: a stranger's machine with
    /// the same name is not taken for it.
    fn machine(&self, dead: GolemId) -> Result<Option<Value>, BerthRefusal> {
        ours(&good(self.machines(dead))?, dead)
    }

    fn machines(&self, dead: GolemId) -> Result<FlyAnswer, String> {
        self.line.get(&self.at(&format!("machines?metadata.bardo_death={dead}")))
    }

    fn volume(&self, dead: GolemId) -> Result<String, BerthRefusal> {
        let name = volume_name(dead);
        let all = good(self.line.get(&self.at("volumes")))?;
        let ours =
            |v: &&Value| v["name"] == name.as_str() && v["state"] != "destroyed" && v["state"] != "pending_destroy";
        if let Some(id) = all.as_array().and_then(|all| all.iter().find(ours)).and_then(|v| v["id"].as_str()) {
            return plain_id(id);
        }
        let asked = json!({ "name": name, "region": self.config.region, "size_gb": 1, "encrypted": true });
        let made = good(self.line.post(&self.at("volumes"), &asked))?;
        plain_id(made["id"].as_str().unwrap_or_default())
    }

    fn body(&self, order: &BerthOrder<'_>, volume: &str) -> Value {
        let FlyConfig { region, image, cpu_kind, cpus, memory_mb, .. } = &self.config;
        let name = &order.will.name;
        let roots: Vec<String> = order.will.without.iter().map(ToString::to_string).collect();
        let budget = order.will.budget.to_string();
        // The image has one program and nothing else, no shell either. A machine that starts again bears nobody twice.
        let mut live = vec!["golem", "create", name.as_str(), "--live", "--budget", &budget];
        live.extend(["--config", SETTINGS, "--heirloom", LEFT]);
        let roots = roots.join(",");
        if !roots.is_empty() {
            live.extend(["--without", &roots]);
        }
        let file = |path: &str, bytes: &[u8]| json!({ "guest_path": path, "raw_value": base64(bytes) });
        json!({
            "name": machine_name(order.dead), "region": region, "skip_launch": true,
            "config": {
                "image": image, "guest": { "cpu_kind": cpu_kind, "cpus": cpus, "memory_mb": memory_mb },
                "metadata": { "bardo_death": order.dead.to_string(), "bardo_heir": name },
                "env": { "BARDO_HOME": "/data" },
                "mounts": [{ "volume": volume, "path": "/data" }],
                "files": [file(SETTINGS, order.will.settings.as_bytes()), file(LEFT, order.bundle)],
                "init": { "cmd": live },
                "restart": { "policy": "on-failure" },
            },
        })
    }

    /// Wait until a machine has come to a state.
    fn wait(&self, id: &str, state: &str) -> Result<(), BerthRefusal> {
        let seconds = WAIT_S.min(self.config.timeout_s);
        good(self.line.get(&self.at(&format!("machines/{id}/wait?state={state}&timeout={seconds}")))).map(drop)
    }

    fn destroy(&self, id: &str) -> Result<(), BerthRefusal> {
        match self.line.delete(&self.at(&format!("machines/{id}?force=true"))) {
            // Gone is gone.
            Ok(answer) if answer.status == 404 => Ok(()),
            other => good(other).map(drop),
        }
    }
}

impl Provisioner for FlyBerth {
    fn is_here(&self) -> bool {
        false
    }

    fn provision(&mut self, order: &BerthOrder<'_>) -> Result<String, BerthRefusal> {
        // Whoever asked before and heard no answer finds what came of it.
        let found = match self.machine(order.dead)? {
            Some(machine) => machine,
            None => {
                let volume = self.volume(order.dead)?;
                good(self.line.post(&self.at("machines"), &self.body(order, &volume)))?
            }
        };
        let id = plain_id(found["id"].as_str().unwrap_or_default())?;
        let state = found["state"].as_str().unwrap_or_default();
        let ready = if READY.contains(&state) { Ok(()) } else { self.wait(&id, "stopped") };
        match ready {
            Ok(()) => Ok(format!("machine {id}")),
            Err(refusal) => {
                // A machine that never came to stand is given back, and another is asked for later.
                self.destroy(&id)?;
                Err(refusal)
            }
        }
    }

    fn boot(&mut self, berth: &str, _: Option<GolemId>) -> Result<(), BerthRefusal> {
        let id = plain_id(berth.strip_prefix("machine ").unwrap_or_default())?;
        let machine = good(self.line.get(&self.at(&format!("machines/{id}"))))?;
        if machine["state"] != "started" {
            good(self.line.post(&self.at(&format!("machines/{id}/start")), &json!({})))?;
            self.wait(&id, "started")?;
        }
        Ok(())
    }

    fn reach(&mut self, dead: GolemId) -> Result<(), BerthRefusal> {
        self.machine(dead).map(drop)
    }

    fn release(&mut self, dead: GolemId) -> Result<(), BerthRefusal> {
        let all = match self.machines(dead) {
            // An app that is gone has taken everything along.
            Ok(answer) if answer.status == 404 => return Ok(()),
            other => good(other)?,
        };
        if let Some(machine) = ours(&all, dead)? {
            self.destroy(&plain_id(machine["id"].as_str().unwrap_or_default())?)?;
        }
        let name = volume_name(dead);
        let all = good(self.line.get(&self.at("volumes")))?;
        for volume in all.as_array().into_iter().flatten().filter(|v| v["name"] == name.as_str()) {
            let id = plain_id(volume["id"].as_str().unwrap_or_default())?;
            match self.line.delete(&self.at(&format!("volumes/{id}"))) {
                Ok(answer) if answer.status == 404 => {}
                other => drop(good(other)?),
            }
        }
        Ok(())
    }
}

/// The machine among these that is for a death. A stranger's with the same name is not taken for it.
fn ours(all: &Value, dead: GolemId) -> Result<Option<Value>, BerthRefusal> {
    let is = |m: &&Value| {
        let says = m.pointer("/config/metadata/bardo_death").and_then(Value::as_str);
        says == Some(&dead.to_string()) && m["state"] != "destroyed" && m["state"] != "destroying"
    };
    let found: Vec<&Value> = all.as_array().map(|all| all.iter().filter(is).collect()).unwrap_or_default();
    match found[..] {
        [] => Ok(None),
        [one] => Ok(Some(one.clone())),
        _ => Err(BerthRefusal::lasting(format!("{} machines say that they are for one death", found.len()))),
    }
}

/// What an answer says, if it is a good one. What the owner alone can change is told apart from what passes.
fn good(answer: Result<FlyAnswer, String>) -> Result<Value, BerthRefusal> {
    let FlyAnswer { status, body } = answer.map_err(BerthRefusal::passing)?;
    let words = one_line(&String::from_utf8_lossy(&body), 200);
    match status {
        200..=299 if body.is_empty() => Ok(Value::Null),
        200..=299 => {
            serde_json::from_slice(&body).map_err(|e| BerthRefusal::passing(format!("no JSON came back: {e}")))
        }
        // Another of ours was quicker, or a wait is over: the next look says.
        408 | 409 | 412 | 425 | 429 | 500..=599 => Err(BerthRefusal::passing(format!("{status}: {words}"))),
        _ => Err(BerthRefusal::lasting(format!("{status}: {words}"))),
    }
}

/// An id becomes part of an address.
fn plain_id(id: &str) -> Result<String, BerthRefusal> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match !id.is_empty() && id.len() <= 64 && id.chars().all(plain) {
        true => Ok(id.to_owned()),
        false => Err(BerthRefusal::passing("the answer names no id")),
    }
}

fn machine_name(dead: GolemId) -> String {
    format!("bardo-heir-of-{dead}")
}

/// At most thirty letters, digits and underscores.
fn volume_name(dead: GolemId) -> String {
    format!("heir_{}", dead.to_string().chars().take(24).collect::<String>())
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0u32, |all, b| all << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for n in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * n)) as usize & 63];
            out.push(if n <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests;
