//! What is tried: conditions a field can be in, and what may follow. Plain thresholds and words, so that every pair can
//! be written as a claim.

use super::Series;
use super::bits::RowBits;
use super::statistic::{memory, memory_of, one_digit, two_digits};
use golem_core::observed::{Field, Kind};

/// Fields whose unusual values are tried as conditions. Levels that drift (price, gwei) have no usual value.
pub(super) const DRIVERS: [Field; 7] = [
    Field::MarketVolatilityRatio,
    Field::MarketGasRatio,
    Field::MarketFeeYieldRatio,
    Field::MarketVolumeRatio,
    Field::MarketReturn15,
    Field::MarketReturn90,
    Field::MarketLeadReturn,
];
/// Fields whose words are tried as conditions.
const WORDS: &[Field] = &[Field::MarketRegime, Field::MarketProtocol];
/// The shares of rows beyond which a value is unusual.
const TAILS: &[f64] = &[0.05, 0.1, 0.2];
/// What may follow, with fixed bounds: ratios to the usual level that a forecast is made of, and nothing that nobody
/// forecasts or acts on. Bounds at shares of the rows found more of what is small and six times as much of what is chance.
const RATIOS: &[(Field, bool, f64)] = &[
    (Field::MarketVolatilityRatio, true, 1.5),
    (Field::MarketFeeYieldRatio, true, 1.5),
    (Field::MarketFeeYieldRatio, true, 2.0),
    (Field::MarketFeeYieldRatio, true, 3.0),
    (Field::MarketGasRatio, true, 1.5),
    (Field::MarketGasRatio, false, 0.67),
];
/// The same for a change of what is earned. Nobody can tell such a change from what the yield is made of unless it is looked for
/// hours after something else.
const RATIOS_FAR: &[(Field, bool, f64)] = &[
    (Field::MarketFeeYieldMove, true, 1.1),
    (Field::MarketFeeYieldMove, true, 1.2),
    (Field::MarketFeeYieldMove, true, 1.4),
];
/// Hours of the day that are tried: from every second one, for so long.
const HOUR_STEP: usize = 2;
const HOURS_LONG: [u8; 3] = [4, 6, 8];
/// Returns and the ticks they look back over: they follow a condition only when they begin after it.
const RETURNS: &[(Field, usize)] = &[(Field::MarketReturn15, 15), (Field::MarketReturn90, 90)];
/// Looks at a target that are closer together than this may still count as two, however long its memory seems.
const LONGEST_MEMORY: usize = 180;

/// A condition and where it held.
pub(super) struct SeriesCondition {
    pub field: Field,
    says: Says,
    /// Which of the field's ends, or which word: conditions of one kind are alternatives of each other.
    pub kind: u8,
    /// Rows in which it held.
    pub rows: RowBits,
}

/// What may follow and where it did.
pub(super) struct SeriesTarget {
    pub field: Field,
    pub bound: f64,
    pub up: bool,
    /// Rows in which the field is known, and in which it is known and beyond the bound.
    pub known: RowBits,
    pub held: RowBits,
    /// Rows that the field looks back over.
    pub window: usize,
    /// Rows apart at which two looks count as two.
    pub memory: usize,
    /// True when it is held against its opposite: only rows beyond one of the two bounds are known.
    pub against_opposite: bool,
}

/// What a condition says of its field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Says {
    Beyond {
        above: bool,
        bound: f64,
    },
    Is(&'static str),
    /// From one hour of the day to another.
    Hours {
        from: u8,
        to: u8,
    },
}

impl SeriesCondition {
    pub(super) fn new(field: Field, says: Says, kind: u8, rows: RowBits) -> Self {
        Self { field, says, kind, rows }
    }
    /// As an expression.
    pub(super) fn text(&self) -> String {
        match self.says {
            Says::Beyond { above, bound } => compared(self.field, above, bound),
            Says::Is(word) => format!("{} == \"{word}\"", self.field),
            Says::Hours { from, to } => {
                let joined = if from < to { "&&" } else { "||" };
                format!("{0} >= {from}.0 {joined} {0} < {to}.0", self.field)
            }
        }
    }
}

