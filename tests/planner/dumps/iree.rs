//! IREE's stream IR around its slice layout.

mod compiled;
mod halves;

use std::fmt::Write as _;

use planner::deployed::{Arena, Deployed};
use planner::load::{Document, Fault, Format, LoadError, Loaded, Part, Warning};
use planner::waste::WasteKind;
use planner::{Bytes, Options, Silent, Span, Step, Strategy, bounds, judge, judged};
use tests::chinese::{load, load_parts};
use tests::deployed::{deployed, part, split, violations};
use tests::random::Random;
use tests::shared;

/// Six products in a row, by iree-base-compiler 3.13.0.
const CHAIN: &str = include_str!("../../data/plans/iree/chain.ir.txt");
/// A loop with three packs, by the same.
const LOOP: &str = include_str!("../../data/plans/iree/loop.ir.txt");
/// A batch that only the running program knows, by iree-base-compiler 3.1.0.
const DYNAMIC: &str = include_str!("../../data/plans/iree/dynamic.ir.txt");

fn read(text: &str) -> Result<Loaded, LoadError> {
    load(&text.as_bytes().to_vec())
}

fn joined(texts: [&str; 2]) -> Result<Loaded, LoadError> {
    let bytes = texts.map(|text| text.as_bytes().to_vec());
    let parts = [("one.txt", &bytes[0]), ("two.txt", &bytes[1])];
    load_parts(&parts.map(|(name, source)| Part { name, source }))
}

fn opened(text: &str) -> (Deployed, Vec<Warning>) {
    let (format, document, warnings) = read(text).expect("a dump");
    assert_eq!(format, Format::Iree);
    (deployed(document), warnings)
}

/// The dumps of a text whose headers hold `word`.
fn only(text: &str, word: &str) -> String {
    let dumps = text.split_inclusive("// -----// IR Dump ").skip(1);
    let dumps = dumps.map(|dump| dump.trim_end_matches("// -----// IR Dump "));
    let kept = dumps.filter(|dump| dump.starts_with(word));
    kept.map(|dump| format!("// -----// IR Dump {dump}"))
        .collect()
}

/// Offsets, sizes and spans of an arena by name.
fn rows(arena: &Arena) -> Vec<(&str, u64, u64, Span)> {
    let rows = arena.lifetimes.buffers.iter().zip(&arena.plan.offsets);
    rows.map(|(buffer, offset)| (buffer.name.as_str(), offset.0, buffer.size.0, buffer.span))
        .collect()
}

/// Plans an arena anew with the strategy; its size, and whether that is proved to be best.
fn replanned(arena: &Arena, strategy: Strategy) -> (u64, bool) {
    let lifetimes = &arena.lifetimes;
    let bounds = bounds::aligned(lifetimes, Bytes(1));
    let options = Options::aligned(Bytes(1));
    let plan = judged(strategy, lifetimes, &bounds, &options, &mut Silent).expect("a plan");
    assert_eq!(plan.violations, []);
    (plan.plan.arena.0, plan.metrics.optimal)
}

/// The entries that `stream.cmd.dispatch` names in the text.
const DISPATCHES: [&str; 5] = [
    "chain_dispatch_0_vecmat_1000x64_f32",
    "chain_dispatch_1_vecmat_300x1000_f32",
    "chain_dispatch_2_vecmat_700x300_f32",
    "chain_dispatch_3_vecmat_200x700_f32",
    "chain_dispatch_4_vecmat_900x200_f32",
];

