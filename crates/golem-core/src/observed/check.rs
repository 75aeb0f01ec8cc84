//! The checker: walks a parsed tree once, refuses what is outside the language, and builds what the evaluator runs.
//!
//! Every part of a tree becomes a [`Piece`]: the part as CEL will evaluate it, what it gives, and its canonical text.
//! Types are known because every name is in the registry, so what could fail for its types fails here and not at
//! three in the morning. The tree is the source's but for this: names are single, mixed arithmetic is made of doubles,
//! and arithmetic on doubles is ours (see `evaluate.rs`).

use super::error::ExpressionError;
use super::evaluate::{GREATEST, LEAST, PRESENCE};
use super::fields::{Field, UnknownField};
use super::gate::{MAX_DEPTH, MAX_NODES};
use super::operators::rank;
use super::value::Kind;
use cel::common::ast::{CallExpr, Expr, LiteralValue};
use cel::parser::Expression as Tree;

/// The functions of the language, as they are called.
pub const FUNCTIONS: &[&str] =
    &["has(field)", "double(x)", "int(x)", "math.abs(x)", "math.least(x, y)", "math.greatest(x, y)"];

/// What a piece gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gives {
    Bool,
    Integer,
    Number,
    /// A word of this field's list.
    Text(Field),
    /// A quoted word that has not met its field yet.
    Word,
}

impl Gives {
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Bool => Kind::Bool.noun(),
            Self::Integer => Kind::Integer.noun(),
            Self::Number => Kind::Number.noun(),
            Self::Text(_) | Self::Word => Kind::Text(&[]).noun(),
        }
    }
    pub(super) fn is_numeric(self) -> bool {
        matches!(self, Self::Integer | Self::Number)
    }
}

/// A checked part of an expression.
pub(super) struct Piece {
    pub(super) tree: Tree,
    pub(super) gives: Gives,
    /// How it is written canonically.
    pub(super) text: String,
    /// How tightly its outermost operator binds.
    pub(super) rank: u8,
}

impl Piece {
    pub(super) fn new(expr: Expr, gives: Gives, text: String, rank: u8) -> Self {
        Self { tree: Tree { id: 0, expr }, gives, text, rank }
    }
    /// Its text, in brackets unless it binds at least as tightly as `rank`.
    pub(super) fn within(&self, rank: u8) -> String {
        if self.rank >= rank { self.text.clone() } else { format!("({})", self.text) }
    }
    /// The same value as a double: a constant is rewritten, anything else converted when it is evaluated.
    pub(super) fn into_number(self) -> Tree {
        match (self.gives, self.tree.expr) {
            (Gives::Integer, Expr::Literal(LiteralValue::Int(n))) => {
                Tree { id: 0, expr: Expr::Literal(LiteralValue::Double((*n.inner() as f64).into())) }
            }
            (Gives::Integer, expr) => Tree { id: 0, expr: call("double", vec![Tree { id: 0, expr }]) },
            (_, expr) => Tree { id: 0, expr },
        }
    }
}

pub(super) fn call(name: &str, args: Vec<Tree>) -> Expr {
    Expr::Call(CallExpr { func_name: name.to_owned(), target: None, args })
}

/// Counts while it walks, so that no tree can make it walk far.
#[derive(Default)]
pub(super) struct Checker {
    /// The fields it has met, in the order of their first mention.
    pub(super) fields: Vec<Field>,
    nodes: usize,
    depth: usize,
}

