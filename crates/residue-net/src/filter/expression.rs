//! Expressions that the parser reads.

use super::primitive::Primitive;

/// An expression; without a root, it holds for all packets.
#[derive(Clone, Debug)]
pub struct Expression {
    pub root: Option<Node>,
    pub primitives: Vec<Primitive>,
}

/// A part of an expression.
#[derive(Clone, Debug)]
pub enum Node {
    /// The primitive with this index.
    Primitive(usize),
    Not(Box<Node>),
    /// Operands, grouped from the left.
    Chain(Box<Node>, Vec<(Joint, Node)>),
}

/// How two operands are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joint {
    And,
    Or,
}

impl Node {
    /// Returns whether the part holds, by whether each primitive does.
    pub fn holds(&self, primitive: &mut impl FnMut(usize) -> bool) -> bool {
        match self {
            Node::Primitive(index) => primitive(*index),
            Node::Not(node) => !node.holds(primitive),
            Node::Chain(first, rest) => {
                rest.iter().fold(first.holds(primitive), |so_far, next| match next {
                    (Joint::And, node) => so_far && node.holds(primitive),
                    (Joint::Or, node) => so_far || node.holds(primitive),
                })
            }
        }
    }
}
