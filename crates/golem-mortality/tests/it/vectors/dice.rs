//! Deterministic dice for tests (splitmix64, Box-Muller) and the series they make. Shared by `#[path]`, not a test.
#![allow(dead_code, reason = "each test binary uses a part")]

/// A small generator, the same as in `tools/make_vectors.py`.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// In [0, 1).
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Standard normal.
    pub fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.uniform()));
        radius * libm::cos(std::f64::consts::TAU * self.uniform())
    }

    pub fn normals(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.normal()).collect()
    }

    /// A stationary series of variance 1 that remembers `phi` of itself from one tick to the next.
    pub fn remembering(&mut self, n: usize, phi: f64) -> Vec<f64> {
        let mut x = self.normal();
        (0..n)
            .map(|_| {
                x = phi * x + libm::sqrt(1.0 - phi * phi) * self.normal();
                x
            })
            .collect()
    }
}

/// The full count when `BARDO_LONG=1` is set, a slice of it otherwise.
pub fn worlds(slice: u64, full: u64) -> u64 {
    if std::env::var_os("BARDO_LONG").is_some_and(|value| value == "1") { full } else { slice }
}