#[test]
fn a_chain_is_as_iree_laid_it_out() {
    let (chain, warnings) = opened(CHAIN);
    assert_eq!(warnings, []);
    assert_eq!(chain.toolchain, "IREE");
    let [arena] = &chain.arenas[..] else {
        panic!("one arena");
    };
    // The pack's intervals, closed, and its sizes, rounded up to 64: 4000, 1200, 2800, 800,
    // 3600. The offsets are the constants after the pass, from %c0_1 to %c3648_4.
    let expected = [
        ("chain_dispatch_0", 0, 4032, Span::new(0, 2)),
        ("chain_dispatch_1", 4032, 1216, Span::new(1, 3)),
        ("chain_dispatch_2", 0, 2816, Span::new(2, 4)),
        ("chain_dispatch_3", 2816, 832, Span::new(3, 5)),
        ("chain_dispatch_4", 3648, 3648, Span::new(4, 6)),
    ];
    assert_eq!(rows(arena), expected);
    // %c7296_5 is the size of the allocation.
    assert_eq!(arena.plan.arena, Bytes(7296));
    assert_eq!(violations(arena), []);
    for (index, note) in arena.notes.iter().enumerate() {
        assert_eq!(note.op, "vecmat");
        assert_eq!(note.role, "transient");
        assert_eq!(note.uses, [Step(index as u64 + 1)]);
        let value = note.value.as_deref().expect("a dispatch has a name");
        let entry = DISPATCHES[index];
        assert_eq!(value.source, format!("chain_dispatch_{index}::{entry}"));
        assert_eq!(value.computation, "chain");
    }
    let steps: Vec<String> = (0..6)
        .map(|step| format!("chain_dispatch_{step}"))
        .collect();
    assert_eq!(arena.lifetimes.step_names, steps);
    // The peak is at step 1: 4000 + 1200 bytes in 4032 + 1216.
    let split = split(arena);
    assert_eq!(part(&split, WasteKind::Needed), 5200);
    assert_eq!(part(&split, WasteKind::Padding), 48);
    assert_eq!(part(&split, WasteKind::Fragmentation), 7296 - 5248);
    assert_eq!(replanned(arena, Strategy::OffsetsBySize), (5248, true));
}

#[test]
fn every_pack_of_a_loop_is_an_arena() {
    let (found, warnings) = opened(LOOP);
    assert_eq!(warnings, []);
    let names: Vec<_> = found.arenas.iter().map(|arena| &arena.name).collect();
    assert_eq!(names, ["loop, pack 1", "loop, pack 2", "loop, pack 3"]);
    // The totals are %c64_2, %c3712_8 and %c7296_16.
    let totals: Vec<u64> = found
        .arenas
        .iter()
        .map(|arena| arena.plan.arena.0)
        .collect();
    assert_eq!(totals, [64, 3712, 7296]);
    for arena in &found.arenas {
        assert_eq!(violations(arena), []);
        assert_eq!(split(arena).arena, arena.plan.arena);
    }
    // The second pack holds what the loop returns; its dispatches write it by other names.
    let returned = &found.arenas[1];
    assert_eq!(
        rows(returned),
        [
            ("loop_dispatch_1", 0, 3648, Span::new(0, 1)),
            ("loop_dispatch_4", 3648, 64, Span::new(0, 1)),
        ]
    );
    assert!(returned.notes.iter().all(|note| note.role == "external"));
    assert!(returned.lifetimes.step_names.is_empty());
    let steps = &found.arenas[2].lifetimes.step_names;
    assert_eq!(
        steps.join(" "),
        "copy loop_dispatch_1 loop_dispatch_2 loop_dispatch_1 copy loop_dispatch_4 \
         loop_dispatch_5 copy"
    );
}

#[test]
fn slices_of_unknown_size_are_reported() {
    let (found, warnings) = opened(DYNAMIC);
    let [arena] = &found.arenas[..] else {
        panic!("one arena");
    };
    // Five of ten slices have a constant for a size.
    assert_eq!(arena.lifetimes.buffers.len(), 5);
    assert_eq!(violations(arena), []);
    assert_eq!(split(arena).arena, arena.plan.arena);
    let [warning] = &warnings[..] else {
        panic!("one warning, not {warnings:?}");
    };
    assert_eq!(warning.place, "dynamic, line 30");
    assert!(
        warning.message.to_string().starts_with("5 slices left out"),
        "{warning:?}"
    );
}

#[test]
fn the_two_sides_in_two_files_are_joined() {
    let (before, after) = (only(CHAIN, "Before"), only(CHAIN, "After"));
    let (whole, _) = opened(CHAIN);
    for texts in [[&before, &after], [&after, &before]] {
        let (_, document, warnings) = joined(texts.map(String::as_str)).expect("a dump");
        assert_eq!(deployed(document), whole);
        assert_eq!(warnings, []);
    }
}

