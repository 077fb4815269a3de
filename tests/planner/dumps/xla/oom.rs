//! Messages of XLA that a program does not fit: their peak set, without addresses.

use planner::deployed::{Deployed, TotalKind};
use planner::grouping::{Group, Moment, held, padding};
use planner::load::{Document, Fault, Format, LoadError, Warning};
use planner::waste::WasteKind;
use planner::{Bytes, Options, Settings, Step, prepare};
use tests::chinese::load;
use tests::deployed::{deployed, part, split, violations};

/// As XLA prints it on CPUs and GPUs (`BufferAssignment::ToVerboseString`).
const PEAK: &str = "\
jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 6291456 bytes.
BufferAssignment OOM Debugging.
BufferAssignment stats:
             parameter allocation:    6.00MiB
              constant allocation:         0B
        maybe_live_out allocation:    6.00MiB
     preallocated temp allocation:     0B
                 total allocation:   12.00MiB
              total fragmentation:         0B (0.00%)
Peak buffers:
\tBuffer 1:
\t\tSize: 6.00MiB
\t\tOperator: op_name=\"jit(f)/concatenate[dimension=0]\" source_file=\"/a/models.py\" source_line=689
\t\tXLA Label: concatenate
\t\tShape: f32[4096,128,3]
\t\t==========================

\tBuffer 2:
\t\tSize: 390.6KiB
\t\tEntry Parameter Subshape: f32[100000]
\t\t==========================

\tBuffer 3:
\t\tSize: 390.6KiB
\t\tEntry Parameter Subshape: f32[100000]
\t\t==========================

Traceback (most recent call last):
";

/// As it prints it on TPUs.
const HBM: &str = "\
Compilation failure: Ran out of memory in memory space hbm. Used 41.74G of 16.00G hbm. Exceeded hbm capacity by 25.74G.

Program hbm requirement 41.22G:
    reserved           4.0K
    HLO temp         41.19G (24.2% utilization, 0.7% fragmentation (293.84M))

  Largest program allocations in hbm:

  1. Size: 32.00G
     Operator: op_type=\"FloorMod\" op_name=\"cic_update/FloorMod\" source_file=\"/a/cic.py\" source_line=41
     Shape: s32[8388608,8,4]{2,1,0:T(8,128)}
     Unpadded size: 1.00G
     Extra memory due to padding: 31.00G (32.0x expansion)
     XLA label: %copy.1 = s32[8388608,8,4]{2,1,0:T(8,128)} copy(s32[8388608,8,4]{0,2,1:T(4,128)} %gte.1)
     Allocation type: HLO temp
     ==========================

  2. Size: 40.50M
     Operator: op_type=\"OneHot\" op_name=\"one_hot\" source_file=\"/a/cic.py\" source_line=41
     Shape: f32[128,128,648]{2,1,0}
     XLA label: %fusion.1 = f32[128,128,648]{2,1,0} fusion(f32[] %p.1), kind=kLoop
     Allocation type: HLO temp
     ==========================
";

#[expect(clippy::panic_in_result_fn, reason = "a test")]
fn open(text: &str) -> Result<(Deployed, Vec<Warning>), LoadError> {
    let (format, document, warnings) = load(&text.as_bytes().to_vec())?;
    assert_eq!(format, Format::XlaOom);
    Ok((deployed(document), warnings))
}

/// 4096 x 128 x 3 floats are 6,291,456 bytes, which is 6.00 MiB; 100,000 floats are 400,000 bytes,
/// which are 390.6 KiB (399,974 to the byte), so that the shape says it exactly.
#[test]
fn the_buffers_of_a_peak_lie_end_to_end() {
    let (found, warnings) = open(PEAK).expect("a message");
    let [arena] = &found.arenas[..] else {
        panic!("one list: {}", found.arenas.len());
    };
    assert!(arena.separate, "it has no addresses");
    assert_eq!(violations(arena), []);
    let sizes: Vec<u64> = arena.lifetimes.buffers.iter().map(|it| it.size.0).collect();
    assert_eq!(sizes, [6_291_456, 400_000, 400_000]);
    // Its total, 12 MiB, has more than it lists.
    assert_eq!(arena.plan.arena, Bytes(12 << 20));
    let line = found
        .stacks
        .frames_of(arena.notes[0].stack)
        .next()
        .expect("its line");
    assert_eq!((line.file.as_str(), line.line), ("/a/models.py", 689));
    let ir = arena.notes[0].value.as_deref().expect("its shape");
    assert_eq!(ir.shape.as_deref(), Some(&[4096, 128, 3][..]));
    assert_eq!(ir.source, "jit(f)/concatenate[dimension=0]");
    assert_eq!(arena.notes[1].role, "parameter");
    let of = |kind| {
        let total = found.totals.iter().find(|it| it.kind == kind);
        total.map(|it| it.bytes.0)
    };
    assert_eq!(of(TotalKind::All), Some(12 << 20));
    assert_eq!(of(TotalKind::Temporary), Some(0));
    assert_eq!(found.said.len(), 1);
    let says = "XLA says: `Out of memory while trying to allocate 6291456 bytes.`";
    assert!(
        warnings
            .iter()
            .any(|it| it.message.to_string().eq_ignore_ascii_case(says)),
        "{warnings:?}"
    );
}

