//! Logs of Vela's allocation.

use std::fmt::Write as _;

use planner::deployed::{Arena, Deployed, Hold};
use planner::load::{Fault, Format, Part, Warning};
use planner::waste::WasteKind;
use planner::{Bytes, Span};
use tests::chinese::{load, load_parts};
use tests::deployed::{deployed, part, split, violations};
use tests::shared;

use super::hardships::{assert_refused, survives};
use crate::tflite::builder::Model;

const HILL_CLIMB: &str = include_str!("../../data/plans/vela/small_net.HillClimb.log");
const LINEAR: &str = include_str!("../../data/plans/vela/small_net.LinearAlloc.log");
const PYTHON: &str = include_str!("../../data/plans/vela/small_net.python.LinearAlloc.log");

fn read(text: &str) -> (Deployed, Vec<Warning>) {
    let (format, document, mut warnings) = load(&text.as_bytes().to_vec()).expect("a log");
    assert_eq!(format, Format::Vela);
    // What is said of blocks of channels has a test of its own.
    warnings.retain(|it| !it.message.to_string().contains("NHCWB16"));
    (deployed(document), warnings)
}

/// Start, last time, address, size and usage of every row of the log's tables.
fn tables(text: &str) -> Vec<Vec<[u64; 5]>> {
    let mut tables = Vec::new();
    for line in text.lines() {
        if line.starts_with("Start Time") {
            tables.push(Vec::new());
        }
        if !line.contains(": ") || !line.contains(" 0x") || line.contains('(') {
            continue;
        }
        let words = line.replace(['-', ':'], " ");
        let mut words = words.split_ascii_whitespace();
        let mut number = || {
            let word = words.next().expect("six cells");
            let hex = word.strip_prefix("0x");
            hex.map_or_else(|| word.parse(), |hex| u64::from_str_radix(hex, 16))
                .expect("a number")
        };
        let (start, last, address, _) = (number(), number(), number(), number());
        let row = [start, last, address, number(), number()];
        tables.last_mut().expect("a table").push(row);
    }
    tables
}

/// The log says of each tensor how many bytes are live at once at most while it is: they add
/// up only if both times are included and aliases count once.
#[test]
fn the_logs_own_usage_adds_up() {
    let mut compared = 0;
    for log in [HILL_CLIMB, LINEAR, PYTHON] {
        let (deployed, warnings) = read(log);
        assert_eq!(warnings, []);
        let tables = tables(log);
        assert_eq!(tables.len(), deployed.arenas.len());
        for (rows, arena) in tables.iter().zip(&deployed.arenas) {
            let needed = |index: usize| {
                let held = arena.notes.get(index).and_then(|note| note.held);
                held.map_or(arena.lifetimes.buffers[index].span, |held| held.needed)
            };
            let live = |step: u64| -> u64 {
                let buffers = arena.lifetimes.buffers.iter().enumerate();
                let live = buffers.filter(|&(index, _)| {
                    let Span { start, end } = needed(index);
                    start.0 <= step && step < end.0
                });
                live.map(|(_, buffer)| buffer.size.0).sum()
            };
            for [start, last, _, _, usage] in rows {
                let most = (*start..=*last).map(live).max();
                assert_eq!(most, Some(*usage), "{}: {start} - {last}", arena.name);
                compared += 1;
            }
        }
    }
    assert!(compared > 200, "{compared}");
}

/// Holds that these are the arenas: name, maker of the plan, bytes.
fn assert_areas(arenas: &[Arena], areas: &[(&str, &str, u64)]) {
    assert_eq!(arenas.len(), areas.len());
    for (arena, (name, maker, bytes)) in arenas.iter().zip(areas) {
        assert_eq!(arena.name, *name);
        assert_eq!(arena.plan.origin.maker(), *maker);
        assert_eq!(arena.plan.arena.0, *bytes);
    }
}

/// The totals are the last line of each table.
#[test]
fn areas_have_the_logs_totals_and_nothing_overlaps() {
    let (hill_climb, _) = read(HILL_CLIMB);
    assert_areas(
        &hill_climb.arenas,
        &[
            ("Sram", "Vela", 46_624),
            ("read-only NPU tensors", "Vela", 8_848),
        ],
    );
    let (python, _) = read(PYTHON);
    assert_areas(
        &python.arenas,
        &[
            ("Sram (Scratch, Scratch_fast)", "Vela LinearAlloc", 139_760),
            ("OffChipFlash (Permanent_NPU)", "Vela LinearAlloc", 18_496),
            ("OffChipFlash (Permanent_CPU)", "Vela LinearAlloc", 23_184),
        ],
    );
    let (linear, _) = read(LINEAR);
    for deployed in [&hill_climb, &linear, &python] {
        assert_eq!(deployed.toolchain, "Vela");
        for arena in &deployed.arenas {
            assert_eq!(violations(arena), [], "{}", arena.name);
            assert_eq!(split(arena).arena, arena.plan.arena);
        }
    }
    let role = |index: usize| python.arenas[0].notes[index].role.as_str();
    assert_eq!((role(0), role(1)), ("FeatureMap", "Weights"));
}

