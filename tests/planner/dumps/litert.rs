//! Tensor addresses of a LiteRT interpreter.

use std::fmt::Write as _;

use planner::bounds::bounds;
use planner::deployed::{Deployed, Held, Hold};
use planner::load::{Fault, Format, Warning};
use planner::waste::WasteKind;
use planner::{Bytes, Span};
use tests::chinese::load;
use tests::deployed::{deployed, part, split, violations};
use tests::shared;

use super::hardships::{assert_refused, survives};

const SMALL: &str = include_str!("../../data/plans/litert/small_net.csv");
const MEMORY: &str = include_str!("../../data/plans/litert/memory_net.csv");
const MOBILENET: &str = include_str!("../../data/plans/litert/mobilenet_v1.csv");

fn read(text: &str) -> (Deployed, Vec<Warning>) {
    let (format, document, warnings) = load(&text.as_bytes().to_vec()).expect("addresses");
    assert_eq!(format, Format::Litert);
    (deployed(document), warnings)
}

/// The rows of an export without what older ones do not have.
fn old(text: &str) -> String {
    let mut old = String::from("id,lower,upper,size,offset,name\n");
    for line in text.lines().skip(2) {
        let cells: Vec<&str> = line.splitn(8, ',').collect();
        writeln!(old, "{},{}", cells[..5].join(","), cells[7]).expect("a string");
    }
    old
}

/// The network's own shapes, by hand: at step 2 there are the stem's 24·24·8, what the first
/// block widens to 24·24·32 and as much after its depthwise: 41,472 bytes. LiteRT keeps the
/// 48·48·3 of the picture beside them: 48,384. Its greedy planner ends 4,608 bytes higher,
/// because it places by size what lives later.
#[test]
fn the_picture_is_pinned_and_the_rest_is_fragmentation() {
    let (deployed, warnings) = read(SMALL);
    assert_eq!(deployed.toolchain, "LiteRT");
    let [arena] = &deployed.arenas[..] else {
        panic!("{} arenas", deployed.arenas.len());
    };
    assert_eq!(violations(arena), []);
    assert_eq!(arena.plan.arena, Bytes(52_992));
    let held = Held {
        why: Hold::Pinned,
        needed: Span::new(0, 1),
    };
    assert_eq!(arena.notes[0].held, Some(held));
    assert_eq!(arena.lifetimes.buffers[0].span, Span::new(0, 23));
    assert_eq!(arena.notes[1].op, "CONV_2D");
    let waste = split(arena);
    let parts = [
        WasteKind::Needed,
        WasteKind::Pinned,
        WasteKind::Fragmentation,
    ]
    .map(|kind| part(&waste, kind));
    let large = 24 * 24 * (8 + 32 + 32);
    assert_eq!(parts, [large, 48 * 48 * 3, 52_992 - large - 48 * 48 * 3]);
    // The sums of three blocks, and a view.
    assert_eq!(arena.lifetimes.handovers.len(), 4);
    let [asked] = &warnings[..] else {
        panic!("{warnings:?}");
    };
    assert!(
        asked.message.to_string().starts_with("1 temporary"),
        "{asked:?}"
    );
}

/// The state of each layer lives in memory of its own, for ever.
#[test]
fn variables_are_an_arena_of_their_own() {
    let (deployed, _) = read(MEMORY);
    let names: Vec<_> = deployed.arenas.iter().map(|it| &it.name).collect();
    assert_eq!(names, ["arena", "variables"]);
    let variables = &deployed.arenas[1];
    // Eight steps of memory for 64 and for 12 units of 4 bytes.
    assert_eq!(variables.plan.arena, Bytes(8 * 64 * 4 + 8 * 12 * 4));
    assert_eq!(part(&split(variables), WasteKind::Fragmentation), 0);
    for arena in &deployed.arenas {
        assert_eq!(violations(arena), []);
    }
}

/// An older export says nothing of roles, but the picture is found: the same split.
#[test]
fn older_exports_are_read_too() {
    for text in [SMALL, MOBILENET] {
        let (new, (older, warnings)) = (read(text).0, read(&old(text)));
        assert_eq!(split(&older.arenas[0]), split(&new.arenas[0]));
        assert_eq!(older.arenas[0].lifetimes, new.arenas[0].lifetimes);
        assert_eq!(warnings.len(), 1);
        assert!(
            warnings[0]
                .message
                .to_string()
                .contains("taken for graph inputs: "),
            "{warnings:?}"
        );
    }
}

/// 32-bit floats: at step 2, 48·48·16 twice, 294,912 bytes, are the most besides the input.
#[test]
fn mobilenet_v1_has_no_fragmentation() {
    let (deployed, _) = read(MOBILENET);
    let arena = &deployed.arenas[0];
    assert_eq!(violations(arena), []);
    let waste = split(arena);
    assert_eq!(part(&waste, WasteKind::Fragmentation), 0);
    let pinned = part(&waste, WasteKind::Pinned);
    assert_eq!(
        pinned,
        i64::try_from(arena.lifetimes.buffers[0].size.0).expect("small")
    );
}