#[test]
fn offsets_alone_ask_for_the_lifetimes() {
    let error = read(&only(CHAIN, "After")).expect_err("no lifetimes");
    assert_eq!(error.kind, Fault::Partner);
    assert!(
        error
            .message
            .to_string()
            .contains("--mlir-print-ir-before=iree-stream-layout-slices")
    );
}

#[test]
fn files_of_two_programs_are_refused() {
    for texts in [
        [only(CHAIN, "Before"), only(LOOP, "After")],
        [only(LOOP, "After"), only(CHAIN, "Before")],
        [CHAIN.to_owned(), LOOP.to_owned()],
        [CHAIN.to_owned(), CHAIN.to_owned()],
        [CHAIN.to_owned(), "id,lower,upper,size\n".to_owned()],
    ] {
        let error = joined([&texts[0], &texts[1]]).expect_err("two programs");
        assert_eq!(error.kind, Fault::Apart, "{error}");
    }
}

#[test]
fn a_program_without_packs_says_so() {
    let plain: String = LOOP
        .split("// -----// IR")
        .take(3)
        .collect::<Vec<_>>()
        .join("// -----// IR");
    let error = read(&plain).expect_err("no packs");
    assert_eq!(error.kind, Fault::Unsupported);
    assert!(
        error
            .message
            .to_string()
            .contains("no function schedules memory"),
        "{error}"
    );
}

/// A function with one pack, on both sides of the pass: slices with their sizes, offsets,
/// and closed intervals.
fn dump(slices: &[(u64, u64, u64, u64)], total: u64) -> String {
    let mut text = String::new();
    for before in [true, false] {
        let side = if before { "Before" } else { "After" };
        writeln!(
            text,
            "// -----// IR Dump {side} X: iree-stream-layout-slices //----- //"
        )
        .expect("room");
        text += "util.func public @f() {\n";
        for (index, (size, offset, ..)) in slices.iter().enumerate() {
            writeln!(text, "  %s{index} = arith.constant {size} : index").expect("room");
            if !before {
                writeln!(text, "  %o{index} = arith.constant {offset} : index").expect("room");
            }
        }
        if before {
            text += "  %p = stream.resource.pack slices({\n";
            for (index, (.., start, end)) in slices.iter().enumerate() {
                let comma = if index + 1 < slices.len() { "," } else { "" };
                writeln!(text, "    [{start}, {end}] = %s{index}{comma}").expect("room");
            }
            text += "  }) : index\n";
        } else {
            writeln!(text, "  %t = arith.constant {total} : index").expect("room");
        }
        let total = if before { "%p#0" } else { "%t" };
        writeln!(
            text,
            "  %m = stream.resource.alloca : !stream.resource<transient>{{{total}}}"
        )
        .expect("room");
        writeln!(
            text,
            "  %e = stream.cmd.execute with(%m as %a: !stream.resource<transient>{{{total}}}) {{"
        )
        .expect("room");
        for index in 0..slices.len() {
            let offset = if before {
                format!("%p#{}", index + 1)
            } else {
                format!("%o{index}")
            };
            writeln!(
                text,
                "    stream.cmd.dispatch @d{index}::@d{index}_op_f32 {{"
            )
            .expect("room");
            writeln!(
                text,
                "      wo %a[{offset} for %s{index}] : !stream.resource<transient>{{{total}}}"
            )
            .expect("room");
            text += "    }\n";
        }
        text += "  } => !stream.timepoint\n  util.return\n}\n\n";
    }
    text
}

#[test]
fn overlapping_slices_open_and_are_listed() {
    // Both are live at step 1 and share the bytes from 64 to 128.
    let (found, _) = opened(&dump(&[(128, 0, 0, 1), (128, 64, 1, 2)], 192));
    assert_eq!(found.arenas[0].plan.arena, Bytes(192));
    assert_eq!(violations(&found.arenas[0]).len(), 1);
    assert_eq!(split(&found.arenas[0]).arena, found.arenas[0].plan.arena);
}

