//! Texts with figures and no lifetimes.

use planner::load::{Fault, Figures, Part, figures};
use tests::chinese::load;

/// As PyTorch printed it up to 2.0.
pub(super) const OLD: &str = "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.22 GiB \
     (GPU 0; 23.65 GiB total capacity; 11.16 GiB already allocated; 1.91 GiB free; 20.50 GiB \
     reserved in total by PyTorch) If reserved memory is >> allocated memory try setting \
     max_split_size_mb to avoid fragmentation.\n";

/// As it prints it since.
pub(super) const NEW: &str = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB. GPU 0 \
     has a total capacity of 15.75 GiB of which 100.00 MiB is free. Including non-PyTorch memory, \
     this process has 15.50 GiB memory in use. Of the allocated memory 14.00 GiB is allocated by \
     PyTorch, and 300.00 MiB is reserved by PyTorch but unallocated.\n";

pub(super) const TABLE: &str = "\
|===========================================================================|
|                  PyTorch CUDA memory summary, device ID 0                 |
|---------------------------------------------------------------------------|
|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |
|---------------------------------------------------------------------------|
| Allocated memory      |    1024 KB |    4460 MB |   12439 MB |   11795 MB |
|       from large pool |     512 KB |    4455 MB |   12430 MB |   11793 MB |
|---------------------------------------------------------------------------|
| GPU reserved memory   |    5270 MB |    5271 MB |    5270 MB |       0 B  |
| Non-releasable memory |     100 MB |     155 MB |   12000 MB |   11900 MB |
| Allocations           |     100    |     155    |   12000    |   11900    |
|===========================================================================|
";

pub(super) fn read(text: &str) -> Figures {
    let bytes = text.as_bytes().to_vec();
    let part = Part {
        name: "text",
        source: &bytes,
    };
    figures(&[part]).expect("a text").expect("figures")
}

/// What a figure is in hundredths of a MiB, as far as a message is exact.
pub(super) fn hundredths(found: &Figures, what: &str) -> u64 {
    let figure = found
        .figures
        .iter()
        .find(|it| it.what.to_string().starts_with(what));
    let bytes = figure.expect(what).bytes.0;
    (bytes * 100 + (1 << 19)) >> 20
}

/// Parts make the device; what the message leaves out is its rest: 23.65 - 20.50 - 1.91 = 1.24
/// GiB, and 20.50 - 11.16 = 9.34 GiB are kept.
#[test]
fn the_old_message_is_split() {
    let found = read(OLD);
    let gib = |what| (hundredths(&found, what) + 512) / 1024;
    assert_eq!(gib("asked for"), 322);
    assert_eq!(gib("reserved by PyTorch but not"), 934);
    assert_eq!(gib("everything else"), 124);
    let sum = |depth| {
        let of = found.figures[1..].iter().filter(|it| it.depth == depth);
        of.map(|it| it.bytes.0).sum::<u64>()
    };
    assert_eq!(sum(0), sum(1));
    // 1.91 and 9.34 are more than 3.22.
    assert!(
        found.says[0]
            .to_string()
            .contains("11.25\u{a0}GiB are free or kept"),
        "{found:?}"
    );
    assert!(found.record[0].contains("_record_memory_history(max_entries="));
}

/// 100 and 300 MiB are 112 short of 512; 15.75 GiB less all that is told are 1392 MiB.
#[test]
fn the_new_message_is_split() {
    let found = read(NEW);
    assert_eq!(hundredths(&found, "reserved by PyTorch but not"), 30_000);
    assert_eq!(hundredths(&found, "everything else"), 139_200);
    assert!(
        found.says[0]
            .to_string()
            .contains("112.00\u{a0}MiB too little"),
        "{found:?}"
    );
}