impl SeriesTarget {
    pub(super) fn new(column: &[f32], known: &RowBits, field: Field, up: bool, bound: f64, window: usize) -> Self {
        let held = beyond(column, up, bound).and(known);
        let memory = if known.count() == column.len() {
            memory_of(column.len(), held.count(), held.changes(), LONGEST_MEMORY)
        } else {
            let each: Vec<_> = (0..column.len()).map(|row| known.get(row).then(|| held.get(row))).collect();
            memory(&each, LONGEST_MEMORY)
        };
        Self { field, bound, up, known: known.clone(), held, window, memory, against_opposite: false }
    }
    /// A move of this size one way, held against one the other way: that wild times bring both is no direction.
    pub(super) fn one_way(column: &[f32], known: &RowBits, field: Field, up: bool, size: f64, window: usize) -> Self {
        let bound = if up { size } else { -size };
        let held = beyond(column, up, bound).and(known);
        let either = beyond(column, !up, -bound).and(known).or(&held);
        Self { field, bound, up, known: either, held, window, memory: window.max(1), against_opposite: true }
    }
    /// The opposite as an expression, where it is held against that.
    pub(super) fn opposite(&self) -> Option<String> {
        self.against_opposite.then(|| compared(self.field, !self.up, -self.bound))
    }
    /// As an expression.
    pub(super) fn text(&self) -> String {
        compared(self.field, self.up, self.bound)
    }
}

/// A comparison as an expression.
fn compared(field: Field, above: bool, bound: f64) -> String {
    format!("{field} {} {bound:?}", if above { ">" } else { "<" })
}

/// The rows beyond a bound; those that are not finite are for the caller to leave out.
fn beyond(column: &[f32], above: bool, bound: f64) -> RowBits {
    let end = nearest_beyond(bound, above);
    if above { RowBits::of(column, |x: f32| x >= end) } else { RowBits::of(column, |x: f32| x <= end) }
}

/// The first cell beyond a bound: whoever is not before it is beyond the bound also in doubles, as the expression will be
/// asked.
fn nearest_beyond(bound: f64, above: bool) -> f32 {
    let near = bound as f32;
    match above {
        true if f64::from(near) > bound => near,
        true => near.next_up(),
        false if f64::from(near) < bound => near,
        false => near.next_down(),
    }
}

fn finite(column: &[f32]) -> RowBits {
    RowBits::of(column, |x: f32| x.abs() < f32::INFINITY)
}

/// A whole number that is in the order of the floats, and its float.
fn rank(x: f32) -> i32 {
    turned(x.to_bits().cast_signed())
}
fn ranked(rank: i32) -> f32 {
    f32::from_bits(turned(rank).cast_unsigned())
}
/// Of a negative one every bit but the sign.
fn turned(bits: i32) -> i32 {
    bits ^ ((bits >> 31).cast_unsigned() >> 1).cast_signed()
}

/// The columns that are looked at, each fetched once.
pub(super) struct SeriesColumns {
    columns: Vec<(Field, Vec<f32>, RowBits)>,
    row_ticks: usize,
}

impl SeriesColumns {
    pub(super) fn of(series: &Series) -> Self {
        let ratios = RATIOS.iter().map(|(field, ..)| field).chain(RETURNS.iter().map(|(field, _)| field));
        let mut all: Vec<(Field, Vec<f32>, RowBits)> = Vec::new();
        for &field in DRIVERS.iter().chain(WORDS).chain(ratios) {
            if all.iter().all(|(known, ..)| *known != field) {
                let mut column = Vec::new();
                series.column(field, &mut column);
                let known = finite(&column);
                all.push((field, column, known));
            }
        }
        Self { columns: all, row_ticks: usize::try_from(series.row_ticks()).unwrap_or(usize::MAX) }
    }
    /// Columns that stand elsewhere.
    pub(super) fn new(columns: Vec<(Field, Vec<f32>)>, row_ticks: u64) -> Self {
        let known = |(field, column): (Field, Vec<f32>)| (field, finite(&column), column);
        let columns = columns.into_iter().map(known).map(|(field, known, column)| (field, column, known)).collect();
        Self { columns, row_ticks: usize::try_from(row_ticks).unwrap_or(usize::MAX) }
    }
    pub(super) fn get(&self, field: Field) -> Option<(&[f32], &RowBits)> {
        self.columns.iter().find(|(known, ..)| *known == field).map(|(_, column, known)| (&column[..], known))
    }
}

/// The values at these shares of the known rows, in the order of [`TAILS`], upper and lower by turns.
fn tail_values(known: &[i32]) -> Vec<(f32, bool)> {
    let last = (known.len() - 1) as f64;
    let place = |tail: f64, above: bool| (last * if above { 1.0 - tail } else { tail }) as usize;
    let mut drawers = Drawers::of(known);
    let ends = TAILS.iter().flat_map(|&tail| [(tail, true), (tail, false)]);
    ends.map(|(tail, above)| (ranked(drawers.at(place(tail, above))), above)).collect()
}

