//! Asking at the terminal without showing what is typed. The terminal is left as it was found, also when the answer is
//! Ctrl-C: the interrupt is taken as an answer, so that no signal can end the process while echo is off.

use super::{LONGEST, Passphrase};
use crate::error::Error;
use rustix::termios::{self, LocalModes, OptionalActions, SpecialCodeIndex, Termios};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use zeroize::Zeroizing;

const CTRL_C: u8 = 3;

/// Ask whoever sits at the terminal of this process.
pub(super) fn ask(question: &str) -> Result<Passphrase, Error> {
    let tty = OpenOptions::new().read(true).write(true).open("/dev/tty").map_err(|_| Error::NoTerminal)?;
    ask_at(&tty, question)
}

fn ask_at(tty: &File, question: &str) -> Result<Passphrase, Error> {
    let fail = |e: std::io::Error| Error::io("ask for the passphrase at", Path::new("/dev/tty"), e);
    let before = termios::tcgetattr(tty).map_err(|_| Error::NoTerminal)?;
    let mut silent = before.clone();
    silent.local_modes.remove(LocalModes::ECHO | LocalModes::ISIG);
    silent.local_modes.insert(LocalModes::ICANON | LocalModes::ECHONL);
    silent.special_codes[SpecialCodeIndex::VEOL] = CTRL_C;
    termios::tcsetattr(tty, OptionalActions::Flush, &silent).map_err(|e| fail(e.into()))?;
    let restore = RestoreTerminal { tty, before };
    let mut out = tty;
    out.write_all(question.as_bytes()).map_err(fail)?;
    let answer = line(tty).map_err(fail);
    drop(restore);
    let answer = answer?;
    if answer.is_empty() || answer.last() == Some(&CTRL_C) {
        return Err(Error::Cancelled);
    }
    Passphrase::new(answer)
}

/// Up to the end of the line, the interrupt, or the end of input.
fn line(mut tty: &File) -> std::io::Result<Zeroizing<Vec<u8>>> {
    let mut line = Zeroizing::new(Vec::with_capacity(LONGEST + 3));
    let mut byte = Zeroizing::new([0; 1]);
    while line.len() < LONGEST + 3 {
        match tty.read(byte.as_mut()) {
            Ok(0) => break,
            Ok(_) => line.push(byte[0]),
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        }
        if matches!(byte[0], b'\n' | CTRL_C) {
            break;
        }
    }
    Ok(line)
}

struct RestoreTerminal<'a> {
    tty: &'a File,
    before: Termios,
}

impl Drop for RestoreTerminal<'_> {
    fn drop(&mut self) {
        // Nothing can be done when the terminal is gone. What was typed beyond the answer is thrown away.
        let _ = termios::tcsetattr(self.tty, OptionalActions::Flush, &self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    /// A real pseudo-terminal: what we type goes into the first end, the program sees the second.
    fn terminal() -> (File, File) {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let theirs = rustix::fs::open(&name, rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY, 0.into()).unwrap();
        (ours.into(), theirs.into())
    }

    /// What is answered when, once the question is there, this is typed; and what the screen then shows.
    fn answer(typed: &[u8]) -> (Result<Vec<u8>, Error>, String, bool) {
        let (mut ours, theirs) = terminal();
        let modes = termios::tcgetattr(&theirs).unwrap().local_modes;
        let asking = std::thread::spawn(move || {
            let answer = ask_at(&theirs, "Passphrase: ").map(|p| p.bytes().to_vec());
            (answer, theirs)
        });
        let mut screen = Vec::new();
        let mut byte = [0];
        while !screen.ends_with(b"Passphrase: ") {
            ours.read_exact(&mut byte).unwrap();
            screen.push(byte[0]);
        }
        ours.write_all(typed).unwrap();
        let (answer, mut theirs) = asking.join().unwrap();
        let restored = termios::tcgetattr(&theirs).unwrap().local_modes == modes;
        theirs.write_all(b"#").unwrap();
        while screen.last() != Some(&b'#') {
            ours.read_exact(&mut byte).unwrap();
            screen.push(byte[0]);
        }
        (answer, String::from_utf8_lossy(&screen).into_owned(), restored)
    }

    #[test]
    fn what_is_typed_is_not_shown() {
        let (answer, screen, restored) = answer(b"open sesame\n");
        assert_eq!(answer.unwrap(), b"open sesame");
        assert!(!screen.contains("sesame"), "{screen:?}");
        assert!(restored);
    }

    #[test]
    fn a_slip_can_be_corrected() {
        assert_eq!(answer(b"opem\x7fn\n").0.unwrap(), b"open");
    }

    #[test]
    fn an_interrupt_is_an_answer_and_the_terminal_is_as_before() {
        for typed in [&b"half\x03"[..], b"\x03", b"\x04"] {
            let (answer, screen, restored) = answer(typed);
            assert!(matches!(answer, Err(Error::Cancelled)), "{typed:?}: {answer:?}");
            assert!(restored && !screen.contains("half"), "{screen:?}");
        }
        assert!(matches!(answer(b"\n").0, Err(Error::EmptyPassphrase)));
    }
}
