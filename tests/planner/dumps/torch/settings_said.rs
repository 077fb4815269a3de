//! What a snapshot says of its own settings, in a pickle written by hand.

use planner::AllocatorSettings;

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
        .map(|it| it.message.to_string())
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

fn conf(said: &str) -> (AllocatorSettings, Vec<String>) {
    AllocatorSettings::said(said).expect("PyTorch takes it")
}

/// The lists are those of PyTorch's notes on CUDA and of the comment in `AllocatorConfig.h`: parts
/// from 256 MiB down, for 512 MiB, for 1 GiB, and for all above; class 8 is 256 MiB.
#[test]
fn the_text_of_the_settings_is_read_as_pytorch_does() {
    let (settings, others) = conf("roundup_power2_divisions:[256:1,512:2,1024:4,>:8]");
    let [below @ .., _, _, _, _, _, _, _] = settings.divisions;
    assert_eq!((below, others), ([1; 9], vec![]));
    assert_eq!(settings.divisions[9..], [2, 4, 8, 8, 8, 8, 8]);
    assert_eq!(conf("roundup_power2_divisions:4").0.divisions, [4; 16]);
    let (settings, others) = conf(
        "PYTORCH_ALLOC_CONF=max_split_size_mb:100, garbage_collection_threshold:0.5, \
         expandable_segments:true, pinned_use_background_threads:true",
    );
    assert_eq!(settings.max_split, 100 << 20);
    assert_eq!(
        (settings.expandable, settings.collect_above),
        (true, 500_000)
    );
    assert_eq!(others, ["pinned_use_background_threads:true"]);
    assert_eq!(conf(""), (AllocatorSettings::DEFAULT, vec![]));
    // What is shown is what would be said.
    let shown = settings.to_string();
    assert_eq!(conf(&shown), (settings, vec![]));
    for wrong in [
        "max_split_size_mb:20",
        "expandable_segments:yes",
        "garbage_collection_threshold:1",
        "roundup_power2_divisions:[256:3]",
        "roundup_power2_divisions:[3:4]",
        "expandable_segments",
    ] {
        let fault = AllocatorSettings::said(wrong).expect_err("PyTorch refuses it");
        assert_eq!(fault.pair, wrong);
    }
}

/// Snapshots of other devices have no field for each setting; where there is one, it counts.
#[test]
fn the_text_says_what_no_field_does() {
    let settings = |said: &[(&str, Vec<u8>)]| {
        let (found, warnings) = read(&snapshot(said));
        let plan = &found.arenas[0].plan;
        let segments = plan.segments.as_ref().expect("one segment");
        (segments.settings, warnings)
    };
    let said = |key| {
        (
            key,
            text("expandable_segments:True,max_split_size_mb:64,backend:native"),
        )
    };
    for key in ["PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"] {
        let (found, warnings) = settings(&[said(key)]);
        assert_eq!((found.expandable, found.max_split), (true, 64 << 20));
        let message = "set, and not modelled: backend:native";
        assert!(
            warnings.iter().any(|it| it.message == message),
            "{warnings:?}"
        );
    }
    let fields = [
        said("PYTORCH_ALLOC_CONF"),
        ("expandable_segments", vec![0x89]),
    ];
    assert!(!settings(&fields).0.expandable);
    let wrong = [("PYTORCH_ALLOC_CONF", text("max_split_size_mb:1"))];
    let (_, warnings) = settings(&wrong);
    let named =
        |it: &planner::load::Warning| it.message.to_string().contains("max_split_size_mb:1");
    assert!(warnings.iter().any(named), "{warnings:?}");
}
