//! Quantiles of Student's t and of the normal, the same bytes on every machine.

/// The normal's quantile, by halving an interval of its distribution function.
#[must_use]
pub fn normal_quantile(p: f64) -> f64 {
    quantile(p, |x| 0.5 * libm::erfc(-x / std::f64::consts::SQRT_2))
}

/// Student's quantile with so many degrees of freedom (at least 1).
#[must_use]
pub fn student_quantile(p: f64, freedom: f64) -> f64 {
    let freedom = freedom.max(1.0);
    quantile(p, |x| {
        let tail = 0.5 * beta_share(freedom / (freedom + x * x), freedom / 2.0, 0.5);
        if x > 0.0 { 1.0 - tail } else { tail }
    })
}

/// Where a symmetric distribution function reaches `p`.
fn quantile(p: f64, below: impl Fn(f64) -> f64) -> f64 {
    if p.is_nan() || p <= 0.0 || p >= 1.0 {
        return if p >= 1.0 { f64::INFINITY } else { f64::NEG_INFINITY };
    }
    // The lower tail keeps its digits where the upper one has none left.
    if p > 0.5 {
        return -quantile(1.0 - p, below);
    }
    let mut low = -1.0;
    while below(low) > p && low > -1e18 {
        low *= 2.0;
    }
    let mut high = 0.0;
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if below(middle) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// The regularised incomplete beta function (continued fraction, Lentz's way).
fn beta_share(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    // The fraction converges fast on this side of the mean only.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_share(1.0 - x, b, a);
    }
    let ln_front = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * libm::log(x) + b * libm::log1p(-x);
    libm::exp(ln_front) / a * fraction(x, a, b)
}

fn fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let safe = |v: f64| if v.abs() < TINY { TINY } else { v };
    let (mut c, mut d) = (1.0, 1.0 / safe(1.0 - (a + b) * x / (a + 1.0)));
    let mut value = d;
    for m in 1..500 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut step = 1.0;
        for term in [even, odd] {
            d = 1.0 / safe(1.0 + term * d);
            c = safe(1.0 + term / c);
            step = c * d;
            value *= step;
        }
        if (step - 1.0).abs() < 1e-16 {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `scipy.stats.t.ppf(p, df)` and `scipy.stats.norm.ppf(p)`.
    #[test]
    fn quantiles_are_those_of_scipy() {
        for (p, freedom, known) in [
            (0.975, 1.0, 12.706204736174694),
            (0.975, 2.0, 4.302652729749462),
            (0.975, 9.0, 2.262157162798205),
            (0.99875, 1.0, 254.64659994875322),
            (0.9995, 14.0, 4.140454112738259),
            (0.975, 199.0, 1.9719565442517533),
            (0.9, 3.0, 1.637744353696209),
            (0.001, 30.0, -3.3851848668293045),
        ] {
            let found = student_quantile(p, freedom);
            assert!((found / known - 1.0).abs() < 1e-9, "t({p}, {freedom}) = {found}, not {known}");
        }
        for (p, known) in [(0.8, 0.8416212335729143), (0.975, 1.959963984540054), (0.9995, 3.2905267314919255)] {
            let found = normal_quantile(p);
            assert!((found / known - 1.0).abs() < 1e-9, "normal({p}) = {found}, not {known}");
        }
        assert!(student_quantile(1.0, 5.0).is_infinite());
    }
}