/// What did not fit is why people have such a text, so it stands in the plan that is saved or sent in
/// a link, too. Such a sentence pasted alone is a message without lifetimes; in a plan JSON it is
/// quoted. The plan that is sent on once more keeps it.
#[test]
fn what_did_not_fit_is_handed_on() {
    let sentences = [
        (
            PEAK,
            "Out of memory while trying to allocate 6291456 bytes.",
        ),
        (
            HBM,
            "Ran out of memory in memory space hbm. Used 41.74G of 16.00G hbm. Exceeded hbm \
             capacity by 25.74G.",
        ),
    ];
    for (text, sentence) in sentences {
        let mut bytes = text.as_bytes().to_vec();
        for expected in [Format::XlaOom, Format::PlanJson, Format::PlanJson] {
            let (format, document, warnings) = load(&bytes).expect("it can be read");
            assert_eq!(format, expected, "{text}");
            assert!(
                warnings
                    .iter()
                    .any(|it| it.message.to_string().contains(sentence)),
                "{warnings:?}"
            );
            let subject =
                prepare(&document, &Default::default(), &Settings::default()).expect("a plan");
            let own = subject.deployed.as_ref().expect("its own");
            bytes = subject
                .plan_json(own, &Options::aligned(Bytes(1)), "")
                .into_bytes();
        }
    }
}

/// Of 32 GiB 8388608 x 8 x 4 integers of four bytes are 1 GiB: the rest is padding of their layout.
#[test]
fn padding_of_a_tpu_is_told_by_buffer() {
    let (found, warnings) = open(HBM).expect("a message");
    let arena = &found.arenas[0];
    assert_eq!(arena.name, "largest in hbm");
    let buffer = &arena.lifetimes.buffers[0];
    assert_eq!(buffer.name, "copy.1");
    assert_eq!(
        (buffer.size, buffer.payload),
        (Bytes(32 << 30), Bytes(1 << 30))
    );
    // 128 x 128 x 648 floats are 40.5 MiB to the byte.
    assert_eq!(arena.lifetimes.buffers[1].size, Bytes(128 * 128 * 648 * 4));
    let waste = split(arena);
    assert_eq!(part(&waste, WasteKind::Padding), 31 << 30);
    let lines: Vec<u32> = arena.notes.iter().map(|it| it.stack).collect();
    assert_eq!(lines[0], lines[1], "both are of cic.py:41");
    assert_eq!(arena.notes[0].op, "copy");
    assert_eq!(found.toolchain, "XLA for TPU");
    assert!(
        warnings
            .iter()
            .any(|it| it.message.to_string().contains("Used 41.74G of 16.00G"))
    );
}

/// A log may hold two messages; the last is what the program ended with.
#[test]
fn of_two_messages_the_last_counts() {
    let second = PEAK
        .replace("6.00MiB\n\t\tOp", "3.00MiB\n\t\tOp")
        .replace("[4096,", "[2048,");
    let (found, _) = open(&format!("{PEAK}{second}")).expect("messages");
    assert_eq!(found.arenas[0].lifetimes.buffers[0].size, Bytes(3 << 20));
    assert_eq!(found.arenas[0].lifetimes.buffers.len(), 3);
}