/// Drawers that whole numbers are put into by their size: to find one at a place in the order, one drawer is looked through.
struct Drawers {
    /// The numbers, drawer after drawer, and where each drawer ends.
    numbers: Vec<i32>,
    ends: [usize; Self::COUNT],
}

impl Drawers {
    const BITS: u32 = 9;
    const COUNT: usize = 1 << Self::BITS;

    fn of(all: &[i32]) -> Self {
        let (least, most) = all.iter().fold((i32::MAX, i32::MIN), |(least, most), x| (least.min(*x), most.max(*x)));
        // As many of the highest bits of the distance from the least one as there are drawers for.
        let by = (u32::BITS - most.abs_diff(least).leading_zeros()).saturating_sub(Self::BITS);
        let drawer = |x: i32| (x.abs_diff(least) >> by) as usize % Self::COUNT;
        let mut ends = [0; Self::COUNT];
        all.iter().for_each(|x| ends[drawer(*x)] += 1);
        let mut begin = 0;
        for end in &mut ends {
            (*end, begin) = (begin, begin + *end);
        }
        // Each drawer begins where the one before it ends, and is filled up to its own end.
        let mut numbers = vec![0; all.len()];
        for &x in all {
            let end = &mut ends[drawer(x)];
            numbers[*end] = x;
            *end += 1;
        }
        Self { numbers, ends }
    }
    /// The number at a place in the order of all of them.
    fn at(&mut self, place: usize) -> i32 {
        let drawer = self.ends.partition_point(|end| *end <= place);
        let begin = drawer.checked_sub(1).map_or(0, |before| self.ends[before]);
        *self.numbers[begin..self.ends[drawer]].select_nth_unstable(place - begin).1
    }
}

/// Everything that is tried as a condition, in a fixed order.
pub(super) fn conditions(columns: &SeriesColumns) -> Vec<SeriesCondition> {
    let mut all = Vec::<SeriesCondition>::new();
    let mut known = Vec::new();
    let mut rows = 0;
    for field in DRIVERS {
        let Some((column, finite)) = columns.get(field) else { continue };
        rows = column.len();
        known.clear();
        known.extend(column.iter().filter(|x| x.is_finite()).map(|x| rank(*x)));
        if known.is_empty() || known.len() < rows / 2 {
            continue;
        }
        for (value, above) in tail_values(&known) {
            let bound = two_digits(f64::from(value));
            let same = |c: &SeriesCondition| c.field == field && c.is_beyond(above, bound);
            if !all.iter().any(same) {
                let rows = beyond(column, above, bound).and(finite);
                all.push(SeriesCondition::new(field, Says::Beyond { above, bound }, u8::from(above), rows));
            }
        }
    }
    for &field in WORDS {
        let (Kind::Text(words), Some((column, finite))) = (field.kind(), columns.get(field)) else { continue };
        for (kind, word) in (0u8..).zip(words) {
            let rows = RowBits::of(column, |x: f32| (f64::from(x) - f64::from(kind)).abs() < 0.5).and(finite);
            all.push(SeriesCondition::new(field, Says::Is(word), kind, rows));
        }
    }
    // What nearly always holds is no condition.
    all.retain(|c| c.rows.count() * 2 < rows);
    all
}

/// Hours of the day, in a fixed order.
pub(super) fn hours(columns: &SeriesColumns) -> Vec<SeriesCondition> {
    let Some((column, known)) = columns.get(Field::MarketHour) else { return Vec::new() };
    let mut all = Vec::new();
    for from in (0..24u8).step_by(HOUR_STEP) {
        for long in HOURS_LONG {
            let to = (from + long) % 24;
            let (begin, end) = (f32::from(from), f32::from(to));
            let within = |x: f32| if begin < end { x >= begin && x < end } else { x >= begin || x < end };
            let rows = RowBits::of(column, within).and(known);
            // All of them say the same with other bounds.
            all.push(SeriesCondition::new(Field::MarketHour, Says::Hours { from, to }, 0, rows));
        }
    }
    all
}

impl SeriesCondition {
    fn is_beyond(&self, same: bool, bound: f64) -> bool {
        // The same bits are the same words, and no others are.
        matches!(self.says, Says::Beyond { above, bound: b } if above == same && b.to_bits() == bound.to_bits())
    }
}