/// KB and MB of the table are 1024 and 1024² bytes; counts of allocations are no bytes.
#[test]
fn the_table_is_read_in_units_of_1024() {
    let found = read(TABLE);
    let of = |what: &str| {
        let figure = found.figures.iter().find(|it| it.what == what);
        figure.map(|it| (it.bytes.0, it.depth))
    };
    assert_eq!(of("Allocated memory, now:"), Some((1 << 20, 0)));
    assert_eq!(of("from large pool, peak:"), Some((4455 << 20, 1)));
    assert_eq!(of("GPU reserved memory, peak:"), Some((5271 << 20, 0)));
    assert_eq!(found.figures.len(), 8);
    let peak = found
        .figures
        .iter()
        .find(|it| it.what == "GPU reserved memory, peak:");
    let chinese = peak.map(|it| error_texts::in_chinese(&it.what));
    assert_eq!(chinese.as_deref(), Some("GPU reserved memory，峰值："));
    assert!(
        found.says[0]
            .to_string()
            .contains("reserved now: 5.15\u{a0}GiB"),
        "{found:?}"
    );
    // More now than at the peak: somebody has mixed up columns.
    let contradicts = |found: &Figures| {
        found
            .says
            .iter()
            .any(|it| it.to_string().contains("contradict"))
    };
    let mixed = TABLE.replace("1024 KB |    4460 MB", "4460 MB |    1024 KB");
    assert_eq!(
        [TABLE, &mixed].map(|it| contradicts(&read(it))),
        [false, true]
    );
}

/// As `RecordingMicroAllocator` prints it of person_detect on a 64-bit machine.
pub(super) const RECORDED: &str = "\
[RecordingMicroAllocator] Arena allocation total 85264 bytes
[RecordingMicroAllocator] Arena allocation head 55296 bytes
[RecordingMicroAllocator] Arena allocation tail 29968 bytes
[RecordingMicroAllocator] 'TfLiteEvalTensor data' used 2136 bytes with alignment overhead \
(requested 2136 bytes for 89 allocations)
[RecordingMicroAllocator] 'Persistent TfLiteTensor data' used 128 bytes with alignment overhead \
(requested 128 bytes for 2 tensors)
[RecordingMicroAllocator] 'Persistent TfLiteTensor quantization data' used 64 bytes with alignment \
overhead (requested 64 bytes for 4 allocations)
[RecordingMicroAllocator] 'Persistent buffer data' used 24304 bytes with alignment overhead \
(requested 24272 bytes for 88 allocations)
[RecordingMicroAllocator] 'NodeAndRegistration struct' used 1984 bytes with alignment overhead \
(requested 1984 bytes for 31 NodeAndRegistration structs)
";

/// Parts make their whole; the list leaves out 29968 - 2136 - 128 - 64 - 24304 - 1984 = 1352
/// bytes of the tail. 2136 bytes of 89 tensors are 24 of each, three words of 8 bytes.
#[test]
fn the_arena_of_tflite_micro_is_head_and_tail() {
    let found = read(&format!("boot\n{RECORDED}Invoke\n"));
    let of = |depth| found.figures.iter().filter(move |it| it.depth == depth);
    let bytes = |depth| of(depth).map(|it| it.bytes.0).collect::<Vec<_>>();
    assert_eq!(bytes(0), [85_264]);
    assert_eq!(bytes(1), [55_296, 29_968]);
    assert_eq!(bytes(2), [2136, 128, 64, 24_304, 1984, 1352]);
    assert!(
        found.says[1].to_string().contains("8-byte pointers"),
        "{found:?}"
    );
    // With 12 bytes of each tensor nothing is said of wide pointers.
    let narrow = RECORDED.replace("used 2136 bytes", "used 1068 bytes");
    assert_eq!(read(&narrow).says.len(), 1);
    // Head and tail that do not make the arena cannot be.
    let broken = RECORDED.replace("tail 29968", "tail 2996");
    let error = load(&broken.into_bytes()).expect_err("no figures");
    assert!(
        error.message.to_string().contains("contradicts itself"),
        "{error}"
    );
}

