//! What programs print of memory themselves: `memory_analysis()` of a compiled function in JAX
//! (`CompiledMemoryStats` of XLA), `torch.cuda.memory_stats()` (`torch/cuda/memory.py`).

use super::runtimes::{XLA_DUMP, behind, typed};
use super::{Figure, Figures, torch};
use crate::message;

/// What is in such texts.
pub(super) const WORDS: [&[u8]; 2] = [b"argument_size_in_bytes=", b"allocated_bytes.all.current"];

/// The whole number behind `words` and what separates both.
fn number(text: &str, words: &str) -> Option<u64> {
    let rest = behind(text, words)?.trim_start_matches(['\'', '"', ':', '=', ' ', '\t']);
    let end = rest.find(|sign: char| !sign.is_ascii_digit());
    rest.get(..end.unwrap_or(rest.len()))?.parse().ok()
}

/// Reads what XLA says of a compiled program. Results that alias arguments take nothing of their
/// own; what the host has, such as offloaded activations, counts apart.
pub(super) fn compiled(text: &str) -> Option<Figures> {
    // The same words stand behind `host_`.
    let device = behind(text, "CompiledMemoryStats(")?;
    let device = device.split("host_").next()?;
    let of = |words: &str| number(device, words);
    let (arguments, results) = (of("argument_size_in_bytes=")?, of("output_size_in_bytes=")?);
    let (temporary, shared) = (of("temp_size_in_bytes=")?, of("alias_size_in_bytes=")?);
    let code = of("generated_code_size_in_bytes=")?;
    let parts = [arguments, results.checked_sub(shared)?, temporary, code];
    let sum = parts
        .iter()
        .try_fold(0_u64, |sum, part| sum.checked_add(*part))?;
    let [arguments, results, temporary, code] = parts;
    Some(Figures {
        of: message!("XLA's figures of a compiled program"),
        figures: vec![
            Figure::whole(message!("all of the program"), sum),
            Figure::part(message!("arguments"), arguments),
            Figure::part(message!("results that lie in no argument"), results),
            Figure::part(message!("temporary memory"), temporary),
            Figure::part(message!("code"), code),
        ],
        says: vec![message!("it does not say which buffers there are")],
        record: typed([XLA_DUMP]),
    })
}

/// Reads what PyTorch's allocator counts.
pub(super) fn counted(text: &str) -> Option<Figures> {
    let of = |words: &str| number(text, words);
    let allocated = of("allocated_bytes.all.current")?;
    let reserved = of("reserved_bytes.all.current")?;
    let kept = reserved.checked_sub(allocated)?;
    let mut figures = vec![
        Figure::whole(message!("reserved by PyTorch"), reserved),
        Figure::part(message!("allocated by PyTorch"), allocated),
        Figure::part(message!("reserved by PyTorch but not allocated"), kept),
    ];
    let peaks = [
        (
            message!("reserved by PyTorch at most"),
            "reserved_bytes.all.peak",
        ),
        (
            message!("allocated by PyTorch at most"),
            "allocated_bytes.all.peak",
        ),
    ];
    let peaks = peaks.into_iter();
    figures.extend(peaks.filter_map(|(what, key)| Some(Figure::whole(what, of(key)?))));
    Some(Figures {
        of: message!("the counts of PyTorch's allocator"),
        figures,
        says: vec![message!("it does not say what lives when")],
        record: torch::record(),
    })
}