/// Everything that is tried as a consequence, in a fixed order.
pub(super) fn targets(columns: &SeriesColumns) -> Vec<SeriesTarget> {
    let mut all = Vec::new();
    for &(field, up, bound) in RATIOS {
        let Some((column, known)) = columns.get(field) else { continue };
        all.push(SeriesTarget::new(column, known, field, up, bound, 0));
    }
    for &(field, ticks) in RETURNS {
        let window = ticks.div_ceil(columns.row_ticks);
        let Some((column, known)) = columns.get(field) else { continue };
        let usual = one_digit(deviation(column));
        if usual > 0.0 {
            all.push(SeriesTarget::new(column, known, field, true, usual, window));
            all.push(SeriesTarget::new(column, known, field, false, -usual, window));
        }
    }
    all
}

/// What may follow hours later, in a fixed order: ratios, changes, and moves one way.
pub(super) fn far_targets(columns: &SeriesColumns) -> Vec<SeriesTarget> {
    let mut all = Vec::new();
    for &(field, up, bound) in RATIOS.iter().chain(RATIOS_FAR) {
        let Some((column, known)) = columns.get(field) else { continue };
        all.push(SeriesTarget::new(column, known, field, up, bound, 0));
    }
    for &(field, ticks) in RETURNS {
        let window = ticks.div_ceil(columns.row_ticks);
        let Some((column, known)) = columns.get(field) else { continue };
        let size = one_digit(deviation(column) / 2.0);
        if size > 0.0 {
            all.extend([true, false].map(|up| SeriesTarget::one_way(column, known, field, up, size, window)));
        }
    }
    all
}

fn deviation(column: &[f32]) -> f64 {
    let known = || column.iter().filter(|x| x.is_finite()).map(|x| f64::from(*x));
    let n = known().count().max(1) as f64;
    let mean = known().sum::<f64>() / n;
    (known().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ranks_are_in_the_order_of_the_numbers_and_come_back(a: f32, b: f32) {
            prop_assert_eq!(rank(a).cmp(&rank(b)), a.total_cmp(&b));
            prop_assert_eq!(ranked(rank(a)).to_bits(), a.to_bits());
        }

        #[test]
        fn cells_are_beyond_a_bound_as_their_doubles_are(
            bound in prop_oneof![any::<f64>(), any::<f32>().prop_map(f64::from), -2.0..2.0, Just(0.0)],
            x in prop_oneof![any::<f32>(), -2.0f32..2.0],
        ) {
            prop_assume!(bound.is_finite() && x.is_finite());
            let near = bound as f32;
            for x in [x, near, near.next_up(), near.next_down()].into_iter().filter(|x| x.is_finite()) {
                prop_assert_eq!(beyond(&[x], true, bound).get(0), f64::from(x) > bound, "{} > {}", x, bound);
                prop_assert_eq!(beyond(&[x], false, bound).get(0), f64::from(x) < bound, "{} < {}", x, bound);
            }
        }

        #[test]
        fn tails_are_those_of_a_sorted_list(values in prop::collection::vec(-40.0f32..40.0, 1..400)) {
            let mut sorted: Vec<i32> = values.iter().map(|x| rank(x.round())).collect();
            let found = tail_values(&sorted);
            sorted.sort_unstable();
            let at = |share: f64| ranked(sorted[((sorted.len() - 1) as f64 * share) as usize]);
            let plain: Vec<(f32, bool)> =
                TAILS.iter().flat_map(|t| [(at(1.0 - t), true), (at(*t), false)]).collect();
            prop_assert_eq!(found, plain);
        }

        #[test]
        fn memory_by_bits_is_memory_row_by_row(
            column in prop::collection::vec(prop_oneof![8 => -2.0f32..2.0, 1 => Just(f32::NAN), 1 => Just(f32::INFINITY)], 1..300),
            holes: bool,
        ) {
            let column: Vec<f32> = column.into_iter().filter(|x| holes || x.is_finite()).collect();
            let target = SeriesTarget::new(&column, &finite(&column), Field::MarketPrice, true, 0.5, 0);
            let each: Vec<_> = column.iter().map(|x| x.is_finite().then(|| f64::from(*x) > 0.5)).collect();
            prop_assert_eq!(target.memory, memory(&each, LONGEST_MEMORY));
            for (row, held) in each.iter().enumerate() {
                prop_assert_eq!(target.known.get(row).then(|| target.held.get(row)), *held);
            }
        }
    }
}
