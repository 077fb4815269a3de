//! What several pictures of terms have in common.

use super::mark::Look::{Bad, Faded, Plain, Second};
use super::mark::Mark::{self, Arrow, Line, Node, Rect};
use super::mark::Point;

/// Time across, memory upwards.
pub(super) const AXES: &[Mark] = &[Line(Plain, &[(0, 14), (0, 0), (28, 0)])];

/// A plan that meets its bound.
pub(super) const PLAN: &[Mark] = &[
    Line(Plain, &[(0, 14), (0, 0), (28, 0)]),
    Rect(Plain, 1, 9, 0, 5),
    Rect(Plain, 5, 16, 5, 9),
    Rect(Plain, 12, 22, 0, 4),
    Rect(Plain, 18, 27, 4, 10),
    Rect(Plain, 22, 27, 0, 3),
];

/// The same, in the background.
pub(super) const PALE: &[Mark] = &[
    Line(Plain, &[(0, 14), (0, 0), (28, 0)]),
    Rect(Faded, 1, 9, 0, 5),
    Rect(Faded, 5, 16, 5, 9),
    Rect(Faded, 12, 22, 0, 4),
    Rect(Faded, 18, 27, 4, 10),
    Rect(Faded, 22, 27, 0, 3),
];

/// The bytes that are live in it, step by step.
pub(super) const CURVE: &[Point] = &[
    (1, 0),
    (1, 5),
    (5, 5),
    (5, 9),
    (9, 9),
    (9, 4),
    (12, 4),
    (12, 8),
    (16, 8),
    (16, 4),
    (18, 4),
    (18, 10),
    (22, 10),
    (22, 9),
    (27, 9),
    (27, 0),
];

/// Tensors with two gaps between them: a large one below, a small one above.
pub(super) const GAPS: &[Mark] = &[
    Line(Plain, &[(0, 14), (0, 0), (28, 0)]),
    Rect(Plain, 8, 22, 0, 2),
    Rect(Plain, 8, 22, 7, 9),
    Rect(Plain, 8, 22, 12, 14),
];

/// Four operators, of which two could run at the same time.
pub(super) const GRAPH: &[Mark] = &[
    Arrow(Plain, (5, 8), (10, 10)),
    Arrow(Plain, (5, 6), (10, 4)),
    Arrow(Plain, (14, 10), (19, 8)),
    Arrow(Plain, (14, 4), (19, 6)),
    Node(Plain, 4, 7),
    Node(Plain, 12, 11),
    Node(Plain, 12, 3),
    Node(Plain, 21, 7),
];

/// An operator between what it reads and what it writes.
pub(super) const READ_AND_WRITTEN: &[Mark] = &[
    Rect(Plain, 1, 8, 4, 10),
    Arrow(Plain, (8, 7), (12, 7)),
    Node(Plain, 14, 7),
    Arrow(Plain, (16, 7), (20, 7)),
    Rect(Plain, 20, 27, 4, 10),
];

/// Choices as a tree.
pub(super) const TREE: &[Mark] = &[
    Line(Plain, &[(3, 2), (7, 7), (14, 12), (21, 7), (25, 2)]),
    Line(Plain, &[(7, 7), (11, 2)]),
    Line(Plain, &[(21, 7), (17, 2)]),
    Node(Plain, 14, 12),
    Node(Plain, 7, 7),
    Node(Plain, 21, 7),
];

/// Three numbers of bytes that are to be the same.
pub(super) const BARS: &[Mark] = &[
    Rect(Plain, 2, 24, 10, 13),
    Rect(Plain, 2, 24, 6, 9),
    Rect(Plain, 2, 24, 2, 5),
];

/// A segment, addresses across, with two blocks in use.
pub(super) const SEGMENT: &[Mark] = &[
    Rect(Faded, 1, 27, 4, 10),
    Rect(Plain, 1, 8, 4, 10),
    Rect(Plain, 13, 20, 4, 10),
];

/// Two memories: a small one, and a large one.
pub(super) const POOLS: &[Mark] = &[
    Line(Plain, &[(1, 1), (1, 8), (11, 8), (11, 1), (1, 1)]),
    Line(Plain, &[(15, 1), (15, 13), (27, 13), (27, 1), (15, 1)]),
];

/// It is so.
pub(super) const RIGHT: &[Mark] = &[Line(Second, &[(22, 12), (24, 11), (27, 14)])];

/// A tensor that another is written over.
pub(super) const OVERWRITTEN: &[Mark] = &[
    Line(Plain, &[(0, 14), (0, 0), (28, 0)]),
    Rect(Plain, 3, 20, 1, 6),
    Rect(Plain, 12, 26, 4, 9),
    Rect(Bad, 12, 20, 4, 6),
];
