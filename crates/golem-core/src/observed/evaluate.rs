//! The verdict: asks CEL what a checked tree says of a snapshot, and sorts what can go wrong into a closed list.

use super::fields::Field;
use super::snapshot::Snapshot;
use super::value::Value;
use cel::common::types::{CelBool, CelDouble, CelInt, CelString};
use cel::common::value::CowVal;
use cel::context::VariableResolver;
use cel::parser::Expression as Tree;
use cel::{Context, DeclarationError, Env, ExecutionError};
use serde::Serialize;
use std::sync::{Arc, LazyLock};

/// What an expression says of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Verdict {
    /// It is true.
    Holds,
    /// It is false.
    DoesNot,
    /// It hangs on a field that was not observed. Of several, the one that was asked for last.
    Unknown {
        /// The field.
        missing: Field,
    },
    /// It has no answer.
    Failed {
        /// Why.
        why: Fault,
    },
}

impl Verdict {
    /// True only for [`Self::Holds`]: what is unknown does not hold.
    #[must_use]
    pub fn holds(self) -> bool {
        self == Self::Holds
    }
}

/// Why an expression has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// Something was divided by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// A number left the range that can be written.
    #[error("a number grew too large")]
    Overflow,
    /// The evaluator refused what the checker let through: a mistake of ours.
    #[error("the evaluator refused a checked expression")]
    Evaluator,
}

/// Begins the name under which a checked tree asks whether a field was observed. No source can spell it.
pub(super) const PRESENCE: &str = "@has ";

/// The names under which a checked tree does arithmetic on numbers, with what each does.
pub(super) const ADD: &str = "@add";
pub(super) const SUBTRACT: &str = "@subtract";
pub(super) const MULTIPLY: &str = "@multiply";
pub(super) const DIVIDE: &str = "@divide";
pub(super) const GREATEST: &str = "math.@max";
pub(super) const LEAST: &str = "math.@min";

/// What the tree says of the snapshot; `fields` are the ones it may ask for.
pub(super) fn verdict(tree: &Tree, fields: &[Field], snapshot: &Snapshot) -> Verdict {
    let seen = SnapshotVariables { fields, snapshot };
    let mut context = Context::with_env(Arc::clone(&ENV));
    context.set_variable_resolver(&seen);
    match cel::Value::resolve_val(tree, &context) {
        Ok(answer) => match answer.downcast_ref::<CelBool>().map(|b| *b.inner()) {
            Some(true) => Verdict::Holds,
            Some(false) => Verdict::DoesNot,
            None => Verdict::Failed { why: Fault::Evaluator },
        },
        Err(error) => sort(&error),
    }
}

fn sort(error: &ExecutionError) -> Verdict {
    let why = match error {
        ExecutionError::UndeclaredReference(name) => match Field::named(name) {
            Some(missing) => return Verdict::Unknown { missing },
            None => Fault::Evaluator,
        },
        ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => Fault::DivisionByZero,
        // Conversion to a whole number and its absolute value report an overflow as an error of the function.
        ExecutionError::Overflow(..) | ExecutionError::FunctionError { .. } => Fault::Overflow,
        _ => Fault::Evaluator,
    };
    Verdict::Failed { why }
}

/// Answers CEL's questions for variables straight from the snapshot: nothing is copied that is not asked for.
struct SnapshotVariables<'a> {
    fields: &'a [Field],
    snapshot: &'a Snapshot,
}

impl VariableResolver for SnapshotVariables<'_> {
    fn resolve<'b>(&'b self, variable: &str) -> Option<CowVal<'b, 'b>> {
        let (name, presence) = variable.strip_prefix(PRESENCE).map_or((variable, false), |name| (name, true));
        let field = self.fields.iter().find(|f| f.name() == name)?;
        let value = self.snapshot.get(*field);
        if presence {
            return Some(CowVal::owned(CelBool::from(value.is_some())));
        }
        Some(match value? {
            Value::Number(x) => CowVal::owned(CelDouble::from(x.get())),
            Value::Integer(n) => CowVal::owned(CelInt::from(n)),
            Value::Bool(b) => CowVal::owned(CelBool::from(b)),
            Value::Text(word) => CowVal::owned(CelString::from(word)),
        })
    }
}

// The names are distinct (a test holds that); were they not, expressions would fail and nothing would panic.
static ENV: LazyLock<Arc<Env>> = LazyLock::new(|| Arc::new(environment().unwrap_or_default()));

/// CEL's standard functions, `math`, and arithmetic that fails where CEL's would go on with an infinity: a threshold
/// must not hold because something was divided by zero.
fn environment() -> Result<Env, DeclarationError> {
    let mut env = Env::default().with_optional_support(false).with_stdlib();
    env.add_extension(cel::extensions::math)?;
    cel::add_overload!(env, fn add: (CelDouble, CelDouble) -> Result<CelDouble>, name = ADD)?;
    cel::add_overload!(env, fn subtract: (CelDouble, CelDouble) -> Result<CelDouble>, name = SUBTRACT)?;
    cel::add_overload!(env, fn multiply: (CelDouble, CelDouble) -> Result<CelDouble>, name = MULTIPLY)?;
    cel::add_overload!(env, fn divide: (CelDouble, CelDouble) -> Result<CelDouble>, name = DIVIDE)?;
    Ok(env)
}

fn finite(x: f64) -> Result<CelDouble, ExecutionError> {
    let overflow = || ExecutionError::Overflow("arithmetic", x.into(), cel::Value::Null);
    if x.is_finite() { Ok(CelDouble::from(x)) } else { Err(overflow()) }
}
fn add(a: &CelDouble, b: &CelDouble) -> Result<CelDouble, ExecutionError> {
    finite(a.inner() + b.inner())
}
fn subtract(a: &CelDouble, b: &CelDouble) -> Result<CelDouble, ExecutionError> {
    finite(a.inner() - b.inner())
}
fn multiply(a: &CelDouble, b: &CelDouble) -> Result<CelDouble, ExecutionError> {
    finite(a.inner() * b.inner())
}
fn divide(a: &CelDouble, b: &CelDouble) -> Result<CelDouble, ExecutionError> {
    match *b.inner() {
        0.0 => Err(ExecutionError::DivisionByZero((*a.inner()).into())),
        by => finite(a.inner() / by),
    }
}
