//! Recorded conversations: what was answered then is answered again, to the same question only.

use crate::kit::{Server, door, request, said, used, with_schema};
use golem_inference::{AskedAt, CallNumber, CassetteError, Model, Recorded, Recorder};
use std::fs;
use std::os::unix::fs::PermissionsExt;

fn call(tick: u64, number: u32) -> CallNumber {
    CallNumber { at: AskedAt::Tick(tick), number }
}

#[test]
fn a_recording_answers_with_the_provider_gone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("life.jsonl");
    let dream = CallNumber { at: AskedAt::Cycle(3), number: 0 };
    let (first, second) = (request(), with_schema());
    let then = {
        let server = Server::start(vec![said("yes", used(30, 1)), said("no JSON", used(40, 9))]);
        let mut recorder = Recorder::new(door(&[&server]), &path).unwrap();
        let asks = [(call(7, 0), &first), (call(7, 1), &second), (dream, &first)];
        asks.map(|(call, request)| recorder.ask(call, request).unwrap())
    };
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let mut recorded = Recorded::new(&path).unwrap();
    assert_eq!(recorded.calls().collect::<Vec<_>>(), [call(7, 0), call(7, 1), dream]);
    // In any order, as often as one likes, to the last bit.
    for (call, request, reply) in
        [(dream, &first, &then[2]), (call(7, 0), &first, &then[0]), (call(7, 1), &second, &then[1])]
    {
        assert_eq!(&recorded.ask(call, request).unwrap(), reply);
    }
}

#[test]
fn another_question_gets_no_answer_and_says_what_differs() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("life.jsonl");
    let server = Server::start(vec![said("yes", used(30, 1))]);
    Recorder::new(door(&[&server]), &path).unwrap().ask(call(7, 0), &request()).unwrap();
    let mut recorded = Recorded::new(&path).unwrap();
    let mut other = request();
    other.system.push('.');
    let error = recorded.ask(call(7, 0), &other).unwrap_err();
    assert_eq!(error.to_string(), "turn 7, call 0: another question was recorded; the system text differs");
    let mut other = request();
    other.temperature = 0.5;
    assert!(recorded.ask(call(7, 0), &other).unwrap_err().to_string().ends_with("the temperature differs"));
    assert_eq!(recorded.ask(call(8, 0), &request()).unwrap_err().to_string(), "turn 8, call 0: nothing was recorded");
}

#[test]
fn a_damaged_recording_is_an_error_that_names_the_line() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("life.jsonl");
    let server = Server::start(vec![said("yes", used(30, 1))]);
    let mut recorder = Recorder::new(door(&[&server]), &path).unwrap();
    recorder.ask(call(1, 0), &request()).unwrap();
    assert!(matches!(recorder.ask(call(1, 0), &request()), Err(CassetteError::Twice(_))));
    recorder.ask(call(2, 0), &request()).unwrap();
    assert!(matches!(Recorder::new(door(&[&server]), &path), Err(CassetteError::Io { .. })), "nothing is overwritten");
    let whole = fs::read_to_string(&path).unwrap();
    for (text, word) in [
        (whole[..whole.len() - 20].to_owned(), "line 2"),
        (whole.replace("\"tick\":2", "\"tick\":1"), "recorded twice"),
        (whole.replacen("You decide.", "You obey.", 1), "line 1: turn 1, call 0: the answer is to another question"),
        (format!("{whole}\n"), "line 3"),
    ] {
        fs::write(&path, text).unwrap();
        let error = Recorded::new(&path).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
    assert!(matches!(Recorded::new(&dir.path().join("none")), Err(CassetteError::Io { .. })));
}
