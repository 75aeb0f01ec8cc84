//! The distribution of Kolmogorov's statistic: the chance that n numbers from a known distribution stray at least so far
//! from it.
//!
//! The choice of method by region follows Simard and L'Ecuyer, "Computing the two-sided Kolmogorov-Smirnov
//! distribution", J. Stat. Software 39(11) (2011), as scipy's `kstwo` does.

use std::f64::consts::PI;

/// Above this the limit formula takes over from exact ones.
const EXACT_UP_TO: u32 = 140;
/// Powers of a matrix are kept below two to this by taking it out, so that squares stay finite.
const SCALE_BITS: i32 = 128;

/// Pr(D_n >= d) for the two-sided statistic of `n` numbers. 1 for d <= 0 or NaN, 0 for d >= 1 or n = 0.
#[must_use]
pub fn kolmogorov_survival(n: u32, d: f64) -> f64 {
    if d.is_nan() || d <= 0.0 {
        return 1.0;
    }
    if d >= 1.0 || n == 0 {
        return 0.0;
    }
    let size = f64::from(n);
    let t = size * d;
    let probability = if t <= 0.5 {
        1.0
    } else if t <= 1.0 {
        // Ruben and Gambino (1982): n! (2t - 1)^n / n^n
        let log = libm::lgamma(size + 1.0) - size * libm::log(size) + size * libm::log(2.0 * t - 1.0);
        1.0 - libm::exp(log)
    } else if t >= size - 1.0 {
        2.0 * libm::pow(1.0 - d, size)
    } else if d >= 0.5 || t * d > upper_tail_from(n) {
        if t * d >= 370.0 { 0.0 } else { 2.0 * one_sided_survival(n, d) }
    } else if n <= EXACT_UP_TO || (n <= 100_000 && size * libm::pow(d, 1.5) <= 1.4) {
        1.0 - matrix_cdf(n, d)
    } else {
        1.0 - limit_cdf(size, d)
    };
    probability.clamp(0.0, 1.0)
}

/// From this n d^2 on, twice the one-sided probability is exact to all digits that matter.
fn upper_tail_from(n: u32) -> f64 {
    if n <= EXACT_UP_TO { 4.0 } else { 2.2 }
}

/// Pr(D+_n >= d) by the sum of Birnbaum and Tingey (1951).
fn one_sided_survival(n: u32, d: f64) -> f64 {
    let size = f64::from(n);
    let log_factorial = libm::lgamma(size + 1.0);
    let mut sum = 0.0;
    for j in 0..=n {
        let j = f64::from(j);
        let (up, down) = (d + j / size, 1.0 - d - j / size);
        if down <= 0.0 {
            break;
        }
        let choose = log_factorial - libm::lgamma(j + 1.0) - libm::lgamma(size - j + 1.0);
        sum += libm::exp(choose + (j - 1.0) * libm::log(up) + (size - j) * libm::log(down));
    }
    sum * d
}

/// Pr(D_n <= d) by the matrix of Durbin (1968), as Marsaglia, Tsang and Wang (2003) arrange it.
fn matrix_cdf(n: u32, d: f64) -> f64 {
    let nd = f64::from(n) * d;
    let k = libm::ceil(nd) as usize;
    let h = k as f64 - nd;
    let m = 2 * k - 1;
    let mut matrix = vec![0.0; m * m];
    let mut factorial = vec![1.0; m + 1];
    for i in 1..=m {
        factorial[i] = factorial[i - 1] / i as f64;
    }
    for row in 0..m {
        for column in 0..m.min(row + 2) {
            matrix[row * m + column] = factorial[row + 1 - column];
        }
    }
    for i in 0..m {
        let corner = libm::pow(h, (i + 1) as f64);
        matrix[i * m] = (1.0 - corner) * factorial[i + 1];
        matrix[(m - 1) * m + (m - 1 - i)] = (1.0 - corner) * factorial[i + 1];
    }
    let both = libm::pow((2.0 * h - 1.0).max(0.0), m as f64) - 2.0 * libm::pow(h, m as f64);
    matrix[(m - 1) * m] = (1.0 + both) * factorial[m];
    let (mut value, mut exponent) = power_at(matrix, m, k - 1, n);
    for i in 1..=n {
        value *= f64::from(i) / f64::from(n);
        if value < libm::ldexp(1.0, -SCALE_BITS) {
            value = libm::ldexp(value, SCALE_BITS);
            exponent -= SCALE_BITS;
        }
    }
    libm::ldexp(value, exponent)
}