#[test]
fn what_is_cut_off_or_empty_is_said() {
    let at = HBM.find("     Allocation type").expect("it is there");
    let (found, warnings) = open(&HBM[..at]).expect("one buffer");
    assert_eq!(found.arenas[0].lifetimes.buffers.len(), 1);
    assert!(
        warnings
            .iter()
            .any(|it| it.message.to_string().contains("cut off")),
        "{warnings:?}"
    );
    let at = HBM.find("  1. Size").expect("it is there");
    let error = open(&HBM[..at]).expect_err("there is no buffer");
    assert_eq!(error.kind, Fault::Malformed);
    // A size that no memory has is left out, and so is one that is none.
    for wrong in ["99999999999999G", "much", "1.5.2G", ""] {
        let text = HBM.replace("Size: 32.00G", &format!("Size: {wrong}"));
        let (found, warnings) = open(&text).expect("the other buffer");
        assert_eq!(found.arenas[0].lifetimes.buffers.len(), 1, "{wrong}");
        assert!(
            warnings
                .iter()
                .any(|it| it.message.to_string().contains("no size")),
            "{wrong}"
        );
    }
}

/// The sizes by hand: 6 GiB that are all elements, and 4 GiB of which 8,388,608 floats of four bytes, 32
/// MiB, are elements. What is needed sums to the first part, and what is not to the second.
#[test]
fn rows_sum_to_what_they_are_rows_of() {
    let text = "Largest program allocations in hbm:\n\n  1. Size: 6.00G\n     Shape: \
         f32[1024,1024,1536]{2,1,0:T(8,128)}\n     Unpadded size: 6.00G\n     XLA label: %dot.1 = \
         f32[1024,1024,1536]{2,1,0:T(8,128)} dot(f32[8]{0} %a)\n     Allocation type: HLO temp\n     \
         ==========================\n\n  2. Size: 4.00G\n     Shape: \
         f32[8388608,1]{1,0:T(8,128)}\n     Unpadded size: 32.00M\n     Extra memory due to \
         padding: 3.97G (128.0x expansion)\n     XLA label: %copy.1 = \
         f32[8388608,1]{1,0:T(8,128)} copy(f32[8388608,1]{0,1} %dot.1)\n     Allocation type: HLO \
         temp\n     ==========================\n";
    let (found, _) = open(text).expect("a message");
    let arena = &found.arenas[0];
    let waste = split(arena);
    let rows = |kind| {
        let part = waste.part(kind).expect("a part");
        let of = |it: &usize| part.bytes_of(&arena.lifetimes.buffers[*it]).0;
        part.buffers.iter().map(of).collect::<Vec<u64>>()
    };
    let (large, small) = (6 << 30, 32 << 20);
    assert_eq!(rows(WasteKind::Needed), [large, small]);
    assert_eq!(
        part(&waste, WasteKind::Needed),
        i64::try_from(large + small).expect("small")
    );
    assert_eq!(rows(WasteKind::Padding), [(4 << 30) - small]);
    // Who holds them, and what of it is padding.
    let moment = Moment::At(Step(0));
    let held = held(&arena.lifetimes, moment);
    let group = |buffers: &[usize]| Group {
        buffers: buffers.to_vec(),
        ..Group::default()
    };
    let padding = |buffers: &[usize]| padding(&arena.lifetimes, &held, &group(buffers)).0;
    assert_eq!(
        (padding(&[0]), padding(&[1]), padding(&[0, 1])),
        (0, (4 << 30) - small, (4 << 30) - small)
    );
}

/// A list that was quoted, escaped or taken from a log is the list.
#[test]
fn a_pasted_list_is_read_as_it_was_written() {
    let plain = |text: &str| open(text).expect("a message").0;
    for text in [PEAK, HBM] {
        let escaped = text
            .replace('&', "&amp;")
            .replace('"', "&quot;")
            .replace('>', "&gt;");
        let quoted: String = text.lines().map(|line| format!("> {line}\n")).collect();
        let ranked: String = text
            .lines()
            .map(|line| format!("[rank3]: {line}\n"))
            .collect();
        let timed: String = text
            .lines()
            .map(|line| format!("2026-11-12 11:25:13.496165: E xla/service/hlo.cc:31] {line}\n"))
            .collect();
        // The whole as one string, and as Python shows one.
        let string = format!(
            "{}\n",
            serde_json::json!({"severity": "ERROR", "message": text})
        );
        let shown = format!(
            "E   XlaRuntimeError: '{}'\n",
            text.replace('\n', "\\n").replace('\t', "\\t")
        );
        for pasted in [escaped, quoted, ranked, timed, string, shown] {
            assert_eq!(plain(&pasted), plain(text), "{pasted}");
        }
    }
}

