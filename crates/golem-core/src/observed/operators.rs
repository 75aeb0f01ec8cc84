//! The operators of the language: what each takes, what it gives, and how it is written canonically.

use super::check::{Checker, Gives, Piece, call};
use super::error::{ExpressionError, vocabulary};
use super::evaluate::{ADD, DIVIDE, MULTIPLY, SUBTRACT};
use cel::common::ast::operators as op;
use cel::common::ast::{Expr, ListExpr, LiteralValue};
use cel::parser::Expression as Tree;

/// How tightly an operator binds; a part that binds less tightly than its place asks for stands in brackets.
pub(super) mod rank {
    pub(in super::super) const CHOICE: u8 = 0;
    pub(in super::super) const OR: u8 = 1;
    pub(in super::super) const AND: u8 = 2;
    pub(in super::super) const RELATION: u8 = 3;
    pub(in super::super) const SUM: u8 = 4;
    pub(in super::super) const PRODUCT: u8 = 5;
    pub(in super::super) const SIGN: u8 = 6;
    pub(in super::super) const ATOM: u8 = 7;
}

type CheckedPiece = Result<Piece, ExpressionError>;

fn wrong<T>(what: String, instead: &'static str) -> Result<T, ExpressionError> {
    Err(ExpressionError::WrongOperands { what, instead })
}

impl Checker {
    /// The piece of an operator's call; none when the name is not an operator's.
    pub(super) fn operator(&mut self, name: &str, args: &[Tree]) -> Option<CheckedPiece> {
        Some(match (name, args) {
            (op::LOGICAL_AND, [a, b]) => self.logic(name, "&&", rank::AND, a, b),
            (op::LOGICAL_OR, [a, b]) => self.logic(name, "||", rank::OR, a, b),
            (op::LOGICAL_NOT, [a]) => self.not(a),
            (op::CONDITIONAL, [when, then, otherwise]) => self.choice(when, then, otherwise),
            (op::EQUALS, [a, b]) => self.relation(name, "==", a, b),
            (op::NOT_EQUALS, [a, b]) => self.relation(name, "!=", a, b),
            (op::LESS, [a, b]) => self.relation(name, "<", a, b),
            (op::LESS_EQUALS, [a, b]) => self.relation(name, "<=", a, b),
            (op::GREATER, [a, b]) => self.relation(name, ">", a, b),
            (op::GREATER_EQUALS, [a, b]) => self.relation(name, ">=", a, b),
            (op::IN, [a, b]) => self.membership(a, b),
            (op::ADD, [a, b]) => self.arithmetic(name, "+", ADD, rank::SUM, a, b),
            (op::SUBSTRACT, [a, b]) => self.arithmetic(name, "-", SUBTRACT, rank::SUM, a, b),
            (op::MULTIPLY, [a, b]) => self.arithmetic(name, "*", MULTIPLY, rank::PRODUCT, a, b),
            (op::DIVIDE, [a, b]) => self.arithmetic(name, "/", DIVIDE, rank::PRODUCT, a, b),
            (op::MODULO, [a, b]) => self.arithmetic(name, "%", op::MODULO, rank::PRODUCT, a, b),
            (op::NEGATE, [a]) => self.negation(a),
            (op::INDEX, _) => Err(ExpressionError::NotAvailable { what: "indexes", instead: "name a field" }),
            _ => return None,
        })
    }

    /// A part that must be true or false.
    fn condition(&mut self, sign: &str, tree: &Tree) -> CheckedPiece {
        let piece = self.piece(tree)?;
        match piece.gives {
            Gives::Bool => Ok(piece),
            other => wrong(format!("{sign} takes true or false, not {}", other.noun()), "compare it with something"),
        }
    }

    fn logic(&mut self, name: &str, sign: &str, rank: u8, a: &Tree, b: &Tree) -> CheckedPiece {
        let (a, b) = (self.condition(sign, a)?, self.condition(sign, b)?);
        // The parser balances a chain, so either side can be a chain again; brackets would say nothing.
        let text = format!("{} {sign} {}", a.within(rank), b.within(rank));
        Ok(Piece::new(call(name, vec![a.tree, b.tree]), Gives::Bool, text, rank))
    }

    fn not(&mut self, a: &Tree) -> CheckedPiece {
        let a = self.condition("!", a)?;
        let text = format!("!{}", a.within(rank::ATOM));
        Ok(Piece::new(call(op::LOGICAL_NOT, vec![a.tree]), Gives::Bool, text, rank::SIGN))
    }

    fn choice(&mut self, when: &Tree, then: &Tree, otherwise: &Tree) -> CheckedPiece {
        let when = self.condition("?:", when)?;
        let (then, otherwise) = (self.piece(then)?, self.piece(otherwise)?);
        let text = format!("{} ? {} : {}", when.within(rank::OR), then.within(rank::OR), otherwise.within(rank::OR));
        let (then, otherwise, gives) = match (then.gives, otherwise.gives) {
            (a, b) if a == b && a != Gives::Word => (then.tree, otherwise.tree, a),
            (a, b) if a.is_numeric() && b.is_numeric() => (then.into_number(), otherwise.into_number(), Gives::Number),
            (a, b) => {
                return wrong(format!("?: gives {} or {}", a.noun(), b.noun()), "let both sides be of one kind");
            }
        };
        Ok(Piece::new(call(op::CONDITIONAL, vec![when.tree, then, otherwise]), gives, text, rank::CHOICE))
    }

