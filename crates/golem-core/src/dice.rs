//! Addressed dice: a draw is a function of (secret, strand, tick, n), never of what was drawn before.
//!
//! Adding a draw in one place therefore never changes a life elsewhere. A room gets the dice of its own strand only:
//! whoever holds the mind's dice cannot compute a death roll.

use crate::hash::Hash;
use std::fmt;

/// What is drawn for. The name is hashed, so the order of this list means nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strand {
    /// The stochastic clock.
    Death,
    /// The mind's own chances (exploration).
    Mind,
    /// Surrogates and resampling in diagnostics.
    Diagnostics,
    /// The synthetic market.
    World,
    /// Fill-in paths between the bars of a recorded market.
    Bridge,
    /// Noise traders and rivals around a venue.
    Market,
    /// What a golem is like from birth on.
    Temperament,
    /// What is imagined: a dream's own chances, and the strangers in a market that never was.
    Dream,
    /// What short-lived children try.
    Phage,
}

impl Strand {
    fn name(self) -> &'static str {
        match self {
            Self::Death => "death",
            Self::Mind => "mind",
            Self::Diagnostics => "diagnostics",
            Self::World => "world",
            Self::Bridge => "bridge",
            Self::Market => "market",
            Self::Temperament => "temperament",
            Self::Dream => "dream",
            Self::Phage => "phage",
        }
    }
}

/// The sealed secret of a life. Its hash is public from birth; it is revealed at death.
///
/// It has no `Debug`, `Display` or `Serialize` that shows it: telling it takes an explicit [`Secret::reveal`].
#[derive(Clone, PartialEq, Eq)]
pub struct Secret([u8; 32]);

impl Secret {
    /// From 32 bytes of the operating system's randomness.
    #[must_use]
    pub fn from_entropy(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
    /// From a seed. Whoever knows the seed can compute every roll, so such a life is labelled open.
    #[must_use]
    pub fn from_seed(seed: u64) -> Self {
        Self(blake3::derive_key("bardo 2026 open life secret", &seed.to_le_bytes()))
    }
    /// The hash that is published at birth.
    #[must_use]
    pub fn commitment(&self) -> Hash {
        Hash(blake3::derive_key("bardo 2026 death roll commitment", &self.0))
    }
    /// The dice of one strand.
    #[must_use]
    pub fn dice(&self, strand: Strand) -> Dice {
        Dice { key: *blake3::keyed_hash(&self.0, strand.name().as_bytes()).as_bytes() }
    }
    /// The bytes themselves: for the golem's own file, and for the testament.
    #[must_use]
    pub fn reveal(&self) -> [u8; 32] {
        self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(sealed)")
    }
}

/// The dice of one strand.
#[derive(Clone, PartialEq, Eq)]
pub struct Dice {
    key: [u8; 32],
}

impl fmt::Debug for Dice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Dice(sealed)")
    }
}

impl Dice {
    /// Dice for worlds, whose seed is no secret.
    #[must_use]
    pub fn open(seed: u64, strand: Strand) -> Self {
        Secret::from_seed(seed).dice(strand)
    }
    /// Other dice, made from these: whoever rolls them learns nothing of what these will show.
    #[must_use]
    pub fn apart(&self, strand: Strand) -> Self {
        Self { key: *blake3::keyed_hash(&self.key, strand.name().as_bytes()).as_bytes() }
    }
    /// 53 bits in [0, 1): the `n`-th draw of this tick.
    #[must_use]
    pub fn uniform(&self, tick: u64, n: u32) -> f64 {
        to_unit(self.bits(tick, n))
    }
    /// 64 bits: the `n`-th draw of this tick.
    #[must_use]
    pub fn bits(&self, tick: u64, n: u32) -> u64 {
        let mut out = [0; 8];
        let mut xof = self.xof(tick);
        xof.set_position(u64::from(n) * 8);
        xof.fill(&mut out);
        u64::from_le_bytes(out)
    }
    /// The draws of this tick one after the other: the `n`-th equals `uniform(tick, n)`.
    #[must_use]
    pub fn draws(&self, tick: u64) -> Draws {
        Draws { xof: self.xof(tick), block: [0; 64], at: 64 }
    }
    fn xof(&self, tick: u64) -> blake3::OutputReader {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(&tick.to_le_bytes());
        hasher.finalize_xof()
    }
}

fn to_unit(bits: u64) -> f64 {
    (bits >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// The draws of one strand at one tick.
pub struct Draws {
    xof: blake3::OutputReader,
    block: [u8; 64],
    at: usize,
}

impl Draws {
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        if self.at == 64 {
            self.xof.fill(&mut self.block);
            self.at = 0;
        }
        let mut out = [0; 8];
        out.copy_from_slice(&self.block[self.at..self.at + 8]);
        self.at += 8;
        u64::from_le_bytes(out)
    }
    /// The next number in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        to_unit(self.bits())
    }
    /// Two independent standard normals (Box and Muller 1958).
    pub fn normals(&mut self) -> (f64, f64) {
        let u = 1.0 - self.uniform();
        let v = self.uniform();
        let r = libm::sqrt(-2.0 * libm::log(u));
        let (sin, cos) = libm::sincos(std::f64::consts::TAU * v);
        (r * cos, r * sin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_addressed() {
        let dice = Secret::from_seed(7).dice(Strand::World);
        let mut draws = dice.draws(42);
        for n in 0..40 {
            assert_eq!(draws.uniform().to_bits(), dice.uniform(42, n).to_bits(), "draw {n}");
        }
        assert_ne!(dice.bits(42, 0), dice.bits(43, 0));
        assert_ne!(dice.bits(42, 0), Secret::from_seed(7).dice(Strand::Mind).bits(42, 0));
        assert_ne!(dice.bits(42, 0), Secret::from_seed(8).dice(Strand::World).bits(42, 0));
        let apart = dice.apart(Strand::Dream);
        assert_eq!(apart, dice.apart(Strand::Dream));
        assert!(
            apart != dice && apart != dice.apart(Strand::Mind) && apart != Secret::from_seed(7).dice(Strand::Dream)
        );
    }

    #[test]
    fn a_known_draw_never_moves() {
        let bits = Secret::from_seed(1).dice(Strand::Death).bits(1, 0);
        assert_eq!(bits, KNOWN, "the dice changed: every recorded life would replay differently");
    }
    const KNOWN: u64 = 672_887_105_502_522_405;

    #[test]
    fn secrets_do_not_print() {
        let secret = Secret::from_seed(1);
        assert_eq!(format!("{secret:?} {:?}", secret.dice(Strand::Death)), "Secret(sealed) Dice(sealed)");
    }

    #[test]
    fn uniforms_fill_the_interval() {
        let dice = Dice::open(3, Strand::World);
        let (mut low, mut high, mut sum) = (1.0f64, 0.0f64, 0.0);
        for t in 0..20_000 {
            let u = dice.uniform(t, 0);
            assert!((0.0..1.0).contains(&u));
            low = low.min(u);
            high = high.max(u);
            sum += u;
        }
        assert!(low < 1e-3 && high > 0.999 && (sum / 20_000.0 - 0.5).abs() < 0.01);
    }
}