/// What is missing is what was asked for less what was there.
#[test]
fn an_arena_that_is_too_small_says_how_much_is_missing() {
    let old = "Arena size is too small for all buffers. Needed 212064 but only 191120 was \
               available.\nAllocateTensors() failed\n";
    let new = "Failed to resize buffer. Requested: 67840, available 50344, missing: 17496\n";
    let tail = "Failed to allocate tail memory. Requested: 96, available 80, missing: 16\n";
    for (text, asked, missing) in [
        (old.to_owned(), 212_064, 20_944),
        (new.to_owned(), 67_840, 17_496),
        (tail.to_owned(), 96, 16),
    ] {
        let found = read(&text);
        let figures: Vec<u64> = found.figures.iter().map(|it| it.bytes.0).collect();
        assert_eq!(figures, [asked, asked - missing, missing]);
        assert!(
            found.says[1]
                .to_string()
                .contains(&format!("at least {missing} bytes larger"))
        );
        let error = load(&text.into_bytes()).expect_err("no lifetimes");
        assert_eq!(error.kind, Fault::Figures);
    }
    let planning = "Failed to allocate memory for memory planning, 4096 bytes required\n";
    assert_eq!(read(planning).figures.len(), 1);
    // Of two failures each is told, and the arena has to grow by the larger one at least; a line
    // that is there twice is one failure.
    let both = read(&format!("{new}{tail}{new}"));
    let figures: Vec<u64> = both.figures.iter().map(|it| it.bytes.0).collect();
    assert_eq!(figures, [67_840, 50_344, 17_496, 96, 80, 16]);
    assert_eq!(both.figures[3].what, "the tail");
    assert!(
        both.says[1]
            .to_string()
            .contains("at least 17496 bytes larger"),
        "{both:?}"
    );
    assert!(load(&format!("{new}{tail}").into_bytes()).is_err());
}

/// As the runner for Arm logs it: 752640 + 966 + 602116 = 1355722, of which the plan has the
/// first. A runner that names a peak of temporary memory has it beside.
#[test]
fn executorch_is_method_allocator_and_temporary_memory() {
    let log = "I [executorch:arm_executor_runner.cpp:484] method_allocator_used:     1355722 / \
               62914560  free: 61558838 ( used: 2 % )\nI [executorch:arm_executor_runner.cpp:491] \
               method_allocator_planned:  752640 bytes\nI method_allocator_loaded:   966 bytes\nI \
               method_allocator_input:    602116 bytes\nI method_allocator_executor: 0 bytes\nI \
               temp_allocator_used:       0 / 1048576 free: 1048576 ( used: 0 % )\n";
    let bytes = |text: &str, depth| -> Vec<u64> {
        let found = read(text);
        let figures = found.figures.iter().filter(|it| it.depth == depth);
        figures.map(|it| it.bytes.0).collect()
    };
    assert_eq!(bytes(log, 0), [1_355_722]);
    assert_eq!(bytes(log, 1), [1_355_722, 0]);
    assert_eq!(bytes(log, 2), [752_640, 966, 602_116, 0]);
    let peak = log.replace(
        "temp_allocator_used:       0",
        "peak_temp_allocator:       2048",
    );
    assert_eq!(bytes(&peak, 0), [1_357_770]);
    // Without it that is said.
    let (without, _) = log.split_once("I temp_allocator").expect("its line");
    assert!(read(without).says[1].to_string().contains("does not tell"));
    let failed = "E executorch:memory_allocator.h:87] Memory allocation failed: 48B requested \
                  (adjusted for alignment), 44B available\n";
    assert_eq!(bytes(failed, 0), [48, 44, 4]);
    for text in [log, failed] {
        let error = load(&text.as_bytes().to_vec()).expect_err("no lifetimes");
        assert_eq!(error.kind, Fault::Figures);
    }
}

/// Nothing is planned of figures, and the refusal has them and what to record, in both languages.
#[test]
fn a_refusal_says_all_of_it() {
    for (text, recorded) in [
        (OLD, "_dump_snapshot"),
        (NEW, "_dump_snapshot"),
        (TABLE, "_dump_snapshot"),
        (RECORDED, "--io tflm"),
    ] {
        let error = load(&text.as_bytes().to_vec()).expect_err("no lifetimes");
        assert_eq!(error.kind, Fault::Figures);
        assert!(error.message.to_string().contains(recorded), "{error}");
    }
    let cut = "CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0;";
    let error = load(&cut.as_bytes().to_vec()).expect_err("no figures");
    assert!(
        error.message.to_string().contains("without figures"),
        "{error}"
    );
}

