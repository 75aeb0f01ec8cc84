//! A channel that is a program: run without a shell, with the notice on its stdin, ended when its time is over with whatever of its
//! process group is left; what it put into a session of its own (`setsid`) lives on. It has no part of our environment that it was not
//! given: keys and passphrases may be in there.

use super::fault::{BROKEN_OFF, SendFault};
use super::gate::HeraldGate;
use golem_home::notify::NotifyChannel;
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What programs need to find others, and to reach the desktop of who is logged in.
const GIVEN: [&str; 12] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_ALL",
    "TZ",
    "TMPDIR",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "WAYLAND_DISPLAY",
];
const LOOK: Duration = Duration::from_millis(20);

/// Run it.
pub fn run(channel: &NotifyChannel, json: &str, aloud: bool, gate: &HeraldGate) -> Result<(), SendFault> {
    let failed = |why: String| Err(SendFault::Failed(why));
    let Some((program, arguments)) = channel.command.split_first() else {
        return failed("no program is named".to_owned());
    };
    let names = GIVEN.iter().copied().chain(channel.env.iter().map(String::as_str));
    let heard = || if aloud { Stdio::inherit() } else { Stdio::null() };
    let begun = Command::new(program)
        .args(arguments)
        .env_clear()
        .envs(names.filter_map(|name| Some((name, std::env::var_os(name)?))))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(heard())
        .process_group(0)
        .spawn();
    let mut child = match begun {
        Ok(child) => child,
        Err(e) => return failed(format!("{program} cannot be run: {e}")),
    };
    let until = Instant::now() + Duration::from_secs(channel.timeout_s);
    if let Some(mut stdin) = child.stdin.take() {
        // Who does not want to read it need not: a pipe that is full keeps a thread of its own, and only as long as somebody holds
        // its other end.
        let words = format!("{json}\n");
        let write = move || drop(stdin.write_all(words.as_bytes()));
        if let Err(e) = std::thread::Builder::new().name("notice".to_owned()).spawn(write) {
            end(&mut child);
            return failed(format!("{program} cannot be given the notice: {e}"));
        }
    }
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return failed(format!("{program} ended with {status}")),
            Ok(None) if gate.is_over() => {
                end(&mut child);
                return failed(BROKEN_OFF.to_owned());
            }
            Ok(None) if Instant::now() < until => std::thread::sleep(LOOK),
            Ok(None) => {
                end(&mut child);
                return failed(format!("{program} took longer than {} s", channel.timeout_s));
            }
            Err(e) => {
                end(&mut child);
                return failed(format!("{program}: {e}"));
            }
        }
    }
}

/// With its process group, and without leaving a zombie.
fn end(child: &mut Child) {
    let _gone = kill_process_group(Pid::from_child(child), Signal::KILL);
    let _gone = child.kill();
    let _reaped = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_home::notify::NotifyFile;

    /// A pipe holds 64 KiB; what is longer waits for a reader, and the time of the channel runs meanwhile.
    #[test]
    fn a_hook_that_does_not_read_is_ended_when_its_time_is_over() {
        let text = "[[notify.channels]]\nname = \"deaf\"\ncommand = [\"/bin/sleep\", \"30\"]\ntimeout_s = 1\n";
        let file = NotifyFile::read(text).unwrap();
        let long = "a".repeat(1 << 20);
        let begun = Instant::now();
        let why = run(&file.notify.channels[0], &long, false, &HeraldGate::default()).unwrap_err();
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
        assert!(why.words().contains("longer than 1 s"), "{why:?}");
    }
}
