//! Samples that are lifetimes alone.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Group, Sample, text};
use crate::lifetimes;
use crate::problems::cut_rectangle;
use planner::Lifetimes;

pub(super) fn problems() -> Vec<Sample> {
    let mut all = small();
    all.extend(hard());
    all
}

fn small() -> Vec<Sample> {
    vec![
        Sample {
            id: "jigsaw",
            group: Group::Problem,
            file: "jigsaw.csv",
            title: text("Jigsaw", "拼图"),
            about: text(
                "A full rectangle cut into 40 pieces: a plan without a gap exists, and planners that place the largest first end about half above it.",
                "把一个完整矩形切成 40 块：存在没有空隙的放法，而先放最大块的策略要多用约一半。",
            ),
            bind: BTreeMap::new(),
            show: &[],
            bytes: csv(&jigsaw()),
        },
        Sample {
            id: "leading_gap",
            group: Group::Problem,
            file: "leading_gap.csv",
            title: text("The gap at the bottom", "底部的空隙"),
            about: text(
                "Three blocks, two of which never meet: a planner that overlooks the gap at address 0 needs 240 bytes instead of 180.",
                "三个内存块，其中两个从不相遇：忽略地址 0 处空隙的规划器要用 240 字节，而不是 180。",
            ),
            bind: BTreeMap::new(),
            show: &["xnnpack", "best"],
            bytes: csv(&leading_free_range()),
        },
    ]
}

/// Those on which strategies part ways.
fn hard() -> Vec<Sample> {
    vec![
        Sample {
            id: "one_pass_misses",
            group: Group::Problem,
            file: "one_pass_misses.csv",
            title: text("Twelve pieces", "十二块"),
            about: text(
                "A full rectangle of 4,096 bytes in twelve pieces: no strategy of one pass puts it together, the nearest takes 4,352 bytes; the exact search does.",
                "把 4,096 字节的完整矩形分成十二块：没有一种单遍策略能复原，最接近的也要 4,352 字节；精确搜索可以。",
            ),
            bind: BTreeMap::new(),
            show: &["exact", "offsets_by_size"],
            bytes: csv(&one_pass_misses()),
        },
        Sample {
            id: "search_stops",
            group: Group::Problem,
            file: "search_stops.csv",
            title: text("Fifty pieces", "五十块"),
            about: text(
                "A full rectangle of 65,536 bytes: best stops at 65,984 with the usual effort, and the exact search goes on to the optimum.",
                "一个 65,536 字节的完整矩形：best 以常规预算止于 65,984，精确搜索则继续找到最优。",
            ),
            bind: BTreeMap::new(),
            show: &["best", "exact"],
            bytes: csv(&search_stops()),
        },
        Sample {
            id: "above_the_peak",
            group: Group::Problem,
            file: "above_the_peak.csv",
            title: text("The bound is out of reach", "达不到的下界"),
            about: text(
                "Eight blocks: at no step are more than 16 KiB live, but no plan needs less than 18 KiB, which the exact search proves.",
                "八个内存块：任何一步同时存活的都不超过 16 KiB，但任何计划都至少需要 18 KiB，精确搜索证明了这一点。",
            ),
            bind: BTreeMap::new(),
            show: &["exact", "offsets_by_size"],
            bytes: csv(&above_the_peak()),
        },
    ]
}

/// A tight problem on which size first, best fit ends about half above the bound. The seed
/// was chosen for that.
#[must_use]
pub fn jigsaw() -> Lifetimes {
    lifetimes::tight(86, 40, 40, 65_536)
}

/// Twelve pieces on which every strategy of one pass ends above the bound. The seed was chosen
/// for that.
#[must_use]
pub fn one_pass_misses() -> Lifetimes {
    cut_rectangle(64, 10, 10, 64, 64).lifetimes
}

/// Fifty pieces that best leaves above the bound with the usual effort, and exact does not. The
/// seed was chosen for that: of twenty thousand such rectangles of forty pieces there was none.
#[must_use]
pub fn search_stops() -> Lifetimes {
    cut_rectangle(1884, 50, 200, 1024, 64).lifetimes
}

/// Of the smallest problems whose optimum is above the most that is live at once: found among a
/// million of eight blocks of 1 to 8 KiB, the one with the widest gap.
#[must_use]
pub fn above_the_peak() -> Lifetimes {
    let blocks = [
        (7, 6, 8),
        (2, 3, 8),
        (2, 4, 7),
        (8, 1, 3),
        (7, 7, 8),
        (5, 3, 4),
        (4, 0, 7),
        (4, 0, 5),
    ];
    lifetimes::problem(&blocks.map(|(kib, start, end)| (kib << 10, start, end)))
}

/// The smallest problem with a free range below every placed block: the third block fits under the
/// second, where the first has gone.
#[must_use]
pub fn leading_free_range() -> Lifetimes {
    use planner::Span;
    lifetimes::of([
        (100, Span::new(0, 2)),
        (80, Span::new(1, 3)),
        (60, Span::new(2, 4)),
    ])
}

/// `MiniMalloc`'s columns, half-open.
fn csv(problem: &Lifetimes) -> Vec<u8> {
    let mut text = String::from("id,lower,upper,size\n");
    for buffer in &problem.buffers {
        let span = buffer.span;
        let (start, end, size) = (span.start.0, span.end.0, buffer.size.0);
        // Writing into a string does not fail.
        let _ = writeln!(text, "{},{start},{end},{size}", buffer.name);
    }
    text.into_bytes()
}