/// A first trap: 6.1 % more than is ever live, all of it the input that LiteRT pins.
#[test]
fn a_pinned_input_is_no_fragmentation() {
    for (name, content) in shared::files("plans/tflite", ".csv") {
        let text = String::from_utf8(content).expect("a table is text");
        let (deployed, warnings) = read(&text);
        assert_eq!(warnings.len(), 1, "{name}");
        let arena = &deployed.arenas[0];
        assert_eq!(violations(arena), [], "{name}");
        let waste = split(arena);
        assert_eq!(part(&waste, WasteKind::Fragmentation), 0, "{name}");
        if name.starts_with("mobilenet_v2") {
            assert_eq!(arena.lifetimes.buffers.len(), 85);
            assert_eq!(arena.lifetimes.handovers.len(), 11);
            assert_eq!(waste.arena, Bytes(2_602_368));
            assert_eq!(part(&waste, WasteKind::Needed), 2_451_840);
            assert_eq!(part(&waste, WasteKind::Pinned), 150_528);
        }
    }
}

const HEADER: &str = "id,lower,upper,size,offset,role,op,name\n";

#[test]
fn views_are_one_buffer_and_a_step_in_common_is_a_handover() {
    let text = format!(
        "# LiteRT\n\n{HEADER}0,0,1,64,0,input,,x\r\n1,0,2,64,64,intermediate,CONV_2D,a,b\n\
         2,1,4,64,64,intermediate,ADD,c\n3,2,5,64,64,output,RESHAPE,d\n"
    );
    let (deployed, warnings) = read(&text);
    assert_eq!(warnings, []);
    let arena = &deployed.arenas[0];
    let names: Vec<_> = arena
        .lifetimes
        .buffers
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(names, ["x", "a,b", "c"]);
    assert_eq!(arena.lifetimes.buffers[2].span, Span::new(1, 5));
    assert_eq!(arena.notes[2].aliases, ["d"]);
    let [pair] = arena.lifetimes.handovers[..] else {
        panic!("{:?}", arena.lifetimes.handovers);
    };
    assert_eq!((pair.before, pair.after, pair.shift), (1, 2, Bytes(0)));
    assert_eq!(violations(arena), []);
    let over = format!(
        "{HEADER}0,0,1,64,0,input,,x\n1,0,2,64,64,output,ADD,a\n2,1,3,64,32,output,ADD,b\n"
    );
    assert_eq!(violations(&read(&over).0.arenas[0]).len(), 2);
}

#[test]
fn what_the_export_leaves_out_is_reported() {
    let left_out = "# left out: 3 tensors that get their bytes while the model runs";
    let (_, warnings) = read(&format!(
        "# LiteRT\n{left_out}\n{HEADER}0,0,1,64,0,input,,x\n"
    ));
    assert_eq!(
        (
            warnings[0].place.to_string().as_str(),
            warnings[0].message.to_string().as_str()
        ),
        (
            "line 2",
            "the export leaves out 3 tensors that get their bytes while the model runs"
        )
    );
}

#[test]
fn faults_name_their_line() {
    let good = "0,0,1,64,0,input,,x\n";
    for (row, message) in [
        ("1,3,2,64,0,output,ADD,y\n", "from 3 to 2"),
        ("1,2,2,64,0,output,ADD,y\n", "which is no time"),
        ("1,0,2,-64,0,output,ADD,y\n", "\"-64\""),
        ("1,0,2,64,-1,output,ADD,y\n", "\"-1\""),
        ("1,0,2,64,0,outcome,ADD,y\n", "the role \"outcome\""),
        (
            "1,0,2,64,0,output\n",
            "6 cells where the header has 8 columns",
        ),
        ("1,0,2\n", "3 cells"),
        ("x,0,2,64,0,output,ADD,y\n", "id is \"x\""),
    ] {
        let text = format!("{HEADER}{good}{row}{good}");
        assert_refused(&text, Fault::Malformed, "line 3", message);
    }
    let twice = format!("{HEADER}{good}{good}");
    assert_refused(
        &twice,
        Fault::Duplicate,
        "line 3",
        "the id 0 is there twice",
    );
    assert_refused(
        &format!("{HEADER}{good}1,0,2,6"),
        Fault::Truncated,
        "line 3",
        "4 cells",
    );
    assert_refused(HEADER, Fault::Malformed, "file", "no buffer");
}

/// The older header is one of a `MiniMalloc` CSV too: with other ids it is one.
#[test]
fn a_minimalloc_table_with_names_is_none() {
    let text = "id,lower,upper,size,offset,name\na,0,3,4,16,one\nb,2,9,8,0,two\n";
    let (format, ..) = load(&text.as_bytes().to_vec()).expect("a table");
    assert_eq!(format, Format::Csv);
}

#[test]
fn it_survives_everything() {
    survives(SMALL.as_bytes());
    survives(old(MOBILENET).as_bytes());
}

#[test]
fn a_million_rows_are_read() {
    let mut text = String::from(HEADER);
    for at in 0..1_000_000_u64 {
        let offset = at % 2 * 64;
        writeln!(
            text,
            "{at},{at},{},64,{offset},intermediate,ADD,t{at}",
            at + 2
        )
        .expect("a string");
    }
    let (deployed, warnings) = read(&text);
    assert_eq!(warnings, []);
    assert_eq!(deployed.arenas[0].lifetimes.buffers.len(), 1_000_000);
}

