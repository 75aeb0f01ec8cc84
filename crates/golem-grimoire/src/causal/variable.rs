//! The nodes of the graph: one observed field for each thing that can drive or be driven, and how it is looked at.

use crate::series::{Series, kin};
use golem_core::observed::{Field, Snapshot};

/// How a field is looked at before its innovations are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableView {
    /// The logarithm: a doubling is a doubling at any level.
    Log,
    /// Whether a word is other than the first of its list: something is not normal.
    Unusual,
}

/// One field for each group of kin, since kin would only tell of their own arithmetic.
const VARIABLES: &[(Field, VariableView)] = &[
    (Field::MarketPrice, VariableView::Log),
    (Field::MarketGasGwei, VariableView::Log),
    (Field::MarketFeeYield, VariableView::Log),
    (Field::MarketVolume, VariableView::Log),
    (Field::MarketVolatility, VariableView::Log),
    (Field::MarketProtocol, VariableView::Unusual),
];

/// The nodes, in order.
#[must_use]
pub fn variables() -> &'static [(Field, VariableView)] {
    VARIABLES
}

/// The ordered pairs of nodes that may have an edge, by index.
pub(super) fn pairs() -> impl Iterator<Item = (usize, usize)> {
    let all = 0..VARIABLES.len();
    let ordered = all.clone().flat_map(move |from| all.clone().map(move |to| (from, to)));
    ordered.filter(|&(from, to)| !kin(VARIABLES[from].0, VARIABLES[to].0))
}

/// The index of a node.
pub(super) fn index(field: Field) -> Option<usize> {
    VARIABLES.iter().position(|(f, _)| *f == field)
}

/// A cell as it is looked at; NaN when it was absent or has no logarithm.
pub(super) fn viewed(view: VariableView, cell: f64) -> f64 {
    match view {
        VariableView::Log if cell > 0.0 => libm::log(cell),
        VariableView::Unusual if cell.is_finite() => f64::from(u8::from(cell > 0.5)),
        VariableView::Log | VariableView::Unusual => f64::NAN,
    }
}

/// A node's rows as they are looked at, oldest first.
pub(super) fn column(series: &Series, node: usize) -> Vec<f64> {
    let (field, view) = VARIABLES[node];
    let mut cells = Vec::new();
    series.column(field, &mut cells);
    match view {
        VariableView::Log => super::log::logs(&cells),
        VariableView::Unusual => cells.into_iter().map(|x| viewed(view, f64::from(x))).collect(),
    }
}

/// A node as it is looked at in one snapshot.
pub(super) fn now(seen: &Snapshot, node: usize) -> f64 {
    let (field, view) = VARIABLES[node];
    match view {
        VariableView::Log => viewed(view, seen.get(field).and_then(|v| v.as_f64()).unwrap_or(f64::NAN)),
        VariableView::Unusual => match (seen.get(field), field.kind()) {
            (Some(golem_core::observed::Value::Text(word)), golem_core::observed::Kind::Text([first, ..])) => {
                f64::from(u8::from(word != *first))
            }
            _ => f64::NAN,
        },
    }
}
