//! What a snapshot says of its own settings, in a pickle written by hand.

use super::read;

/// A text as protocol 2 has it.
fn text(text: &str) -> Vec<u8> {
    let length = u32::try_from(text.len()).expect("a short text");
    [b"X".as_slice(), &length.to_le_bytes(), text.as_bytes()].concat()
}

fn int(number: i32) -> Vec<u8> {
    [b"J".as_slice(), &number.to_le_bytes()].concat()
}

fn dict(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let entries = entries.iter();
    let entries: Vec<u8> = entries
        .flat_map(|(key, value)| [text(key), value.clone()].concat())
        .collect();
    [b"}(".as_slice(), &entries, b"u"].concat()
}

/// A snapshot of one block of 512 B, with these settings.
fn snapshot(settings: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let block = dict(&[
        ("size", int(512)),
        ("requested_size", int(500)),
        ("state", text("active_allocated")),
    ]);
    let segment = dict(&[
        ("device", int(0)),
        ("address", int(1 << 21)),
        ("total_size", int(512)),
        ("stream", int(0)),
        ("segment_type", text("small")),
        ("blocks", [b"](".as_slice(), &block, b"e"].concat()),
    ]);
    let whole = dict(&[
        ("segments", [b"](".as_slice(), &segment, b"e"].concat()),
        ("allocator_settings", dict(settings)),
    ]);
    [b"\x80\x02".as_slice(), &whole, b"."].concat()
}

fn said(settings: &[(&str, Vec<u8>)]) -> Vec<String> {
    let (_, warnings) = read(&snapshot(settings));
    let own = warnings.into_iter();
    own.filter(|it| it.place == "allocator_settings")
        .map(|it| it.message)
        .collect()
}

/// A ring of 1000 entries that ran over lost what came before them.
#[test]
fn lost_events_name_the_option_that_keeps_them() {
    let truth = |it: bool| vec![if it { 0x88 } else { 0x89 }];
    let most = ("trace_alloc_max_entries", int(1000));
    let over = said(&[("trace_alloc_overflowed", truth(true)), most.clone()]);
    assert_eq!(over.len(), 1);
    assert!(
        over[0].contains("1000") && over[0].contains("max_entries="),
        "{over:?}"
    );
    assert_eq!(said(&[("trace_alloc_overflowed", truth(true))]).len(), 1);
    let not: [String; 0] = [];
    assert_eq!(said(&[("trace_alloc_overflowed", truth(false)), most]), not);
}

/// Torch packs large blocks in segments of 20 MiB unless it is told otherwise.
#[test]
fn settings_that_are_not_modelled_are_named() {
    let of = |size| said(&[("large_segment_size", int(size))]);
    assert_eq!(
        of(64 << 20),
        ["set, and not modelled: large_segment_size=67108864"]
    );
    assert!(of(20 << 20).is_empty());
}
