//! The outputs once more, from the CPU twins, and how far they are from the GPU's.

use super::Outputs;
use super::report::{Phase, Reference};
use super::reporter::Reporter;
use super::twins::Twins;
use crate::elements;
use crate::recording::Recording;
use crate::supply::{Supply, SupplyError};

/// What the CPU twins compute.
pub(super) async fn outputs(
    recording: &Recording,
    supply: &Supply<'_>,
    reporter: &mut Reporter<'_>,
) -> Result<Outputs, SupplyError> {
    let mut twins = Twins::new(recording, supply)?;
    twins.feed(0, supply)?;
    reporter
        .begin(Phase::Reference, recording.steps.len())
        .await;
    for step in 0..recording.steps.len() {
        twins.step(step);
        reporter.add(1).await;
    }
    Ok(twins.outputs())
}

/// The largest differences of all outputs.
pub(super) fn deviation(recording: &Recording, gpu: &Outputs, twins: &Outputs) -> Reference {
    let mut all = Reference::default();
    for (output, (gpu, twin)) in recording.outputs.iter().zip(gpu.iter().zip(twins)) {
        let gpu = elements::floats(output, gpu);
        let twin = elements::floats(output, twin);
        let difference = |(a, b): (&f32, &f32)| {
            if a.is_finite() && b.is_finite() {
                (a - b).abs()
            } else {
                0.0
            }
        };
        let pairs = gpu.iter().zip(&twin);
        let odd = pairs.filter(|(a, b)| !(a.is_finite() && b.is_finite()));
        all.not_finite += odd.count() as u64;
        let abs = gpu.iter().zip(&twin).map(difference).fold(0.0, f32::max);
        let finite = twin.iter().filter(|value| value.is_finite());
        let size = finite.fold(0.0, |size: f32, value| size.max(value.abs()));
        let rel = if size > 0.0 { abs / size } else { abs };
        all.max_abs = all.max_abs.max(abs);
        all.max_rel = all.max_rel.max(rel);
    }
    all
}