#[test]
fn alignment_is_what_the_offsets_keep_or_the_text_states() {
    let aligned = |text: &str| opened(text).0.arenas[0].lifetimes.buffers[1].alignment;
    assert_eq!(
        aligned(&dump(&[(100, 0, 0, 1), (100, 128, 1, 2)], 256)),
        Bytes(64)
    );
    assert_eq!(
        aligned(&dump(&[(100, 0, 0, 1), (100, 112, 1, 2)], 256)),
        Bytes(16)
    );
    let stated = "#r = #stream.resource_config<{min_buffer_offset_alignment = 32 : index}>\n";
    let text = dump(&[(100, 0, 0, 1), (100, 128, 1, 2)], 256);
    assert_eq!(aligned(&format!("{stated}{text}")), Bytes(32));
}

#[test]
fn unknown_commands_are_reported() {
    let text = dump(&[(64, 0, 0, 0), (64, 64, 1, 1)], 128);
    let text = text
        .replace("wo %a[", "zz %a[")
        .replace("stream.cmd.dispatch @d1::@d1_op_f32", "stream.cmd.ponder");
    let (found, warnings) = opened(&text);
    assert_eq!(found.arenas[0].lifetimes.buffers.len(), 2);
    assert!(!warnings.is_empty());
}

#[test]
fn broken_packs_name_their_line() {
    let whole = dump(&[(64, 0, 0, 1), (128, 64, 1, 2)], 192);
    let broken = [
        ("[0, 1]", "[3, 1]", Fault::Malformed, "line 6"),
        ("[0, 1]", "[-3, 1]", Fault::Malformed, "line 6"),
        (
            "[0, 1]",
            "[0, 99999999999999999999]",
            Fault::Malformed,
            "line 6",
        ),
        ("[1, 2] = %s1", "[1, 2 = %s1", Fault::Malformed, "line 7"),
        ("[1, 2] = %s1", "1, 2 = %s1", Fault::Malformed, "line 7"),
        ("[1, 2] = %s1", "[1, 2] = ", Fault::Malformed, "line 7"),
        ("  }) : index\n", "", Fault::Truncated, "line 5"),
        (
            "constant 64 :",
            "constant 9999999999999999999 :",
            Fault::Limit,
            "d0",
        ),
    ];
    for (from, to, kind, place) in broken {
        assert!(whole.contains(from));
        let error = read(&whole.replacen(from, to, 1)).expect_err(to);
        assert_eq!(
            (error.kind, error.place.to_string().as_str()),
            (kind, place),
            "{to}: {error}"
        );
    }
    let twice = whole.replacen("wo %a[%o1 for %s1]", "wo %a[%o1 for %s1], rw %a[%o0]", 1);
    let twice = twice.replacen("wo %a[%p#2 for %s1]", "wo %a[%p#2 for %s1], rw %a[%p#2]", 1);
    let error = read(&twice).expect_err("two offsets");
    assert!(
        error.message.to_string().contains("another offset"),
        "{error}"
    );
}

#[test]
fn cut_off_anywhere_it_says_so() {
    for text in [CHAIN, LOOP] {
        let (whole, _) = opened(text);
        for cut in (0..text.len()).step_by(97) {
            match read(&text[..cut]) {
                // Cut between two dumps, it may be a smaller dump, but not this one.
                Ok((_, Document::Deployed(found), _)) => assert_ne!(found, whole, "cut at {cut}"),
                Ok((_, document, warnings)) => {
                    assert!(matches!(document, Document::Problem(_)), "cut at {cut}");
                    assert!(!warnings.is_empty());
                }
                Err(error) => assert!(!error.place.is_empty() && !error.message.is_empty()),
            }
        }
    }
}

