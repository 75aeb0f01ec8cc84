//! Two plain rules for the next hour's log volatility, written apart from the code that they are held against.

/// The mean of a day with exponential weights.
pub struct DayMean(Option<f64>);

impl DayMean {
    pub fn new() -> Self {
        Self(None)
    }
    pub fn says(&self) -> Option<f64> {
        self.0
    }
    pub fn learn(&mut self, y: f64) {
        let mean = self.0.unwrap_or(y);
        self.0 = Some(mean + (y - mean) * 2.0 / 25.0);
    }
}

/// Corsi's heterogeneous autoregression on the last hour, day and week, by least squares over everything so far.
#[derive(Default)]
pub struct Har {
    seen: Vec<f64>,
    gram: [[f64; 4]; 4],
    moment: [f64; 4],
}

impl Har {
    fn inputs(&self) -> Option<[f64; 4]> {
        let mean = |n: usize| {
            let last = self.seen.get(self.seen.len().checked_sub(n)?..)?;
            Some(last.iter().sum::<f64>() / n as f64)
        };
        Some([1.0, mean(1)?, mean(24)?, mean(168)?])
    }
    pub fn says(&self) -> Option<f64> {
        let x = self.inputs().filter(|_| self.seen.len() > 400)?;
        let w = solve(self.gram, self.moment);
        Some(w.iter().zip(x).map(|(w, x)| w * x).sum())
    }
    pub fn learn(&mut self, y: f64) {
        if let Some(x) = self.inputs() {
            for i in 0..4 {
                (0..4).for_each(|j| self.gram[i][j] += x[i] * x[j]);
                self.moment[i] += x[i] * y;
            }
        }
        self.seen.push(y);
    }
}

/// Gaussian elimination; the matrix is positive definite.
fn solve(mut a: [[f64; 4]; 4], mut b: [f64; 4]) -> [f64; 4] {
    for i in 0..4 {
        for j in i + 1..4 {
            let by = a[j][i] / a[i][i];
            (i..4).for_each(|k| a[j][k] -= by * a[i][k]);
            b[j] -= by * b[i];
        }
    }
    for i in (0..4).rev() {
        b[i] = (b[i] - (i + 1..4).map(|k| a[i][k] * b[k]).sum::<f64>()) / a[i][i];
    }
    b
}