// Up to 1.3 it said what is cached and not allocated; on XPU older messages say nothing of what is free, and
// 16 - 14 - 0.5 GiB are that or others'.
#[test]
fn messages_that_say_less_are_split_as_far_as_they_go() {
    let cached = read(
        "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 11.00 GiB total \
         capacity; 10.00 GiB already allocated; 145.00 MiB free; 76.00 MiB cached)",
    );
    assert_eq!(hundredths(&cached, "reserved by PyTorch but not"), 7600);
    assert_eq!(hundredths(&cached, "still free"), 14500);
    let xpu = read(
        "torch.OutOfMemoryError: XPU out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total \
         capacity of 16.00 GiB. Of the allocated memory 14.00 GiB is allocated by PyTorch, and \
         512.00 MiB is reserved by PyTorch but unallocated.",
    );
    assert_eq!(hundredths(&xpu, "free, or of"), 153_600);
    assert!(xpu.figures.iter().all(|it| it.what != "still free"));
}

#[test]
fn private_pools_are_said() {
    let pools =
        "is allocated by PyTorch, with 1.20 GiB allocated in private pools (e.g., CUDA Graphs)";
    let found = read(&NEW.replace("is allocated by PyTorch", pools));
    assert!(
        found.says[0]
            .to_string()
            .starts_with("1.20\u{a0}GiB of what is allocated"),
        "{:?}",
        found.says
    );
    assert_eq!(found.figures, read(NEW).figures);
}

/// What stands in a text, to the byte that rounding leaves open, and words of its refusal.
pub(super) type Told<'t> = (&'t str, Vec<u64>, &'t str);

