//! Texts with figures and no lifetimes.

use planner::load::{Fault, Figures, Part, figures};
use tests::chinese::load;

/// As PyTorch printed it up to 2.0.
const OLD: &str = "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.22 GiB \
     (GPU 0; 23.65 GiB total capacity; 11.16 GiB already allocated; 1.91 GiB free; 20.50 GiB \
     reserved in total by PyTorch) If reserved memory is >> allocated memory try setting \
     max_split_size_mb to avoid fragmentation.\n";

/// As it prints it since.
const NEW: &str = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB. GPU 0 \
     has a total capacity of 15.75 GiB of which 100.00 MiB is free. Including non-PyTorch memory, \
     this process has 15.50 GiB memory in use. Of the allocated memory 14.00 GiB is allocated by \
     PyTorch, and 300.00 MiB is reserved by PyTorch but unallocated.\n";

const TABLE: &str = "\
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

fn read(text: &str) -> Figures {
    let bytes = text.as_bytes().to_vec();
    let part = Part {
        name: "text",
        source: &bytes,
    };
    figures(&[part]).expect("a text").expect("figures")
}

/// What a figure is in hundredths of a MiB, as far as a message is exact.
fn hundredths(found: &Figures, what: &str) -> u64 {
    let figure = found.figures.iter().find(|it| it.what.starts_with(what));
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
        found.says[0].contains("11.25\u{a0}GiB are free or kept"),
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
        found.says[0].contains("112.00\u{a0}MiB too little"),
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
    assert!(
        found.says[0].contains("reserved now: 5.15\u{a0}GiB"),
        "{found:?}"
    );
}

/// Nothing is planned of figures, and the refusal has them and what to record, in both languages.
#[test]
fn a_refusal_says_all_of_it() {
    for text in [OLD, NEW, TABLE] {
        let error = load(&text.as_bytes().to_vec()).expect_err("no lifetimes");
        assert_eq!(error.kind, Fault::Figures);
        assert!(error.message.contains("_dump_snapshot"), "{error}");
    }
    let cut = "CUDA out of memory. Tried to allocate 99999999999999999999 GiB (GPU 0;";
    let error = load(&cut.as_bytes().to_vec()).expect_err("no figures");
    assert!(error.message.contains("without figures"), "{error}");
}