#[test]
fn damaged_anywhere_it_returns() {
    let mut random = Random::new(5);
    for text in [CHAIN, LOOP, DYNAMIC] {
        for _ in 0..1500 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..=random.below(4) {
                let at = usize::try_from(random.below(bytes.len() as u64)).expect("an index");
                bytes[at] = u8::try_from(random.below(128)).expect("a byte");
            }
            if let Ok((_, Document::Deployed(found), _)) = load(&bytes) {
                for arena in &found.arenas {
                    let _listed = violations(arena);
                    assert_eq!(split(arena).arena, arena.plan.arena);
                }
            }
        }
    }
}

#[test]
fn a_million_lines_are_read() {
    // A staircase: slice i is live at i and i + 1, so two places are enough.
    let slices: Vec<_> = (0..110_000).map(|i| (64, i % 2 * 64, i, i + 1)).collect();
    let text = dump(&slices, 128);
    assert!(text.lines().count() > 1_000_000);
    let (found, _) = opened(&text);
    assert_eq!(found.arenas[0].lifetimes.buffers.len(), 110_000);
    // As many functions of one name, and none of them closed.
    let many =
        "util.func @f() {\n  stream.resource.pack slices({\n  }) : index\n}\n".repeat(250_000);
    assert!(read(&many).is_err());
    let open = "util.func @f() {\n  %0 = stream.resource.pack slices({\n".repeat(500_000);
    assert_eq!(
        read(&open).expect_err("nothing is closed").kind,
        Fault::Truncated
    );
}

#[test]
fn long_lines_and_many_packs_are_read() {
    // One line that uses a slice a hundred thousand times.
    let text = dump(&[(64, 0, 0, 0), (64, 64, 1, 1)], 128);
    let before = text.replacen("wo %a[%p#1", &"wo %a[%p#1], ".repeat(100_000), 1);
    let both = before.replacen("wo %a[%o0", &"wo %a[%o0], ".repeat(100_000), 1);
    assert!(both.len() > 2_000_000);
    let (found, _) = opened(&both);
    assert_eq!(found.arenas[0].lifetimes.buffers.len(), 2);
    // One function with forty thousand packs of one name: only the last one is used.
    let slices: Vec<_> = (0..40_000).map(|_| (64, 0, 0, 0)).collect();
    let text = dump(&slices, 64);
    let packs = "    [0, 0] = %s0\n  }) : index\n  %p = stream.resource.pack slices({\n";
    let text = text.replacen("    [0, 0] = %s0,\n", &packs.repeat(40_000), 1);
    let (found, _) = opened(&text);
    assert_eq!(found.arenas.len(), 1);
}

#[test]
fn the_shared_samples_have_the_published_figures() {
    let published = [("net", 574_080, 461_120), ("mbv2", 8_779_968, 7_311_744)];
    for (name, planned, bound) in published {
        let file = format!("{name}.ir.txt");
        let Some((_, bytes)) = shared::files("plans/iree", &file).pop() else {
            continue;
        };
        let (found, warnings) = opened(str::from_utf8(&bytes).expect("text"));
        assert_eq!(warnings, [], "{name}");
        let [arena] = &found.arenas[..] else {
            panic!("one arena");
        };
        assert_eq!(arena.plan.arena, Bytes(planned), "{name}");
        assert_eq!(violations(arena), [], "{name}");
        let bounds = bounds::aligned(&arena.lifetimes, Bytes(1));
        assert_eq!(bounds.offsets, Bytes(bound), "{name}");
        assert_eq!(
            part(&split(arena), WasteKind::Fragmentation),
            planned.cast_signed() - bound.cast_signed()
        );
        let options = Options::aligned(Bytes(1));
        let old = judge(&arena.lifetimes, &bounds, &options, arena.plan.clone());
        assert!(!old.metrics.optimal, "{name}");
        for strategy in [Strategy::OffsetsBySize, Strategy::Best] {
            assert_eq!(
                replanned(arena, strategy),
                (bound, true),
                "{name}, {strategy}"
            );
        }
        let steps = &arena.lifetimes.step_names;
        assert!(
            !steps.is_empty() && steps.iter().all(|step| !step.is_empty()),
            "{name}"
        );
        assert!(
            arena.notes.iter().all(|note| !note.uses.is_empty()),
            "{name}"
        );
    }
}