pub(super) fn assert_told(texts: &[Told<'_>]) {
    for (text, figures, says) in texts {
        let found = read(text);
        let told: Vec<u64> = found.figures.iter().map(|it| it.bytes.0).collect();
        assert_eq!(told.len(), figures.len(), "{found:?}");
        let mut both = told.iter().zip(figures);
        assert!(
            both.all(|(one, other)| one.abs_diff(*other) <= 1),
            "{told:?} {figures:?}"
        );
        let error = load(&text.as_bytes().to_vec()).expect_err("no lifetimes");
        assert_eq!(error.kind, Fault::Figures, "{error}");
        assert!(error.message.to_string().contains(says), "{error}");
    }
}

/// Hundredths of a unit.
pub(super) fn hundredths_of(unit: u32, count: u64) -> u64 {
    (count << unit) / 100
}

/// Each by the words that PyTorch writes: what stands in it is told, and which dump to make.
#[test]
fn other_texts_of_pytorch_are_told() {
    let mib = |count| hundredths_of(20, count);
    let gib = |count| hundredths_of(30, count);
    assert_told(&[
        (
            "RuntimeError: CUDA error: out of memory\nCUDA kernel errors might be\n",
            vec![],
            "_dump_snapshot",
        ),
        (
            "RuntimeError: HIP error: out of memory\n",
            vec![],
            "_dump_snapshot",
        ),
        (
            "RuntimeError: MPS backend out of memory (MPS allocated: 6.04 GiB, other allocations: \
             1.04 GiB, max allowed: 7.50 GiB). Tried to allocate 459.07 MiB on private pool. Use \
             PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 to disable upper limit\n",
            // 7.50 - 6.04 - 1.04 = 0.42 GiB are free, 430.08 MiB.
            vec![
                mib(45_907),
                gib(750),
                gib(604),
                gib(104),
                gib(42),
                mib(45_907) - gib(42),
            ],
            "profile_memory=True",
        ),
        (
            "RuntimeError: [enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't \
             allocate memory: you tried to allocate 132426121216 bytes. Error code 12 (Cannot \
             allocate memory)\n",
            vec![132_426_121_216],
            "profile_memory=True",
        ),
    ]);
    // What AMD's build of PyTorch says has the figures of CUDA's.
    let hip = read(&NEW.replace("CUDA out", "HIP out"));
    let bytes = |it: &Figures| it.figures.iter().map(|it| it.bytes).collect::<Vec<_>>();
    assert_eq!(bytes(&hip), bytes(&read(NEW)));
    assert!(
        hip.figures
            .iter()
            .all(|it| !it.what.to_string().contains("CUDA"))
    );
}

/// The same of other runtimes.
#[test]
fn texts_of_other_runtimes_are_told() {
    let gib = |count| hundredths_of(30, count);
    let tensorflow = "2026-03-15 17:16:57.342102: I tensorflow/core/common_runtime/bfc_allocator.cc:1100] Stats: \n\
         Limit:                      4096000000\nInUse:                      4000000000\n\
         ResourceExhaustedError: OOM when allocating tensor with shape[3,3,512,1024] and type float \
         on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [Op:Mul]\n";
    // 3 x 3 x 512 x 1024 floats of four bytes.
    let floats = 3 * 3 * 512 * 1024 * 4;
    assert_told(&[
        (
            tensorflow,
            vec![floats, 4_096_000_000, 4_000_000_000, 96_000_000],
            "--xla_dump_to",
        ),
        (
            "Non-zero status code returned while running FusedConv node. Name:'Conv_3' Status \
             Message: bfc_arena.cc:376 onnxruntime::BFCArena::AllocateRawInternal Failed to allocate \
             memory for requested buffer of size 643840\n",
            vec![643_840],
            "FusedConv \"Conv_3\" ran",
        ),
        (
            "Available memory of 1000 is smaller than requested bytes of 4096\n",
            vec![4096, 1000, 3096],
            "arenascope plan model.onnx",
        ),
        (
            "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to \
             allocate 7406166528 bytes.\n",
            vec![7_406_166_528],
            "which buffers there are",
        ),
        (
            "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 16.00GiB.\nBufferAssignment OOM \
             Debugging.\nBufferAssignment stats:\n parameter allocation: 1.00MiB\n constant \
             allocation: 0B\n maybe_live_out allocation: 2.00MiB\n preallocated temp allocation: \
             16.00GiB\n total allocation: 19.00GiB\n",
            vec![gib(1600), gib(1900), 1 << 20, 0, 2 << 20, gib(1600)],
            "save_device_memory_profile",
        ),
        (
            "Ran out of memory in memory space hbm. Used 41.74G of 16.00G hbm. Exceeded hbm \
             capacity by 25.74G.\n",
            vec![gib(4174), gib(1600), gib(4174) - gib(1600)],
            "save_device_memory_profile",
        ),
    ]);
}

/// Quoted, escaped, coloured, or from a log, a text says the same.
#[test]
fn pasted_texts_are_read_as_they_were_written() {
    let lines = |of: &dyn Fn(&str) -> String| TABLE.lines().map(of).collect::<String>();
    let plain = read(TABLE);
    for pasted in [
        lines(&|line| format!("> {line}\n")),
        lines(&|line| format!(">> [rank0]: {line}\r\n")),
        lines(&|line| format!("2026-11-12T11:25:13.4961658Z {line}\n")),
        lines(&|line| format!("[2026-11-12 11:25:13,123] {line}\n")),
        lines(&|line| format!("(TrainWorker pid=17) \u{1b}[31m{line}\u{1b}[0m\n")),
        lines(&|line| format!("[1,12]<stderr>:{line}\n")),
        lines(&|line| format!("I0131 10:00:00.123456 7 train.cc:31] {line}\n")),
    ] {
        assert_eq!(read(&pasted), plain, "{pasted}");
    }
    let html = lines(&|line| format!("<pre>{line}<br/>\n"));
    assert_eq!(read(&html), plain, "{html}");
    let wrapped = OLD.replace("23.65 GiB", "23.65\n> GiB");
    assert_eq!(read(&format!("> {wrapped}")), read(OLD));
    assert_eq!(read(&OLD.replace(">>", "&gt;&gt;")), read(OLD));
}
