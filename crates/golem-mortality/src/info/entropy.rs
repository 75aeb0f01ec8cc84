//! How much news there is in the golem's own actions: the normalised Lempel-Ziv (1976) entropy rate.
//!
//! The page this follows calls a ratio of distinct hashes by that name, and forgets hashes that are still present; this
//! is the real measure: the number of phrases needed to spell the sequence when each phrase may copy from what came
//! before (Lempel and Ziv 1976; Kaspar and Schuster 1987), times log2(n)/n bits per action.

use super::pairs::ACTION_AXES;

/// Letters that an action can be spelled with: below, at or above zero on each of three axes.
pub const LETTERS: usize = 27;

/// The letter of an action.
#[must_use]
pub fn letter(action: &[f64; ACTION_AXES]) -> u8 {
    action.iter().fold(0, |letter, &x| letter * 3 + u8::from(x >= 0.0) + u8::from(x > 0.0))
}

/// Entropy rate of a sequence of letters as a share of the most that [`LETTERS`] letters can carry, in [0, 1].
///
/// `None` for fewer than two letters. A golem that always does the same is near 0; a thousand letters at random are near
/// 0.8, because the measure converges slowly. Its falls matter, not its height.
#[must_use]
pub fn entropy_rate(letters: &[u8]) -> Option<f64> {
    let n = letters.len();
    if n < 2 {
        return None;
    }
    let bits = phrases(letters) as f64 * libm::log2(n as f64) / n as f64;
    Some((bits / libm::log2(LETTERS as f64)).clamp(0.0, 1.0))
}

/// Number of phrases in the exhaustive history of a sequence: each is the shortest that did not occur before.
///
/// A phrase may overlap its own earlier occurrence. Letters at or above [`LETTERS`] count as the last letter.
#[must_use]
pub fn phrases(letters: &[u8]) -> usize {
    let automaton = Automaton::of(letters);
    let mut phrases = 0;
    let mut state = 0;
    for (at, &letter) in letters.iter().enumerate() {
        // The phrase so far, with this letter, was seen before iff its first occurrence ends earlier than here.
        let next = automaton.states[state].next[index(letter)];
        if next != NONE && automaton.states[next as usize].first_end < at {
            state = next as usize;
        } else {
            phrases += 1;
            state = 0;
        }
    }
    // A rest that did occur before is an unfinished phrase, and counts as one.
    phrases + usize::from(state != 0)
}

const NONE: u32 = u32::MAX;

fn index(letter: u8) -> usize {
    usize::from(letter).min(LETTERS - 1)
}

#[derive(Clone)]
struct SuffixState {
    next: [u32; LETTERS],
    link: u32,
    length: usize,
    /// Where the first occurrence of the state's strings ends.
    first_end: usize,
}

/// All substrings of a sequence, in linear space and time (Blumer and others 1985).
struct Automaton {
    states: Vec<SuffixState>,
}

impl Automaton {
    fn of(letters: &[u8]) -> Self {
        let mut states = Vec::with_capacity(letters.len().saturating_mul(2).saturating_add(1));
        states.push(SuffixState { next: [NONE; LETTERS], link: NONE, length: 0, first_end: 0 });
        let mut automaton = Self { states };
        let mut last = 0;
        for (at, &letter) in letters.iter().enumerate() {
            last = automaton.extend(last, at, index(letter));
        }
        automaton
    }

    fn add(&mut self, state: SuffixState) -> u32 {
        self.states.push(state);
        (self.states.len() - 1) as u32
    }

    fn extend(&mut self, last: u32, at: usize, letter: usize) -> u32 {
        let length = self.states[last as usize].length + 1;
        let new = self.add(SuffixState { next: [NONE; LETTERS], link: 0, length, first_end: at });
        let mut from = last;
        while from != NONE && self.states[from as usize].next[letter] == NONE {
            self.states[from as usize].next[letter] = new;
            from = self.states[from as usize].link;
        }
        if from != NONE {
            let to = self.states[from as usize].next[letter];
            let wanted = self.states[from as usize].length + 1;
            let link =
                if self.states[to as usize].length == wanted { to } else { self.split(from, to, letter, wanted) };
            self.states[new as usize].link = link;
        }
        new
    }

    fn split(&mut self, mut from: u32, to: u32, letter: usize, length: usize) -> u32 {
        let copy = SuffixState { length, ..self.states[to as usize].clone() };
        let copy = self.add(copy);
        while from != NONE && self.states[from as usize].next[letter] == to {
            self.states[from as usize].next[letter] = copy;
            from = self.states[from as usize].link;
        }
        self.states[to as usize].link = copy;
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_kaspar_and_schuster() {
        // 0 . 001 . 10 . 100 . 1000 . 101
        assert_eq!(phrases(&[0, 0, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1]), 6);
        assert_eq!(phrases(&[]), 0);
        assert_eq!(phrases(&[5]), 1);
        assert_eq!(phrases(&[5; 100]), 2);
    }

    #[test]
    fn letters_of_actions() {
        assert_eq!(letter(&[0.0, -0.0, 0.0]), 13);
        assert_eq!(letter(&[-1.0, -1.0, -1.0]), 0);
        assert_eq!(letter(&[1.0, 1.0, 1.0]), 26);
        assert_eq!(letter(&[f64::NAN, 1.0, 0.0]), 7);
    }

    #[test]
    fn sameness_is_low_and_variety_high() {
        assert_eq!(entropy_rate(&[1]), None);
        assert!(entropy_rate(&[1; 1_000]).unwrap() < 0.01);
        let mut state = 1_u32;
        let varied: Vec<u8> = (0..1_000)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                ((state >> 16) % 27) as u8
            })
            .collect();
        assert!(entropy_rate(&varied).unwrap() > 0.7);
    }
}
