//! Rows as CSV: what is read is what was written, to the bit.

use golem_lab::compare::table::{from_csv, to_csv};
use golem_lab::compare::{LifeRow, outcome};
use proptest::prelude::*;

fn row() -> impl Strategy<Value = LifeRow> {
    let kinds = outcome::kinds();
    let value = proptest::option::of(any::<u64>().prop_map(f64::from_bits).prop_filter("a number", |v| !v.is_nan()));
    let values = proptest::collection::vec(value, kinds.len());
    let word = "[ -~\n]{1,12}";
    (word, word, word, any::<u64>(), values, proptest::option::of("[a-z ,\"]{1,9}")).prop_map(
        move |(world, template, arm, path, values, cause)| LifeRow {
            world,
            template,
            arm,
            path,
            values: kinds.iter().map(|kind| kind.name.clone()).zip(values).collect(),
            cause,
        },
    )
}

proptest! {
    #[test]
    fn any_row_comes_back_to_the_bit(rows in proptest::collection::vec(row(), 1..4)) {
        let text = to_csv(&rows);
        let back = from_csv(&text).unwrap();
        prop_assert_eq!(&back, &rows);
        let bits = |rows: &[LifeRow]| rows.iter().flat_map(|r| &r.values).map(|(_, v)| v.map(f64::to_bits)).collect::<Vec<_>>();
        prop_assert_eq!(bits(&back), bits(&rows));
        prop_assert_eq!(to_csv(&back), text);
    }
}