impl Checker {
    /// Check one part and everything below it.
    pub(super) fn piece(&mut self, tree: &Tree) -> Result<Piece, ExpressionError> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(ExpressionError::TooLarge);
        }
        if self.depth == MAX_DEPTH {
            return Err(ExpressionError::TooDeep);
        }
        self.depth += 1;
        let piece = self.expr(&tree.expr);
        self.depth -= 1;
        piece
    }

    fn expr(&mut self, expr: &Expr) -> Result<Piece, ExpressionError> {
        let refuse = |what, instead| Err(ExpressionError::NotAvailable { what, instead });
        match expr {
            Expr::Literal(literal) => constant(literal),
            Expr::Select(select) if select.test => {
                let group = path(&select.operand.expr).unwrap_or_default();
                let field = self.field(&format!("{group}.{}", select.field))?;
                let text = format!("has({field})");
                Ok(Piece::new(Expr::Ident(format!("{PRESENCE}{field}")), Gives::Bool, text, rank::ATOM))
            }
            Expr::Ident(_) | Expr::Select(_) => match path(expr) {
                Some(name) => self.name(&name),
                None => refuse("selections from a value", "write a field's whole name, such as market.price"),
            },
            Expr::Call(called) => self.call(called),
            Expr::Comprehension(_) => refuse("all, exists, map and filter", "compare fields one by one"),
            Expr::List(_) => refuse("lists outside of in", "write market.regime in [\"volatile\", \"unknown\"]"),
            Expr::Map(_) | Expr::Struct(_) => refuse("maps and messages", "compare fields one by one"),
            Expr::Unspecified => refuse("empty parts", "write a comparison"),
        }
    }

    fn field(&mut self, name: &str) -> Result<Field, UnknownField> {
        let field: Field = name.parse()?;
        if !self.fields.contains(&field) {
            self.fields.push(field);
        }
        Ok(field)
    }

    fn name(&mut self, name: &str) -> Result<Piece, ExpressionError> {
        let field = self.field(name)?;
        let gives = match field.kind() {
            Kind::Number => Gives::Number,
            Kind::Integer => Gives::Integer,
            Kind::Bool => Gives::Bool,
            Kind::Text(_) => Gives::Text(field),
        };
        Ok(Piece::new(Expr::Ident(field.name().to_owned()), gives, field.name().to_owned(), rank::ATOM))
    }

    fn call(&mut self, called: &CallExpr) -> Result<Piece, ExpressionError> {
        if called.target.is_none()
            && let Some(piece) = self.operator(&called.func_name, &called.args)
        {
            return piece;
        }
        let group = called.target.as_ref().map(|t| path(&t.expr).unwrap_or_else(|| "...".to_owned()));
        let name = group.map_or(called.func_name.clone(), |group| format!("{group}.{}", called.func_name));
        let (runs, gives) = match (name.as_str(), called.args.len()) {
            ("double", 1) => ("double", Some(Gives::Number)),
            ("int", 1) => ("int", Some(Gives::Integer)),
            ("math.abs", 1) => ("math.abs", None),
            ("math.least", 2) => (LEAST, None),
            ("math.greatest", 2) => (GREATEST, None),
            (_, arguments) => {
                return Err(ExpressionError::UnknownFunction { name: name.chars().take(60).collect(), arguments });
            }
        };
        let mut args = Vec::with_capacity(called.args.len());
        for arg in &called.args {
            let piece = self.piece(arg)?;
            if !piece.gives.is_numeric() {
                let what = format!("{name} takes a number, not {}", piece.gives.noun());
                return Err(ExpressionError::WrongOperands { what, instead: "give it a numeric field or a sum" });
            }
            args.push(piece);
        }
        let text = format!("{name}({})", args.iter().map(|a| a.text.as_str()).collect::<Vec<_>>().join(", "));
        // Without a type of its own, the function gives what it is given: a number as soon as one argument is one.
        let whole = args.iter().all(|a| a.gives == Gives::Integer);
        let own = if whole { Gives::Integer } else { Gives::Number };
        let convert = |a: Piece| if gives.is_none() && !whole { a.into_number() } else { a.tree };
        let args = args.into_iter().map(convert).collect();
        Ok(Piece::new(call(runs, args), gives.unwrap_or(own), text, rank::ATOM))
    }
}

fn constant(literal: &LiteralValue) -> Result<Piece, ExpressionError> {
    let refuse = |what, instead| Err(ExpressionError::NotAvailable { what, instead });
    let (gives, text) = match literal {
        LiteralValue::Boolean(b) => (Gives::Bool, b.inner().to_string()),
        LiteralValue::Int(n) => (Gives::Integer, n.inner().to_string()),
        LiteralValue::Double(x) => (Gives::Number, format!("{:?}", x.inner())),
        LiteralValue::String(word) => (Gives::Word, format!("\"{}\"", word.inner())),
        LiteralValue::UInt(_) => return refuse("unsigned constants", "write 5 instead of 5u"),
        LiteralValue::Bytes(_) => return refuse("bytes", "write a word in quotes"),
        LiteralValue::Null => return refuse("null values", "ask has(field) whether a field was observed"),
    };
    Ok(Piece::new(Expr::Literal(literal.clone()), gives, text, rank::ATOM))
}

/// The dotted name that an expression spells, if it is one.
fn path(mut expr: &Expr) -> Option<String> {
    let mut parts = Vec::new();
    loop {
        match expr {
            Expr::Ident(name) => {
                parts.push(name.as_str());
                parts.reverse();
                return Some(parts.join("."));
            }
            Expr::Select(select) if !select.test => {
                parts.push(&select.field);
                expr = &select.operand.expr;
            }
            _ => return None,
        }
    }
}