    fn relation(&mut self, name: &str, sign: &str, a: &Tree, b: &Tree) -> CheckedPiece {
        let (a, b) = (self.piece(a)?, self.piece(b)?);
        let equality = matches!(name, op::EQUALS | op::NOT_EQUALS);
        match (a.gives, b.gives) {
            (x, y) if x.is_numeric() && y.is_numeric() => (),
            (Gives::Bool, Gives::Bool) if equality => (),
            (x, y) if !equality && x.noun() == y.noun() => {
                let instead = "use == or !=, or in with a list of words";
                return wrong(format!("{sign} needs an order, and {} has none", x.noun()), instead);
            }
            (x, y) if x.noun() == y.noun() => same_vocabulary(&a, &b)?,
            (x, y) => {
                let what = format!("{sign} cannot compare {} with {}", x.noun(), y.noun());
                return wrong(what, "words stand in quotes, numbers and true or false do not");
            }
        }
        let text = format!("{} {sign} {}", a.within(rank::SUM), b.within(rank::SUM));
        Ok(Piece::new(call(name, vec![a.tree, b.tree]), Gives::Bool, text, rank::RELATION))
    }

    fn membership(&mut self, a: &Tree, list: &Tree) -> CheckedPiece {
        let a = self.piece(a)?;
        let example = "write market.regime in [\"volatile\", \"unknown\"]";
        let Expr::List(ListExpr { elements, .. }) = &list.expr else {
            return wrong("in takes a list of constants".to_owned(), example);
        };
        if elements.is_empty() {
            return wrong("nothing is in an empty list".to_owned(), example);
        }
        let mut members = Vec::with_capacity(elements.len());
        let mut texts = Vec::with_capacity(elements.len());
        for element in elements {
            let member = self.piece(element)?;
            if !matches!(member.tree.expr, Expr::Literal(_)) {
                return wrong("in takes a list of constants".to_owned(), example);
            }
            match (a.gives, member.gives) {
                (x, y) if x.is_numeric() && y.is_numeric() => (),
                (Gives::Text(_), Gives::Word) => same_vocabulary(&a, &member)?,
                (x, y) => {
                    return wrong(format!("{} is never in a list with {}", x.noun(), y.noun()), example);
                }
            }
            texts.push(member.text);
            members.push(member.tree);
        }
        let text = format!("{} in [{}]", a.within(rank::SUM), texts.join(", "));
        let list = Tree { id: 0, expr: Expr::List(ListExpr::new(members)) };
        Ok(Piece::new(call(op::IN, vec![a.tree, list]), Gives::Bool, text, rank::RELATION))
    }

    /// `name` is CEL's operator, for whole numbers; `ours` is the one for numbers.
    fn arithmetic(&mut self, name: &str, sign: &str, ours: &str, rank: u8, a: &Tree, b: &Tree) -> CheckedPiece {
        let (a, b) = (self.piece(a)?, self.piece(b)?);
        if let Some(odd) = [a.gives, b.gives].into_iter().find(|g| !g.is_numeric()) {
            return wrong(format!("{sign} takes numbers, not {}", odd.noun()), "words and answers cannot be added up");
        }
        let whole = a.gives == Gives::Integer && b.gives == Gives::Integer;
        if whole && name == op::DIVIDE {
            // CEL would drop the fraction: goals.failed / goals.completed > 0.5 would never hold for 3 of 4.
            return wrong("/ of whole numbers drops the fraction".to_owned(), "write double(x) / y, or 1.0 / 2");
        }
        if !whole && name == op::MODULO {
            return wrong("% takes whole numbers, not a number".to_owned(), "write int(x) % y");
        }
        // Sums of doubles depend on their order, so a bracket on the right is kept.
        let text = format!("{} {sign} {}", a.within(rank), b.within(rank + 1));
        if whole {
            return Ok(Piece::new(call(name, vec![a.tree, b.tree]), Gives::Integer, text, rank));
        }
        Ok(Piece::new(call(ours, vec![a.into_number(), b.into_number()]), Gives::Number, text, rank))
    }

    fn negation(&mut self, a: &Tree) -> CheckedPiece {
        let a = self.piece(a)?;
        if !a.gives.is_numeric() {
            return wrong(format!("- takes a number, not {}", a.gives.noun()), "write ! to negate an answer");
        }
        // -(5) is a sign before a constant, -5 is a constant: the bracket keeps them apart.
        let constant = matches!(a.tree.expr, Expr::Literal(_));
        let text = if constant { format!("-({})", a.text) } else { format!("-{}", a.within(rank::ATOM)) };
        let gives = a.gives;
        Ok(Piece::new(call(op::NEGATE, vec![a.tree]), gives, text, rank::SIGN))
    }
}

/// Two texts that can be equal: a field and one of its words, or two fields with the same words.
fn same_vocabulary(a: &Piece, b: &Piece) -> Result<(), ExpressionError> {
    let (field, other) = match (a.gives, b.gives) {
        (Gives::Text(field), _) => (field, b),
        (_, Gives::Text(field)) => (field, a),
        _ => return wrong("two quoted words are compared".to_owned(), "compare a field with a word"),
    };
    match (&other.tree.expr, other.gives) {
        (Expr::Literal(LiteralValue::String(word)), _) if vocabulary(field).contains(&word.inner()) => Ok(()),
        (Expr::Literal(LiteralValue::String(word)), _) => Err(ExpressionError::unknown_word(field, word.inner())),
        (_, Gives::Text(second)) if vocabulary(second) == vocabulary(field) => Ok(()),
        _ => wrong(format!("{} and {} have no word in common", a.text, b.text), "compare a field with a word"),
    }
}