/// `HillClimb` meets the bound, the most bytes that the log has live at once. `LinearAlloc`
/// gives every tensor its own bytes: all that it has more is fragmentation.
#[test]
fn the_linear_allocator_is_the_bad_example() {
    let (hill_climb, linear) = (read(HILL_CLIMB).0, read(LINEAR).0);
    let usage = tables(HILL_CLIMB)[0].iter().map(|row| row[4]).max();
    assert_eq!(usage, Some(46_624));
    assert_eq!(
        part(&split(&hill_climb.arenas[0]), WasteKind::Fragmentation),
        0
    );
    let waste = split(&linear.arenas[0]);
    assert_eq!(part(&waste, WasteKind::Needed), 46_624);
    let beyond = i64::try_from(waste.arena.0).expect("small") - 46_624;
    assert!(beyond > 46_624, "{beyond}");
    assert_eq!(part(&waste, WasteKind::Fragmentation), beyond);
}

/// Constants are read for a moment but keep their bytes: no waste of the allocator. The most
/// that are read at once is the largest usage of the table.
#[test]
fn constants_keep_their_bytes() {
    let (deployed, _) = read(HILL_CLIMB);
    let constants = &deployed.arenas[1];
    for note in &constants.notes {
        assert_eq!(note.held.map(|held| held.why), Some(Hold::WholeLife));
    }
    let usage = tables(HILL_CLIMB)[1].iter().map(|row| row[4]).max();
    assert_eq!(usage, Some(2_160));
    let waste = split(constants);
    assert_eq!(part(&waste, WasteKind::Needed), 2_160);
    assert_eq!(part(&waste, WasteKind::WholeLife), 8_848 - 2_160);
    assert_eq!(part(&waste, WasteKind::Fragmentation), 0);
}

/// Pairs of names of the same bytes.
fn alias_pairs(arena: &Arena) -> usize {
    let aliases = arena.notes.iter().map(|note| note.aliases.len());
    aliases.map(|count| count * (count + 1) / 2).sum()
}

#[test]
fn aliases_are_one_buffer() {
    let rows = tables(HILL_CLIMB);
    let (deployed, _) = read(HILL_CLIMB);
    let mut pairs = 0;
    for (at, [start, last, address, ..]) in rows[0].iter().enumerate() {
        let same = |it: &&[u64; 5]| it[..3] == [*start, *last, *address];
        pairs += rows[0][at + 1..].iter().filter(same).count();
    }
    assert!(pairs > 20, "{pairs}");
    assert_eq!(alias_pairs(&deployed.arenas[0]), pairs);
    let buffers = &deployed.arenas[0].lifetimes.buffers;
    let sum = buffers.iter().position(|it| it.name == "block0/add");
    let sum = sum.expect("the sum keeps its name");
    assert_eq!(buffers[sum].size, Bytes(9_216));
    assert_eq!(deployed.arenas[0].notes[sum].aliases, ["block0/project"]);
}

#[test]
fn shared_logs_have_their_published_figures() {
    for (name, content) in shared::files("plans/vela", ".log") {
        let text = String::from_utf8(content).expect("a log is text");
        let (deployed, warnings) = read(&text);
        let arena = &deployed.arenas[0];
        assert_eq!(violations(arena), [], "{name}");
        let waste = split(arena);
        assert_eq!(part(&waste, WasteKind::Needed), 74_480, "{name}");
        let warned: Vec<_> = warnings.iter().map(|it| it.message.to_string()).collect();
        match name.as_str() {
            "person_detect.LinearAlloc.log" => {
                assert_eq!(arena.plan.arena, Bytes(307_552));
                // +313 %.
                assert_eq!(307_552 * 100 / 74_480 - 100, 312);
                assert_eq!(warned, [""; 0]);
            }
            "person_detect.Greedy.log" => {
                assert_eq!(arena.plan.arena, Bytes(74_480));
                assert_eq!(
                    warned,
                    ["the log says \"Unrecognised allocator value Greedy\""]
                );
            }
            _ => {
                assert_eq!(arena.plan.arena, Bytes(74_480), "{name}");
                assert_eq!(part(&waste, WasteKind::Fragmentation), 0);
                assert_eq!(alias_pairs(arena), 33);
            }
        }
        assert_eq!(deployed.arenas[1].plan.arena, Bytes(233_744), "{name}");
        assert_eq!(
            part(&split(&deployed.arenas[1]), WasteKind::Fragmentation),
            0
        );
    }
}

