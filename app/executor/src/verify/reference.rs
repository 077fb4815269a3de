//! The outputs once more, from the CPU reference, and how far they are from the GPU's.

use super::Outputs;
use super::cpu_player::CpuPlayer;
use super::report::{Phase, Reference};
use super::reporter::Reporter;
use crate::elements;
use crate::recording::Recording;
use crate::supply::{Supply, SupplyError};

/// What the CPU reference computes, and whether it meets NaN or an infinity.
pub(super) async fn outputs(
    recording: &Recording,
    supply: &Supply<'_>,
    reporter: &mut Reporter<'_>,
) -> Result<(Outputs, bool), SupplyError> {
    let mut player = CpuPlayer::new(recording, supply)?;
    player.feed(0, supply)?;
    reporter
        .begin(Phase::Reference, recording.steps.len())
        .await;
    let mut odd = false;
    for (step, recorded) in recording.steps.iter().enumerate() {
        let read = recorded.dispatches.iter().flat_map(|it| &it.inputs);
        odd = odd || player.any_odd(read);
        player.step(step);
        let written = recorded.dispatches.iter().flat_map(|it| &it.outputs);
        odd = odd || player.any_odd(written);
        reporter.add(1).await;
    }
    Ok((player.outputs(), odd))
}

/// The largest differences of all outputs.
pub(super) fn deviation(recording: &Recording, gpu: &Outputs, expected: &Outputs) -> Reference {
    let mut all = Reference::default();
    for (output, (gpu, expected)) in recording.outputs.iter().zip(gpu.iter().zip(expected)) {
        // Infinities and NaN fit what is the same alone: there is no distance between them.
        let is_odd = |a: f32, b: f32| !(a.is_finite() && b.is_finite());
        let same = |a: f32, b: f32| a.is_nan() && b.is_nan() || a.total_cmp(&b).is_eq();
        let (mut abs, mut unlike) = (0.0_f32, 0);
        if !elements::is_float(output.dtype) {
            let pairs = elements::bits(output, gpu).into_iter();
            let pairs = pairs.zip(elements::bits(output, expected));
            all.whole += pairs.filter(|(a, b)| a != b).count() as u64;
        }
        let gpu = elements::floats(output, gpu);
        let expected = elements::floats(output, expected);
        for (&a, &b) in gpu.iter().zip(&expected) {
            match is_odd(a, b) {
                true => unlike += u64::from(!same(a, b)),
                false => abs = abs.max((a - b).abs()),
            }
        }
        all.unlike += unlike;
        let finite = expected.iter().filter(|value| value.is_finite());
        let size = finite.fold(0.0, |size: f32, value| size.max(value.abs()));
        let rel = if size > 0.0 { abs / size } else { abs };
        all.max_abs = all.max_abs.max(abs);
        all.max_rel = all.max_rel.max(rel);
    }
    all
}
