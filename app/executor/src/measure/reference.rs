//! The outputs once more, from the CPU twins, and how far they are from the GPU's.

use super::Outputs;
use super::report::{Phase, Reference};
use super::reporter::Reporter;
use super::twins::Twins;
use crate::elements;
use crate::recording::Recording;
use crate::supply::{Supply, SupplyError};

/// What the CPU twins compute, and whether they meet NaN or an infinity.
pub(super) async fn outputs(
    recording: &Recording,
    supply: &Supply<'_>,
    reporter: &mut Reporter<'_>,
) -> Result<(Outputs, bool), SupplyError> {
    let mut twins = Twins::new(recording, supply)?;
    twins.feed(0, supply)?;
    reporter
        .begin(Phase::Reference, recording.steps.len())
        .await;
    let mut odd = false;
    for (step, recorded) in recording.steps.iter().enumerate() {
        let read = recorded.dispatches.iter().flat_map(|it| &it.inputs);
        odd = odd || twins.any_odd(read);
        twins.step(step);
        let written = recorded.dispatches.iter().flat_map(|it| &it.outputs);
        odd = odd || twins.any_odd(written);
        reporter.add(1).await;
    }
    Ok((twins.outputs(), odd))
}

/// The largest differences of all outputs.
pub(super) fn deviation(recording: &Recording, gpu: &Outputs, twins: &Outputs) -> Reference {
    let mut all = Reference::default();
    for (output, (gpu, twin)) in recording.outputs.iter().zip(gpu.iter().zip(twins)) {
        // Infinities and NaN fit what is the same alone: there is no distance between them.
        let is_odd = |a: f32, b: f32| !(a.is_finite() && b.is_finite());
        let same = |a: f32, b: f32| a.is_nan() && b.is_nan() || a.total_cmp(&b).is_eq();
        let (mut abs, mut unlike) = (0.0_f32, 0);
        if !elements::is_float(output.dtype) {
            let pairs = elements::bits(output, gpu).into_iter();
            let pairs = pairs.zip(elements::bits(output, twin));
            all.whole += pairs.filter(|(a, b)| a != b).count() as u64;
        }
        let gpu = elements::floats(output, gpu);
        let twin = elements::floats(output, twin);
        for (&a, &b) in gpu.iter().zip(&twin) {
            match is_odd(a, b) {
                true => unlike += u64::from(!same(a, b)),
                false => abs = abs.max((a - b).abs()),
            }
        }
        all.unlike += unlike;
        let finite = twin.iter().filter(|value| value.is_finite());
        let size = finite.fold(0.0, |size: f32, value| size.max(value.abs()));
        let rel = if size > 0.0 { abs / size } else { abs };
        all.max_abs = all.max_abs.max(abs);
        all.max_rel = all.max_rel.max(rel);
    }
    all
}