#[test]
fn line_ends_and_marks_do_not_matter() {
    let plain = read(HILL_CLIMB);
    assert_eq!(read(&HILL_CLIMB.replace('\n', "\r\n")), plain);
    assert_eq!(read(&format!("\u{feff}{HILL_CLIMB}")), plain);
    let wide: Vec<u8> = "\u{feff}"
        .chars()
        .chain(HILL_CLIMB.chars())
        .map(|sign| sign as u16)
        .flat_map(u16::to_le_bytes)
        .collect();
    let error = load(&wide).expect_err("16 bits per sign");
    assert_eq!(error.kind, Fault::Unsupported);
    assert!(error.message.to_string().contains("UTF-16"), "{error}");
}

/// A log of one table with these rows.
fn table(rows: &str) -> String {
    format!(
        "Allocation, memory Sram, usage mask: FeatureMap\nStart Time - End Time : Start Addr - \
         End Addr: Tensor Size: Memory Usage: Format : Name\n{rows}Allocation Peak Tensor Size: \
         64 bytes == 0.0625 KiB\n"
    )
}

#[test]
fn faults_name_their_line() {
    let good = " 0 - 1: 0x0 - 0x40: 64: 64: NHWC : a:0\n";
    let (deployed, warnings) = read(&table(good));
    assert_eq!(deployed.arenas[0].lifetimes.buffers[0].name, "a:0");
    assert_eq!(warnings, []);
    for (row, message) in [
        (
            " 2 - 1: 0x0 - 0x40: 64: 64: NHWC : a\n",
            "ends at 1, before",
        ),
        (
            " 0 - 1: 0x0 - 0x41: 64: 64: NHWC : a\n",
            "are not the 64 bytes",
        ),
        (" 0 - 1: 0x0 - 0x40: -64: 64: NHWC : a\n", "\"-64\""),
        (" 0 - 1: 0 - 0x40: 64: 64: NHWC : a\n", "the start address"),
        (" 0 - 1: 0x0 - 0x40: 64: NHWC : a\n", "5 of a tensor's 6"),
        (" 0 1: 0x0 - 0x40: 64: 64: NHWC : a\n", "the times"),
        ("a line of something else\n", "1 of a tensor's 6"),
    ] {
        assert_refused(
            &table(&format!("{good}{row}")),
            Fault::Malformed,
            "line 4",
            message,
        );
    }
    let beyond = " 0 - 9007199254740992: 0x0 - 0x40: 64: 64: NHWC : a\n";
    assert_refused(&table(beyond), Fault::Limit, "line 3", "the end time");
    let header =
        "Allocation, memory Sram, x\n 0 - 1: 0x0 - 0x40: 64: 64: N: Start Time Start Addr\n";
    assert_refused(header, Fault::Malformed, "line 2", "columns");
    let begun: String = HILL_CLIMB.split_inclusive('\n').take(20).collect();
    let two = format!("{begun}{LINEAR}");
    assert_refused(&two, Fault::Malformed, "line 21", "of a tensor's 6");
    let unfinished = table(good).replace("Allocation Peak", "\nAllocation, memory Dram, x\n");
    assert_refused(
        &unfinished,
        Fault::Truncated,
        "line 1",
        "no line with its total",
    );
    assert_refused(
        &table(good).repeat(1025),
        Fault::Limit,
        "line 4097",
        "1024 tables",
    );
    assert_refused(&table(""), Fault::Malformed, "file", "no table");
}

/// Overlaps are the plan's fault, not the file's; rows that are missing are reported.
#[test]
fn a_wrong_plan_opens() {
    let rows = " 0 - 1: 0x0 - 0x40: 64: 96: NHWC : a\n 1 - 2: 0x20 - 0x40: 32: 96: NHWC : b\n";
    let (deployed, warnings) = read(&table(rows));
    assert_eq!(violations(&deployed.arenas[0]).len(), 1);
    assert_eq!(warnings, []);
    let (_, warnings) = read(&table(" 0 - 1: 0x0 - 0x40: 64: 96: NHWC : a\n"));
    assert!(
        warnings[0]
            .message
            .to_string()
            .contains("some may be missing"),
        "{warnings:?}"
    );
    let stray = format!("{} 0 - 1: 0x0 - 0x40: 64: 96: NHWC : a\n", table(rows));
    let (_, warnings) = read(&stray);
    assert_eq!(warnings[0].place, "line 6");
    assert!(
        warnings[0]
            .message
            .to_string()
            .contains("stands in no table"),
        "{warnings:?}"
    );
}

#[test]
fn it_survives_everything() {
    survives(HILL_CLIMB.as_bytes());
    survives(PYTHON.as_bytes());
}

