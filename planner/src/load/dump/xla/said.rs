//! What XLA says of all memory of a program that does not fit, beside the list of its largest
//! buffers: `BufferAssignment stats:` on CPUs and GPUs, `Total hbm usage >= …:` on TPUs.

use crate::deployed::TotalKind;
use crate::liveness::LIMIT;
use crate::load::figures::amount;

/// Bytes as a text rounds them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) bytes: u64,
    /// How far the true size may be from them.
    pub(super) within: u64,
}

impl Size {
    /// `6.00MiB`, `32.00G`, `512B`, whatever follows it.
    pub(super) fn of(text: &str) -> Option<Self> {
        let text = text.split_whitespace().next()?;
        let text = text.trim_end_matches([':', ';', ',', '.']);
        let end = text.find(|it: char| it.is_ascii_alphabetic());
        let (number, unit) = text.split_at(end.unwrap_or(text.len()));
        let unit = if unit.is_empty() { "B" } else { unit };
        let decimals = number.split_once('.').map_or(0, |(_, it)| it.len());
        let one = amount("1", unit)?;
        let parts = 10_u64.checked_pow(u32::try_from(decimals).ok()?)?;
        let within = if one == 1 { 0 } else { one / parts / 2 + 1 };
        let bytes = amount(number, unit)?;
        Some(Self { bytes, within })
    }

    /// The bytes of the elements where they are what was rounded.
    pub(super) fn exact(self, elements: Option<u64>) -> u64 {
        let near = |it: &u64| it.abs_diff(self.bytes) <= self.within;
        elements.filter(near).unwrap_or(self.bytes)
    }
}

/// Sums by what they are for.
pub(super) type Sums = Vec<(TotalKind, Size)>;

/// What a message says of bytes that no buffer has.
#[derive(Clone, Copy, Default)]
pub(super) struct Gaps {
    /// Between buffers.
    pub(super) fragmentation: Option<Size>,
    /// Kept by the system.
    pub(super) reserved: Option<Size>,
}

/// The sums that the last message in `text` has of a memory space of a TPU, or without one of
/// what CPUs and GPUs have.
pub(super) fn sums(text: &str, space: Option<&str>) -> (Sums, Gaps) {
    let (sums, gaps) = match space {
        Some(space) => of_space(text, space),
        None => {
            let gaps = Gaps {
                fragmentation: fragmentation(text),
                reserved: None,
            };
            (of_assignment(text), gaps)
        }
    };
    let possible = |it: &(TotalKind, Size)| it.1.bytes < LIMIT.0;
    (sums.into_iter().filter(possible).collect(), gaps)
}

/// What all buffers take together, those that are not listed too; `None` where it is not said.
pub(super) fn whole(sums: &Sums) -> Option<(TotalKind, Size)> {
    let mut sums = sums.iter().copied();
    sums.find(|(kind, _)| matches!(kind, TotalKind::All | TotalKind::AtLeast))
}

/// What lies between buffers, as the text says it of the same total.
fn fragmentation(text: &str) -> Option<Size> {
    let stats = text.rsplit_once("BufferAssignment stats:")?.1;
    Size::of(stats.split_once("total fragmentation:")?.1)
}

/// None where one of them is missing: they are parts of one sum.
fn of_assignment(text: &str) -> Sums {
    let stats = text.rsplit_once("BufferAssignment stats:");
    let stats = stats.unwrap_or_default().1;
    let kinds = [
        (TotalKind::Arguments, "parameter allocation:"),
        (TotalKind::Outputs, "maybe_live_out allocation:"),
        (TotalKind::Temporary, "preallocated temp allocation:"),
        (TotalKind::Constants, "constant allocation:"),
        (TotalKind::All, "total allocation:"),
    ];
    let sums = kinds.map(|(kind, words)| Some((kind, Size::of(stats.split_once(words)?.1)?)));
    sums.into_iter().collect::<Option<_>>().unwrap_or_default()
}

/// The total where it is said, otherwise what the program itself takes.
fn of_space(text: &str, space: &str) -> (Sums, Gaps) {
    let (mut sums, mut gaps) = (Sums::new(), Gaps::default());
    // Of the message that is read, and whether what follows is of this space.
    let (mut total, mut program, mut here) = (None, None, false);
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().take(6).collect();
        match words[..] {
            ["Total", of, "usage", .., size] => {
                here = of == space;
                if here {
                    sums.clear();
                    gaps = Gaps::default();
                    (total, program) = (Size::of(size), None);
                }
            }
            ["Program", of, "requirement", size] => {
                here = of == space;
                if here && program.is_some() {
                    sums.clear();
                    gaps = Gaps::default();
                    total = None;
                }
                if here {
                    program = Size::of(size);
                }
            }
            ["reserved", size] if here => gaps.reserved = Size::of(size),
            _ if here => {
                sums.extend(of_words(&words));
                let between = line.split_once("fragmentation (").map(|it| it.1);
                let between = between.and_then(|it| Size::of(it.split(')').next()?));
                gaps.fragmentation = between.or(gaps.fragmentation);
            }
            _ => {}
        }
    }
    let whole = total.or(program);
    sums.extend(whole.map(|size| (TotalKind::AtLeast, size)));
    (sums, gaps)
}

/// The sums of a line: `arguments 2.00G`, `Output size 2.00G; shares 1.00G with arguments.`,
/// `HLO temp 41.19G (…)`.
fn of_words(words: &[&str]) -> Sums {
    let found = match words {
        ["arguments", size, ..] => vec![(TotalKind::Arguments, *size)],
        ["Output", "size", size, "shares", shared, ..] => {
            vec![(TotalKind::Outputs, *size), (TotalKind::Aliased, *shared)]
        }
        ["Output", "size", size, ..] => vec![(TotalKind::Outputs, *size)],
        ["HLO", "temp", size, ..] => vec![(TotalKind::Temporary, *size)],
        _ => Vec::new(),
    };
    let found = found.into_iter();
    found
        .filter_map(|(kind, size)| Some((kind, Size::of(size)?)))
        .collect()
}