/// What `PrintInterpreterState` prints of a convolution and a pool: 4,096 B of picture, 8,192 B
/// between and 2,048 B of result behind them, for LiteRT never writes over the picture.
const PRINTED: &str = "== Interpreter has 1 subgraph.

-----------Subgraph-0 has 6 tensors and 2 nodes------------
1 Inputs: [0] -> 4096B (0.00MB)
1 Outputs: [5] -> 2048B (0.00MB)

Tensor  ID Name                      Type            AllocType          Size (Bytes/MB)    Shape      MemAddr-Offset
Tensor   0 picture:0                 kTfLiteFloat32  kTfLiteArenaRw     4096     / 0.00 [1,16,16,4] [0, 4096)
Tensor   1 w1                        kTfLiteFloat32  kTfLiteMmapRo      1152     / 0.00 [8,3,3,4] [0, 1152)
Tensor   3 conv/Relu                 kTfLiteFloat32  kTfLiteArenaRw     8192     / 0.01 [1,16,16,8] [4096, 12288)
Tensor   5 StatefulPartitionedCal... kTfLiteFloat32  kTfLiteArenaRw     2048     / 0.00 [1,8,8,8] [12288, 14336)

Node   0 Operator Builtin Code   3 CONV_2D
  3 Input Tensors:[0,1,-1] -> 5248B (0.01MB)
  1 Output Tensors:[3] -> 8192B (0.01MB)
Node   1 Operator Builtin Code  17 MAX_POOL_2D
  1 Input Tensors:[3] -> 8192B (0.01MB)
  1 Output Tensors:[5] -> 2048B (0.00MB)

Execution plan as the list of 2 nodes invoked in-order: [0-1]
--------------Subgraph-0 dump has completed--------------

--------------Memory Arena Status Start--------------
Subgraph#0   Arena (Normal)          14400 (100.00%)
";

#[test]
fn the_printed_state_is_a_plan() {
    let (deployed, warnings) = read(PRINTED);
    assert_eq!(warnings, []);
    let arena = &deployed.arenas[0];
    let rows = arena.lifetimes.buffers.iter().zip(&arena.plan.offsets);
    let rows: Vec<_> = rows
        .map(|(it, at)| (it.name.as_str(), it.size.0, it.span, at.0))
        .collect();
    let expected = [
        ("picture:0", 4096, Span::new(0, 2), 0),
        ("conv/Relu", 8192, Span::new(0, 2), 4096),
        ("StatefulPartitionedCal...", 2048, Span::new(1, 2), 12_288),
    ];
    assert_eq!(rows, expected);
    assert_eq!(violations(arena), []);
    // 64 bytes are reserved behind the last one; the picture is not needed at step 1.
    let waste = split(arena);
    assert_eq!((waste.arena.0, part(&waste, WasteKind::Tail)), (14_400, 64));
    assert_eq!(part(&waste, WasteKind::Needed), 4096 + 8192);
    assert_eq!(part(&waste, WasteKind::Pinned), 2048);
    assert_eq!(part(&waste, WasteKind::Fragmentation), 0);
    // Without the order nothing is known of lifetimes.
    let cut = PRINTED.split("Execution").next().expect("a half");
    let error = load(&cut.as_bytes().to_vec()).expect_err("no order");
    assert_eq!(error.kind, Fault::Truncated);
    survives(PRINTED.as_bytes());
}

/// Interpreters that were told not to keep inputs write over them: the result lies where the picture
/// was. At once 4,096 + 8,192 B are needed at the convolution and 8,192 + 2,048 at the pool, so that
/// the arena of 12,288 B is as small as can be.
#[test]
fn an_input_that_is_written_over_is_not_kept() {
    let text = PRINTED
        .replace("[12288, 14336)", "[0, 2048)")
        .replace("14400", "12288");
    let (deployed, warnings) = read(&text);
    let arena = &deployed.arenas[0];
    assert_eq!(violations(arena), []);
    assert_eq!(arena.plan.arena, Bytes(12_288));
    assert_eq!(arena.lifetimes.buffers[0].span, Span::new(0, 1));
    assert_eq!(bounds(&arena.lifetimes).offsets, Bytes(12_288));
    assert_eq!(warnings[0].place, "line 8");
    // The program that writes the table asks a version that never does.
    let rows = format!(
        "{HEADER}0,0,1,64,0,input,,x\n1,0,2,64,64,intermediate,ADD,a\n2,1,3,64,0,output,ADD,b\n"
    );
    assert_eq!(violations(&read(&rows).0.arenas[0]).len(), 1);
    for (name, content) in shared::files("cases", "tflite_print_state.txt") {
        let (_, document, _) = load(&content).expect("a state");
        let arena = &document.deployed().expect("a plan").arenas[0];
        assert_eq!(violations(arena), [], "{name}");
        assert_eq!(bounds(&arena.lifetimes).offsets, arena.plan.arena, "{name}");
    }
}