/// What is cut off before the end of the last table is never taken for a whole log.
#[test]
fn a_truncated_log_is_refused() {
    let end = HILL_CLIMB.rfind("Allocation Peak").expect("the last total");
    let begin = HILL_CLIMB.find("Start Addr").expect("a table") + 10;
    for cut in (begin..end).step_by(37) {
        let error = load(&HILL_CLIMB.as_bytes()[..cut].to_vec());
        let between = HILL_CLIMB[..cut].trim_end().ends_with("KiB");
        let between = between
            || HILL_CLIMB[..cut].lines().last().is_some_and(|line| {
                line.starts_with("####") || "Tensor Allocation for ".starts_with(line)
            });
        match error {
            Err(error) => assert_eq!(error.kind, Fault::Truncated, "{cut}: {error}"),
            Ok(_) => assert!(between, "{cut}"),
        }
    }
}

#[test]
fn a_million_rows_are_read() {
    let mut rows = String::new();
    for at in 0..1_000_000_u64 {
        let address = at % 2 * 0x20;
        writeln!(
            rows,
            "{at} - {}: {address:#x} - {:#x}: 32: 64: NHWC : t{at}",
            at + 1,
            address + 32
        )
        .expect("a string");
    }
    let (deployed, warnings) = read(&table(&rows));
    assert_eq!(warnings, []);
    assert_eq!(deployed.arenas[0].lifetimes.buffers.len(), 1_000_000);
}

/// With `--cpu-tensor-alignment` Vela rounds the area up: what lies behind the last byte is
/// reserved, no rule is broken, and the parts still sum to the area.
#[test]
fn an_area_that_is_rounded_up_has_a_tail() {
    let rounded = HILL_CLIMB.replacen("Tensor Size: 46624 bytes", "Tensor Size: 46656 bytes", 1);
    let (deployed, warnings) = read(&rounded);
    assert_eq!(warnings, []);
    let area = &deployed.arenas[0];
    assert_eq!(violations(area), []);
    let waste = split(area);
    assert_eq!(
        (
            part(&waste, WasteKind::Tail),
            part(&waste, WasteKind::Fragmentation)
        ),
        (32, 0)
    );
    let sum: i64 = waste.parts.iter().map(|it| it.bytes).sum();
    assert_eq!(sum, 46_656);
}

/// A log of two tensors in blocks of 16 channels, one of all rows and one of 3, as Vela prints it.
fn blocks(channels: i32) -> String {
    let channels = u64::try_from(channels).expect("positive");
    let size = 128 * 128 * channels.next_multiple_of(16);
    let rows = 3 * 128 * channels.next_multiple_of(16);
    let (end, total) = (size, size + rows);
    table(&format!(
        " 0 - 1: 0x0 - {end:#x}: {size}: {total}: NHCWB16 : c\n \
           1 - 2: {end:#x} - {total:#x}: {rows}: {total}: NHCWB16 : y\n"
    ))
    .replace("64 bytes", &format!("{total} bytes"))
}

/// `c` and `y` of 1 x 128 x 128 with that many channels.
fn compiled(channels: i32) -> Vec<u8> {
    let mut model = Model::default();
    for tensor in [3, 4] {
        model.tensors[tensor].shape = vec![1, 128, 128, channels];
        model.tensors[tensor].dtype = 9;
    }
    model.tensors[0].shape = vec![1, 256, 256, 3];
    model.tensors[1].shape = vec![channels, 3, 3, 3];
    model.tensors[2].shape = vec![channels];
    model.bytes()
}

/// 17 channels take 32, so that 15 of 32 bytes are padding and not needed; 16 take 16. Without
/// the model nothing is taken for padding, and that is said.
#[test]
fn blocks_of_channels_are_padding_where_the_model_tells() {
    for (channels, padding) in [(17, (128 + 3) * 128 * 15), (16, 0)] {
        let (log, model) = (blocks(channels).into_bytes(), compiled(channels));
        let names = [("model.tflite", &model), ("model.log", &log)];
        for order in [[0, 1], [1, 0]] {
            let parts = order.map(|at: usize| Part {
                name: names[at].0,
                source: names[at].1,
            });
            let (format, document, warnings) = load_parts(&parts).expect("both");
            assert_eq!((format, warnings), (Format::Vela, Vec::new()));
            // Both are live at step 1.
            let found = part(&split(&deployed(document).arenas[0]), WasteKind::Padding);
            assert_eq!(found, padding, "{channels} channels");
        }
        let (_, _, warnings) = load(&log).expect("a log");
        assert!(
            warnings[0]
                .message
                .to_string()
                .contains("open it together with")
        );
        let (_, _, warnings) = load_parts(&[
            Part {
                name: "a",
                source: &log,
            },
            Part {
                name: "b",
                source: &Model::default().bytes(),
            },
        ])
        .expect("another model");
        assert!(
            warnings[0].message.to_string().contains("not in the model"),
            "{warnings:?}"
        );
    }
}
