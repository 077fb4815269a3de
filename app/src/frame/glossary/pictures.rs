//! The picture of each term: what it means, without a word.

use super::mark::Look::{Bad, Band, Faded, Free, Meant, Plain, Second};
use super::mark::Mark::{self, Arrow, Line, Node, Rect, Rise, Sign, Span};
use super::scenes::{
    AXES, BARS, CURVE, GAPS, GRAPH, OVERWRITTEN, PALE, PLAN, POOLS, READ_AND_WRITTEN, RIGHT,
    SEGMENT, TREE,
};
use crate::strings::Term;

/// Rows `Term: SCENE … [marks];`, one for every term, or it does not compile.
macro_rules! pictures {
    ($($term:ident: $($scene:ident)* [$($mark:expr),* $(,)?];)*) => {
        /// The layers of a term's picture, from the back to the front.
        pub(super) fn picture(term: Term) -> &'static [&'static [Mark]] {
            match term {
                $(Term::$term => {
                    const LAYERS: &[&[Mark]] = &[$($scene,)* &[$($mark),*]];
                    LAYERS
                })*
            }
        }
    };
}

pictures! {
    Tensor: PLAN [Rect(Meant, 5, 16, 5, 9)];
    Lifetime: AXES [Rect(Plain, 7, 20, 5, 11), Span(Meant, 7, 20, 2)];
    Step: PLAN [Rect(Band, 12, 16, 0, 14)];
    Arena: PLAN [Line(Meant, &[(0, 0), (0, 10), (28, 10), (28, 0), (0, 0)])];
    Address: AXES [Rect(Plain, 8, 22, 6, 12), Arrow(Meant, (15, 0), (15, 6))];
    Naive: AXES [
        Rect(Meant, 1, 8, 0, 3), Rect(Meant, 6, 14, 3, 6), Rect(Meant, 12, 20, 6, 9),
        Rect(Meant, 18, 26, 9, 12),
    ];
    LiveBytes: PALE [Line(Meant, CURVE)];
    Peak: AXES [Line(Plain, CURVE), Rect(Band, 18, 22, 0, 10), Line(Meant, &[(18, 10), (22, 10)])];
    Bound: AXES [Line(Plain, CURVE), Line(Meant, &[(0, 10), (28, 10)])];
    OverBound: AXES [
        Rect(Plain, 2, 12, 0, 5), Rect(Plain, 9, 18, 5, 8), Rect(Plain, 16, 26, 8, 12),
        Line(Plain, &[(0, 9), (28, 9)]), Line(Bad, &[(0, 12), (28, 12)]), Rise(Bad, 6, 9, 12),
    ];
    Optimal: PLAN RIGHT [Line(Second, &[(0, 10), (28, 10)])];
    Fragmentation: AXES [
        Rect(Plain, 2, 26, 4, 6), Rect(Plain, 2, 10, 0, 4), Rect(Plain, 2, 10, 6, 10),
        Rect(Free, 10, 24, 0, 4), Rect(Meant, 12, 24, 6, 13), Line(Plain, &[(0, 10), (28, 10)]),
    ];
    Hole: AXES [
        Rect(Plain, 1, 8, 0, 5), Rect(Plain, 4, 24, 5, 9), Rect(Plain, 18, 27, 0, 5),
        Rect(Free, 8, 18, 0, 5),
    ];
    Reuse: AXES [
        Rect(Meant, 1, 7, 0, 6), Rect(Second, 7, 14, 0, 6), Rect(Meant, 14, 20, 0, 6),
        Rect(Second, 20, 27, 0, 6), Sign(14, 10, "4×"),
    ];
    SharedObject: AXES [
        Rect(Plain, 1, 9, 1, 9), Rect(Plain, 10, 18, 1, 5), Rect(Plain, 19, 27, 1, 7),
        Line(Meant, &[(1, 1), (1, 9), (27, 9), (27, 1), (1, 1)]),
    ];
    ObjectBound: AXES [
        Rect(Meant, 2, 11, 0, 6), Rect(Plain, 2, 11, 6, 8), Rect(Plain, 15, 24, 0, 4),
        Rect(Second, 15, 24, 6, 10), Line(Plain, &[(0, 6), (28, 6)]),
        Line(Meant, &[(0, 10), (28, 10)]),
    ];
    HandOver: AXES [
        Rect(Plain, 2, 16, 2, 9), Rect(Plain, 12, 26, 2, 9), Rect(Free, 12, 16, 2, 9),
    ];
    InPlace: AXES [
        Rect(Plain, 2, 14, 2, 8), Rect(Meant, 14, 26, 2, 8),
        Line(Meant, &[(8, 9), (8, 12), (20, 12)]), Arrow(Meant, (20, 12), (20, 8)),
    ];
    Alignment: AXES [
        Line(Faded, &[(0, 4), (28, 4)]), Line(Faded, &[(0, 8), (28, 8)]),
        Line(Faded, &[(0, 12), (28, 12)]), Rect(Plain, 2, 18, 0, 2), Rect(Free, 2, 18, 2, 4),
        Rect(Meant, 8, 26, 4, 10),
    ];
    Padding: AXES [Rect(Plain, 4, 24, 1, 8), Rect(Free, 4, 24, 8, 12)];
    Pinned: AXES [
        Rect(Plain, 6, 22, 2, 8), Line(Meant, &[(14, 5), (14, 11)]), Node(Meant, 14, 11),
    ];
    Payload: AXES [Rect(Meant, 4, 24, 1, 8), Rect(Faded, 4, 24, 8, 12)];
    Reserved: SEGMENT [Span(Meant, 1, 27, 12)];
    Strategy: [
        Rect(Plain, 1, 5, 1, 4), Rect(Plain, 1, 5, 5, 9), Rect(Plain, 1, 5, 10, 13),
        Arrow(Meant, (6, 7), (11, 7)), Line(Plain, &[(13, 14), (13, 0), (28, 0)]),
        Rect(Plain, 14, 21, 0, 4), Rect(Plain, 21, 27, 0, 3), Rect(Meant, 17, 25, 4, 8),
    ];
    Exact: TREE [
        Node(Meant, 3, 2), Node(Meant, 11, 2), Node(Second, 17, 2), Node(Meant, 25, 2),
    ];
    Pool: POOLS [
        Rect(Meant, 1, 11, 1, 4), Rect(Meant, 1, 8, 4, 7), Rect(Second, 15, 27, 1, 5),
        Rect(Second, 18, 25, 5, 10),
    ];
    Promised: BARS [Rect(Meant, 2, 24, 10, 13)];
    Allocated: BARS [Rect(Meant, 2, 24, 6, 9)];
    Touched: BARS [Rect(Meant, 2, 24, 2, 5)];
    Constant: [
        Rect(Meant, 1, 27, 10, 13), Line(Plain, &[(0, 8), (0, 0), (28, 0)]),
        Rect(Plain, 2, 12, 0, 4), Rect(Plain, 9, 22, 4, 7),
    ];
    Symbol: [
        Rect(Plain, 4, 18, 1, 10), Span(Plain, 4, 18, 12), Rise(Meant, 21, 1, 10),
        Sign(25, 6, "?"),
    ];

    Operator: [
        Arrow(Plain, (3, 12), (12, 8)), Arrow(Plain, (3, 2), (12, 6)),
        Arrow(Plain, (16, 7), (26, 7)), Node(Meant, 14, 7),
    ];
    Graph: GRAPH [
        Node(Meant, 4, 7), Node(Meant, 12, 11), Node(Meant, 12, 3), Node(Meant, 21, 7),
    ];
    Activation: [
        Node(Plain, 3, 7), Arrow(Plain, (5, 7), (9, 7)), Rect(Meant, 9, 18, 3, 11),
        Arrow(Plain, (18, 7), (22, 7)), Node(Plain, 24, 7),
    ];
    Input: READ_AND_WRITTEN [Rect(Meant, 1, 8, 4, 10)];
    Output: READ_AND_WRITTEN [Rect(Meant, 20, 27, 4, 10)];
    State: [
        Rect(Meant, 9, 19, 9, 13), Node(Plain, 14, 2), Arrow(Plain, (11, 9), (13, 4)),
        Arrow(Meant, (15, 4), (17, 9)),
    ];
    Order: [
        Arrow(Plain, (1, 2), (27, 2)), Node(Plain, 4, 6), Node(Meant, 13, 6), Node(Meant, 22, 6),
        Line(Meant, &[(13, 8), (13, 11), (22, 11)]), Arrow(Meant, (22, 11), (22, 8)),
    ];
    Schedule: [
        Rect(Plain, 1, 6, 6, 10), Rect(Meant, 8, 13, 6, 10), Rect(Faded, 15, 20, 6, 10),
        Rect(Second, 22, 27, 6, 10), Arrow(Plain, (1, 3), (27, 3)),
    ];
    Dependency: [Arrow(Meant, (6, 7), (20, 7)), Node(Plain, 4, 7), Node(Plain, 22, 7)];
    Stream: [
        Line(Plain, &[(1, 10), (27, 10)]), Line(Plain, &[(1, 4), (27, 4)]), Node(Meant, 6, 10),
        Node(Meant, 15, 10), Node(Second, 10, 4), Node(Second, 20, 4),
    ];
    ParallelSafety: GRAPH RIGHT [Node(Meant, 12, 11), Node(Second, 12, 3)];
    SkipConnection: [
        Arrow(Plain, (5, 3), (12, 3)), Arrow(Plain, (15, 3), (22, 3)), Node(Plain, 4, 3),
        Node(Plain, 14, 3), Node(Plain, 24, 3), Line(Meant, &[(4, 5), (4, 10), (24, 10)]),
        Arrow(Meant, (24, 10), (24, 5)),
    ];
    ReferenceCount: [
        Rect(Plain, 2, 10, 3, 11), Sign(6, 7, "2"), Arrow(Meant, (10, 8), (18, 11)),
        Arrow(Meant, (10, 6), (18, 3)), Node(Plain, 20, 11), Node(Plain, 20, 3),
    ];

    Liveness: [
        Arrow(Plain, (6, 11), (12, 11)), Arrow(Plain, (16, 11), (22, 11)), Node(Plain, 4, 11),
        Node(Plain, 14, 11), Node(Plain, 24, 11), Span(Meant, 4, 14, 6), Span(Second, 14, 24, 2),
    ];
    HalfOpen: [
        Line(Plain, &[(1, 4), (27, 4)]), Line(Meant, &[(7, 8), (20, 8)]), Node(Meant, 7, 8),
        Node(Faded, 20, 8), Sign(7, 1, "2"), Sign(20, 1, "5"),
    ];
    Pause: AXES [
        Rect(Plain, 2, 10, 3, 10), Rect(Free, 10, 19, 3, 10), Rect(Plain, 19, 26, 3, 10),
    ];
    Conflict: AXES [
        Rect(Meant, 3, 17, 1, 6), Rect(Second, 11, 25, 8, 13), Rect(Band, 11, 17, 0, 14),
    ];
    MemoryReuse: AXES [
        Rect(Plain, 1, 27, 7, 11), Rect(Meant, 1, 11, 1, 7), Rect(Second, 16, 27, 1, 7),
        Arrow(Plain, (11, 4), (16, 4)),
    ];
    WholeLife: AXES [
        Rect(Meant, 0, 28, 0, 4), Rect(Plain, 3, 12, 4, 8), Rect(Plain, 10, 22, 8, 12),
    ];
    Storage: [
        Rect(Meant, 2, 26, 1, 5), Rect(Plain, 2, 13, 9, 12), Rect(Plain, 10, 26, 9, 12),
        Arrow(Plain, (6, 9), (6, 5)), Arrow(Plain, (20, 9), (20, 5)),
    ];
    Residency: AXES [
        Rect(Meant, 2, 11, 1, 6), Rect(Second, 17, 26, 7, 12), Line(Faded, &[(11, 4), (17, 9)]),
    ];

    FreeRange: AXES [
        Rect(Plain, 4, 24, 0, 4), Rect(Plain, 8, 20, 10, 14), Rect(Free, 8, 20, 4, 10),
    ];
    Gap: GAPS [Rect(Faded, 10, 24, 3, 6), Rise(Meant, 6, 2, 7), Rise(Meant, 6, 9, 12)];
    Contiguous: [
        Rect(Meant, 3, 19, 8, 12), Rect(Bad, 3, 11, 1, 5), Rect(Plain, 11, 15, 1, 5),
        Rect(Bad, 15, 23, 1, 5), Line(Second, &[(22, 10), (24, 9), (27, 12)]),
    ];
    Deployed: [
        Line(Plain, &[(5, 0), (5, 14), (18, 14), (23, 10), (23, 0), (5, 0)]),
        Line(Plain, &[(18, 14), (18, 10), (23, 10)]), Rect(Meant, 7, 14, 2, 6),
        Rect(Meant, 11, 20, 6, 9),
    ];
    Waste: [
        Rect(Plain, 2, 15, 4, 9), Rect(Free, 15, 21, 4, 9), Rect(Bad, 21, 26, 4, 9),
        Span(Meant, 15, 26, 12),
    ];
    Spilled: POOLS [
        Rect(Plain, 1, 11, 1, 7), Rect(Meant, 15, 27, 1, 5), Arrow(Meant, (6, 11), (15, 5)),
    ];

    StaticPlanning: [
        Rect(Meant, 1, 7, 2, 6), Rect(Meant, 5, 12, 6, 10), Line(Plain, &[(14, 0), (14, 14)]),
        Arrow(Plain, (16, 6), (27, 6)), Node(Plain, 20, 6),
    ];
    Greedy: AXES [
        Rect(Plain, 1, 13, 0, 6), Rect(Plain, 8, 21, 6, 11), Rect(Meant, 15, 27, 0, 5),
        Sign(7, 3, "1"), Sign(14, 8, "2"), Sign(21, 2, "3"),
    ];
    FirstFit: GAPS [Rect(Meant, 10, 24, 2, 5), Arrow(Meant, (2, 4), (9, 4))];
    BestFit: GAPS [Rect(Meant, 10, 24, 9, 12), Arrow(Meant, (2, 10), (9, 10))];
    Breadth: AXES [
        Rect(Plain, 4, 17, 0, 4), Rect(Plain, 11, 24, 4, 9), Rect(Plain, 8, 20, 9, 12),
        Rect(Band, 11, 17, 0, 14), Rise(Meant, 14, 0, 12),
    ];
    Skyline: AXES [
        Rect(Plain, 1, 8, 0, 8), Rect(Plain, 8, 17, 0, 3), Rect(Plain, 17, 27, 0, 6),
        Line(Meant, &[(1, 8), (8, 8), (8, 3), (17, 3), (17, 6), (27, 6)]),
    ];
    LeftEdge: AXES [
        Rect(Meant, 1, 8, 1, 5), Rect(Meant, 9, 17, 1, 5), Rect(Meant, 19, 27, 1, 5),
        Rect(Second, 4, 13, 7, 11), Rect(Second, 14, 24, 7, 11),
        Line(Plain, &[(1, 0), (1, 6)]), Line(Plain, &[(9, 0), (9, 6)]),
        Line(Plain, &[(19, 0), (19, 6)]), Line(Plain, &[(4, 6), (4, 12)]),
        Line(Plain, &[(14, 6), (14, 12)]),
    ];
    GraphColoring: [
        Line(Plain, &[(4, 3), (11, 11), (17, 3), (24, 11)]), Node(Meant, 4, 3),
        Node(Second, 11, 11), Node(Meant, 17, 3), Node(Second, 24, 11),
    ];
    LocalSearch: [
        Line(Plain, &[(1, 12), (5, 7), (8, 9), (14, 2), (18, 6), (22, 5), (27, 12)]),
        Node(Faded, 8, 9), Node(Meant, 14, 2), Arrow(Meant, (11, 10), (15, 5)),
    ];
    BranchAndBound: TREE [
        Node(Plain, 3, 2), Node(Second, 11, 2), Node(Faded, 21, 7), Node(Faded, 17, 2),
        Node(Faded, 25, 2), Line(Bad, &[(15, 8), (20, 11)]), Line(Bad, &[(15, 11), (20, 8)]),
    ];
    Effort: [Rect(Faded, 2, 26, 5, 9), Rect(Meant, 2, 17, 5, 9), Line(Plain, &[(26, 3), (26, 11)])];
    Film: [
        Rect(Faded, 1, 9, 2, 12), Rect(Faded, 10, 18, 2, 12), Rect(Faded, 19, 27, 2, 12),
        Rect(Meant, 2, 6, 3, 6), Rect(Plain, 11, 15, 3, 6), Rect(Meant, 13, 17, 6, 9),
        Rect(Plain, 20, 24, 3, 6), Rect(Plain, 22, 26, 6, 9), Rect(Meant, 20, 24, 9, 11),
    ];
    WhatIf: AXES [
        Rect(Plain, 2, 12, 0, 4), Rect(Faded, 10, 22, 4, 7), Rect(Meant, 10, 22, 10, 13),
        Arrow(Meant, (16, 6), (16, 10)),
    ];
    Sweep: AXES [
        Line(Plain, &[(3, 2), (10, 5), (17, 8), (24, 11)]), Node(Meant, 3, 2), Node(Meant, 10, 5),
        Node(Meant, 17, 8), Node(Meant, 24, 11),
    ];

    Proof: AXES RIGHT [
        Line(Second, &[(0, 9), (28, 9)]), Line(Faded, &[(0, 5), (28, 5)]),
        Line(Bad, &[(12, 3), (16, 7)]), Line(Bad, &[(12, 7), (16, 3)]),
    ];
    Witness: PALE [
        Rect(Meant, 12, 22, 0, 4), Rect(Meant, 18, 27, 4, 10), Line(Plain, &[(0, 10), (28, 10)]),
    ];
    Judge: OVERWRITTEN [Line(Bad, &[(22, 11), (26, 14)]), Line(Bad, &[(22, 14), (26, 11)])];
    Run: PLAN [Line(Meant, &[(10, 2), (10, 12), (20, 7), (10, 2)])];
    Corrupted: AXES [
        Rect(Plain, 3, 18, 1, 6), Rect(Faded, 10, 25, 9, 13), Rect(Bad, 10, 25, 4, 7),
        Arrow(Bad, (22, 11), (22, 7)),
    ];
    Culprit: OVERWRITTEN [
        Rect(Meant, 12, 26, 4, 9), Node(Meant, 12, 12), Arrow(Meant, (12, 11), (12, 7)),
    ];
    Victim: OVERWRITTEN [Rect(Meant, 3, 20, 1, 6), Rect(Bad, 12, 20, 4, 6)];

    Pass: [
        Line(Plain, &[(3, 11), (3, 3), (9, 7), (3, 11)]), Node(Plain, 3, 11), Node(Plain, 3, 3),
        Node(Plain, 9, 7), Arrow(Meant, (13, 7), (18, 7)), Line(Meant, &[(21, 11), (21, 3)]),
        Node(Meant, 21, 11), Node(Meant, 21, 3),
    ];
    Stage: AXES [
        Rect(Plain, 2, 8, 0, 12), Rect(Meant, 11, 17, 0, 8), Rect(Free, 11, 17, 8, 12),
        Rect(Plain, 20, 26, 0, 6),
    ];
    Fusion: [
        Line(Meant, &[(2, 3), (2, 11), (18, 11), (18, 3), (2, 3)]),
        Arrow(Plain, (7, 7), (12, 7)), Node(Plain, 6, 7), Node(Plain, 14, 7),
        Arrow(Plain, (18, 7), (26, 7)),
    ];
    View: [
        Rect(Plain, 2, 26, 8, 12), Rect(Meant, 9, 19, 1, 4), Line(Meant, &[(9, 4), (9, 12)]),
        Line(Meant, &[(19, 4), (19, 12)]),
    ];
    Stride: [
        Rect(Meant, 2, 6, 3, 7), Rect(Faded, 6, 10, 3, 7), Rect(Faded, 10, 14, 3, 7),
        Rect(Meant, 14, 18, 3, 7), Rect(Faded, 18, 22, 3, 7), Rect(Faded, 22, 26, 3, 7),
        Span(Meant, 2, 14, 10),
    ];
    Concat: [
        Rect(Plain, 2, 12, 10, 13), Rect(Plain, 16, 26, 10, 13), Rect(Meant, 4, 14, 1, 5),
        Rect(Second, 14, 24, 1, 5), Arrow(Plain, (7, 10), (9, 5)), Arrow(Plain, (21, 10), (19, 5)),
    ];
    Copied: [
        Rect(Plain, 2, 10, 3, 11), Rect(Meant, 18, 26, 3, 11), Arrow(Meant, (10, 7), (18, 7)),
    ];
    ElementWise: [
        Rect(Plain, 4, 10, 9, 13), Rect(Plain, 10, 16, 9, 13), Rect(Plain, 16, 22, 9, 13),
        Rect(Meant, 4, 10, 1, 5), Rect(Meant, 10, 16, 1, 5), Rect(Meant, 16, 22, 1, 5),
        Arrow(Plain, (7, 9), (7, 5)), Arrow(Plain, (13, 9), (13, 5)),
        Arrow(Plain, (19, 9), (19, 5)),
    ];

    Training: AXES [
        Line(Meant, &[
            (1, 0), (1, 3), (4, 3), (4, 6), (7, 6), (7, 9), (10, 9), (10, 12), (16, 12), (16, 9),
            (19, 9), (19, 6), (22, 6), (22, 3), (25, 3), (25, 0),
        ]),
    ];
    BackwardPass: [
        Arrow(Plain, (5, 11), (12, 11)), Arrow(Plain, (15, 11), (22, 11)), Node(Plain, 4, 11),
        Node(Plain, 14, 11), Node(Plain, 24, 11), Arrow(Meant, (23, 3), (16, 3)),
        Arrow(Meant, (13, 3), (6, 3)), Node(Meant, 24, 3), Node(Meant, 14, 3), Node(Meant, 4, 3),
        Arrow(Plain, (24, 9), (24, 5)),
    ];
    Gradient: AXES [
        Line(Plain, &[(2, 13), (5, 8), (9, 5), (14, 3), (20, 4), (26, 8)]),
        Arrow(Meant, (3, 11), (11, 1)), Node(Plain, 5, 8),
    ];
    Optimizer: [
        Rect(Plain, 2, 8, 1, 8), Rect(Plain, 11, 17, 1, 8), Rect(Meant, 20, 23, 1, 8),
        Rect(Meant, 23, 26, 1, 8), Line(Meant, &[(23, 8), (23, 12), (5, 12)]),
        Arrow(Meant, (5, 12), (5, 8)),
    ];
    MixedPrecision: [
        Rect(Plain, 4, 12, 1, 13), Rect(Meant, 16, 24, 1, 7), Sign(8, 7, "4"), Sign(20, 4, "2"),
    ];
    Rank: [Rect(Faded, 1, 8, 2, 12), Rect(Meant, 10, 18, 2, 12), Rect(Faded, 20, 27, 2, 12)];
    Zero: [
        Rect(Meant, 1, 8, 9, 12), Rect(Faded, 1, 8, 2, 9), Rect(Faded, 10, 18, 9, 12),
        Rect(Meant, 10, 18, 5, 9), Rect(Faded, 10, 18, 2, 5), Rect(Faded, 20, 27, 5, 12),
        Rect(Meant, 20, 27, 2, 5),
    ];
    TensorParallel: [
        Rect(Meant, 2, 8, 2, 12), Rect(Second, 8, 14, 2, 12), Sign(17, 7, "+"),
        Rect(Plain, 20, 27, 4, 10),
    ];
    PipelineParallel: [
        Rect(Meant, 1, 5, 8, 12), Rect(Second, 5, 9, 8, 12), Rect(Meant, 5, 9, 2, 6),
        Rect(Second, 9, 13, 2, 6), Rect(Meant, 14, 20, 2, 6), Rect(Meant, 20, 26, 8, 12),
    ];
    Collective: [
        Node(Plain, 4, 3), Node(Plain, 4, 11), Node(Meant, 23, 7), Arrow(Meant, (6, 3), (20, 6)),
        Arrow(Meant, (6, 11), (20, 8)),
    ];
    Batch: [Rect(Plain, 9, 24, 6, 13), Rect(Plain, 6, 21, 4, 11), Rect(Meant, 3, 18, 2, 9)];
    Checkpoint: [
        Line(Plain, &[(2, 7), (26, 7)]), Node(Meant, 2, 7), Node(Faded, 8, 7), Node(Meant, 14, 7),
        Node(Faded, 20, 7), Node(Meant, 26, 7),
    ];
    Recomputation: AXES [
        Rect(Plain, 2, 10, 1, 7), Rect(Faded, 10, 18, 1, 7), Rect(Meant, 18, 26, 1, 7),
        Node(Meant, 18, 11), Arrow(Meant, (18, 11), (18, 7)),
    ];
    Eviction: AXES [
        Rect(Plain, 2, 27, 7, 11), Rect(Plain, 2, 12, 1, 6), Rect(Faded, 12, 20, 1, 6),
        Line(Bad, &[(13, 1), (19, 6)]), Line(Bad, &[(13, 6), (19, 1)]),
    ];
    Dtr: [
        Rect(Plain, 3, 8, 1, 12), Rect(Plain, 12, 17, 1, 8), Rect(Meant, 21, 26, 1, 4),
        Arrow(Bad, (23, 10), (23, 5)),
    ];
    Lru: [
        Arrow(Plain, (1, 3), (27, 3)), Node(Meant, 5, 3), Node(Plain, 13, 3), Node(Plain, 21, 3),
        Arrow(Bad, (5, 12), (5, 6)),
    ];
    Staleness: AXES [
        Rect(Plain, 3, 8, 3, 9), Span(Meant, 8, 23, 6), Line(Plain, &[(23, 0), (23, 13)]),
    ];
    Coop: [
        Rect(Plain, 1, 7, 3, 9), Rect(Free, 8, 13, 3, 9), Rect(Free, 13, 20, 3, 9),
        Rect(Plain, 21, 27, 3, 9), Span(Meant, 8, 20, 12),
    ];
    Budget: AXES [
        Line(Plain, &[
            (1, 0), (1, 3), (5, 3), (5, 7), (9, 7), (9, 10), (13, 10), (13, 6), (17, 6), (17, 9),
            (21, 9), (21, 5), (25, 5), (25, 0),
        ]),
        Line(Bad, &[(0, 11), (28, 11)]),
    ];
    Overhead: [Rect(Plain, 2, 18, 5, 9), Rect(Meant, 18, 25, 5, 9), Sign(21, 11, "+")];
    Swapping: [
        Line(Plain, &[(1, 1), (1, 13), (11, 13), (11, 1), (1, 1)]),
        Line(Plain, &[(17, 1), (17, 13), (27, 13), (27, 1), (17, 1)]), Rect(Faded, 3, 9, 4, 10),
        Rect(Meant, 19, 25, 4, 10), Arrow(Meant, (10, 9), (18, 9)), Arrow(Meant, (18, 5), (10, 5)),
    ];
    FreeTime: [
        Rect(Plain, 3, 9, 5, 9), Span(Meant, 9, 19, 7), Rect(Plain, 19, 25, 5, 9),
        Node(Plain, 2, 7), Node(Plain, 26, 7), Arrow(Plain, (6, 9), (6, 13)),
        Arrow(Plain, (22, 13), (22, 9)),
    ];

    Allocator: SEGMENT [Arrow(Meant, (10, 14), (10, 8)), Arrow(Meant, (16, 6), (16, 0))];
    CachingAllocator: SEGMENT [Rect(Free, 8, 13, 4, 10), Rect(Free, 20, 27, 4, 10)];
    Segment: SEGMENT [Line(Meant, &[(1, 4), (1, 10), (27, 10), (27, 4), (1, 4)])];
    Block: SEGMENT [Rect(Meant, 13, 20, 4, 10)];
}