/// The start of what TPUs print since 2021, before the program's own requirement: 530 MiB + 16.5
/// GiB + 2 GiB are 19.02 GiB.
const TOTAL: &str = "\
Total hbm usage >= 19.02G:
    reserved        530.00M
    program          16.50G
    arguments         2.00G

Output size 2.00G; shares 1.00G with arguments.

";

/// The parts of a list, and whether it has no others.
fn parts(arena: &planner::deployed::Arena) -> Vec<(WasteKind, i64)> {
    let parts = split(arena).parts.into_iter();
    parts.map(|part| (part.kind, part.bytes)).collect()
}

/// 12 MiB that the statistics say, without 6 MiB and twice 400,000 B that are listed. Neither
/// fragmentation nor anything else is said of what nobody sees.
#[test]
fn what_a_list_leaves_out_is_a_part_of_its_own() {
    let (found, _) = open(PEAK).expect("a message");
    let [arena] = &found.arenas[..] else {
        panic!("one list");
    };
    let listed = 6_291_456 + 800_000;
    let expected = [
        (WasteKind::Needed, listed),
        (WasteKind::Padding, 0),
        (WasteKind::NotListed, (12 << 20) - listed),
    ];
    assert_eq!(parts(arena), expected);
    let [row] = &planner::overview::overview(&found)[..] else {
        panic!("one row");
    };
    assert_eq!((row.bytes, row.avoidable()), (Bytes(12 << 20), Bytes::ZERO));
    assert_eq!(Some(row.bound.0), u64::try_from(listed).ok());
    // The same list of all that there is: 7,091,456 B are 6.763 MiB.
    let whole = PEAK.replace(
        "total allocation:   12.00MiB",
        "total allocation:   6.76MiB",
    );
    let (found, _) = open(&whole).expect("a message");
    assert!(!found.arenas[0].plan.partial);
    assert_eq!(split(&found.arenas[0]).arena.0, 7_091_456);
    // The same list, and gaps that make up the rest: 16 MiB less 6.763 MiB.
    let gaps = "total allocation:   16.00MiB\n              total fragmentation:  9.24MiB (57.73%)";
    let gaps = PEAK.replace("total allocation:   12.00MiB", gaps);
    let gaps = gaps.replace("total fragmentation:         0B (0.00%)", "");
    let (found, _) = open(&gaps).expect("a message");
    assert!(!found.arenas[0].plan.partial);
    let between = part(&split(&found.arenas[0]), WasteKind::Fragmentation)
        + part(&split(&found.arenas[0]), WasteKind::Tail);
    assert_eq!(between, (16 << 20) - listed);
    // Without statistics there is more, nobody knows how much.
    let at = PEAK.find("Peak buffers").expect("it is there");
    let (found, _) = open(&format!("BufferAssignment\n{}", &PEAK[at..])).expect("a list");
    assert!(found.arenas[0].plan.partial);
    let expected = [
        (WasteKind::Needed, listed),
        (WasteKind::Padding, 0),
        (WasteKind::NotListed, 0),
    ];
    assert_eq!(parts(&found.arenas[0]), expected);
}