/// The element (at, at) of the n-th power of a square matrix, as a number and a power of two.
fn power_at(mut base: Vec<f64>, m: usize, at: usize, mut n: u32) -> (f64, i32) {
    let centre = at * m + at;
    let mut result: Vec<f64> = (0..m * m).map(|i| if i / m == i % m { 1.0 } else { 0.0 }).collect();
    let (mut exponent, mut base_exponent) = (0_i32, 0_i32);
    while n > 0 {
        if n % 2 == 1 {
            result = product(&result, &base, m);
            exponent += base_exponent;
            exponent += rescale(&mut result, centre);
        }
        base = product(&base, &base, m);
        base_exponent *= 2;
        base_exponent += rescale(&mut base, centre);
        n /= 2;
    }
    (result[centre], exponent)
}

fn rescale(matrix: &mut [f64], centre: usize) -> i32 {
    if matrix[centre] < libm::ldexp(1.0, SCALE_BITS) {
        return 0;
    }
    matrix.iter_mut().for_each(|x| *x = libm::ldexp(*x, -SCALE_BITS));
    SCALE_BITS
}

fn product(a: &[f64], b: &[f64], m: usize) -> Vec<f64> {
    let mut c = vec![0.0; m * m];
    for (row, out) in c.chunks_exact_mut(m).enumerate() {
        for (i, b_row) in b.chunks_exact(m).enumerate() {
            let factor = a[row * m + i];
            out.iter_mut().zip(b_row).for_each(|(sum, x)| *sum += factor * x);
        }
    }
    c
}

/// Pr(D_n <= d) for large n by the expansion of Pelz and Good (1976) in powers of 1 / sqrt(n).
fn limit_cdf(n: f64, d: f64) -> f64 {
    let z = libm::sqrt(n) * d;
    let (z2, pi2) = (z * z, PI * PI);
    let (z4, z6) = (z2 * z2, z2 * z2 * z2);
    let mut sums = [0.0; 4];
    let terms = libm::ceil(16.0 * z / PI).max(1.0) as u32;
    for k in 1..=terms {
        let k = f64::from(k);
        // Terms over half-odd numbers: m = k - 1/2.
        let m2 = (k - 0.5) * (k - 0.5) * pi2;
        let weight = libm::exp(-m2 / (2.0 * z2));
        sums[0] += weight;
        sums[1] += weight * (m2 - z2);
        sums[2] += weight * (6.0 * z6 + 2.0 * z4 + m2 * (2.0 * z4 - 5.0 * z2) + m2 * m2 * (1.0 - 2.0 * z2));
        sums[3] += weight
            * (-30.0 * z6 - 90.0 * z4 * z4
                + m2 * (135.0 * z4 - 96.0 * z6)
                + m2 * m2 * (212.0 * z4 - 60.0 * z2)
                + m2 * m2 * m2 * (5.0 - 30.0 * z2));
    }
    let (mut extra2, mut extra3) = (0.0, 0.0);
    for k in 1..=terms {
        let k2 = f64::from(k) * f64::from(k) * pi2;
        let weight = libm::exp(-k2 / (2.0 * z2));
        extra2 += weight * k2;
        extra3 += weight * k2 * (3.0 * z2 - k2);
    }
    let root = libm::sqrt(2.0 * PI);
    let order0 = root / z * sums[0];
    let order1 = root / (6.0 * z4) * sums[1];
    let order2 = root / (72.0 * z6 * z) * sums[2] - root / (36.0 * z2 * z) * extra2;
    let order3 = root / (6_480.0 * z6 * z4) * sums[3] + root / (216.0 * z6) * extra3;
    order0 + order1 / libm::sqrt(n) + order2 / n + order3 / (n * libm::sqrt(n))
}