/// 16 GiB of a program of which 8 and 4 are listed: the 4 that are left are what the text calls
/// fragmentation, of which half is beyond the list where the program has 2 GiB less. The plan JSON says
/// so, too.
#[test]
fn what_a_text_calls_fragmentation_is_not_missing() {
    let text = |program: u64| {
        format!(
            "Ran out of memory in memory space hbm. Used 16.00G of 15.48G hbm.\n\
             Program hbm requirement {program}.00G:\n\
             \u{20}   HLO temp {program}.00G (75.0% utilization, 25.0% fragmentation (4.00G))\n\n\
             \u{20} Largest program allocations in hbm:\n\n\
             \u{20} 1. Size: 8.00G\n     Shape: u8[8589934592]\n     ====\n\n\
             \u{20} 2. Size: 4.00G\n     Shape: u8[4294967296]\n     ====\n"
        )
    };
    for (program, between, rest) in [(16, 4 << 30, 0), (14, 2 << 30, 0), (19, 4 << 30, 3 << 30)] {
        let (found, _) = open(&text(program)).expect("a message");
        let expected = [
            (WasteKind::Needed, 12 << 30),
            (WasteKind::Padding, 0),
            (WasteKind::Fragmentation, between),
            (WasteKind::NotListed, rest),
        ];
        assert_eq!(parts(&found.arenas[0]), expected, "{program}");
        let document = Document::Deployed(found);
        let subject = prepare(&document, &Default::default(), &Settings::default());
        let subject = subject.expect("a plan");
        assert_eq!(subject.not_listed(), u64::try_from(rest).ok().map(Bytes));
        let plan = subject.deployed.as_ref().expect("a plan");
        let json = subject.plan_json(plan, &Options::aligned(Bytes(1)), "");
        let (_, again, _) = load(&json.into_bytes()).expect("our own");
        assert_eq!(parts(&deployed(again).arenas[0]), expected);
    }
}

/// Figures as the text has them: GiB of two decimals, times 2^30.
#[test]
fn totals_of_a_tpu_are_read() {
    let gib = |hundredths: u64| (hundredths * (1 << 30) + 50) / 100;
    let (found, warnings) = open(&format!("{TOTAL}{HBM}")).expect("a message");
    let all: Vec<(TotalKind, u64)> = found
        .totals
        .iter()
        .map(|it| (it.kind, it.bytes.0))
        .collect();
    let expected = [
        (TotalKind::Arguments, gib(200)),
        (TotalKind::Outputs, gib(200)),
        (TotalKind::Aliased, gib(100)),
        (TotalKind::Temporary, gib(4119)),
        (TotalKind::AtLeast, gib(1902)),
    ];
    assert_eq!(all, expected);
    // It lists 32 GiB of these 19.02.
    assert!(
        warnings
            .iter()
            .any(|it| it.message.to_string().contains("the list counts")),
        "{warnings:?}"
    );
    // The program's own requirement counts where there is no total.
    let (found, _) = open(HBM).expect("a message");
    let arena = &found.arenas[0];
    let listed = (32 << 30) + 128 * 128 * 648 * 4;
    assert_eq!(split(arena).arena.0, gib(4122));
    // 293.84 MiB lie between buffers and 4 KiB are kept, as the text says.
    let between = (29_384 * (1 << 20) + 50) / 100;
    let signed = |bytes: u64| i64::try_from(bytes).expect("small");
    assert_eq!(
        part(&split(arena), WasteKind::Fragmentation),
        signed(between)
    );
    assert_eq!(part(&split(arena), WasteKind::Tail), 4096);
    let rest = gib(4122) - listed - between - 4096;
    assert_eq!(part(&split(arena), WasteKind::NotListed), signed(rest));
    // A size that is unknown is no size.
    let unknown = format!("{TOTAL}{HBM}")
        .replace("arguments         2.00G", "arguments       unknown size")
        .replace(
            "Output size 2.00G; shares 1.00G with arguments.",
            "Output size unknown.",
        );
    let (found, _) = open(&unknown).expect("a message");
    let kinds: Vec<TotalKind> = found.totals.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [TotalKind::Temporary, TotalKind::AtLeast]);
}

/// Whatever a program logged before it: a list behind more than what a file is told apart by, with
/// and without a first message of the same kind at the head.
#[test]
fn a_list_behind_a_long_log_is_found() {
    let placed = "E0131 10:00:00.123456 7 hlo.cc:31] ";
    let log: String = (0..4000)
        .map(|step| format!("{placed}step {step} took 12 ms\n"))
        .collect();
    assert!(log.len() > 64 << 10);
    for text in [PEAK, HBM] {
        let placed: String = text.lines().map(|it| format!("{placed}{it}\n")).collect();
        let first = "Out of memory while trying to allocate 12 bytes.\n";
        for head in ["", first] {
            let (found, _) = open(&format!("{head}{log}{placed}")).expect("a list");
            assert_eq!(found, open(text).expect("a list").0);
        }
    }
    // Words of a list that has no buffer are figures all the same.
    let at = HBM.find("  1. Size").expect("it is there");
    let error = open(&format!("{log}{}", &HBM[..at])).expect_err("there is no buffer");
    assert_eq!(error.kind, Fault::Figures);
}
