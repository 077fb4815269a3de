//! `arenascope plan --save-tflite`: a plan goes home into its model.

use std::fs;
use std::io::Write;
use std::path::Path;

use planner::tflm_offline_plan::written;
use planner::{Plan, message};

use super::amount::in_bytes;
use super::file::PIPED;
use super::{Failure, Opened};

/// Writes the model in `file` to `out`, with `plan` in it, and says what it promises.
pub(super) fn tflite(file: &Path, out: &Path, opened: &Opened, plan: &Plan) -> Result<(), Failure> {
    let failed = |path: &Path, error: &dyn std::fmt::Display| {
        Failure::Input(format!("{}: {error}", path.display()))
    };
    if file == Path::new(PIPED) {
        let message = "--save-tflite writes into a model: give it as a file";
        return Err(Failure::Usage(message.into()));
    }
    // Read whole, so that a file can be written over itself.
    let original = fs::read(file).map_err(|error| failed(file, &error))?;
    let written = written(&original, &opened.subject.lifetimes, plan);
    let written = written.map_err(|error| failed(file, &error))?;
    let rest = usize::try_from(written.file.rest).unwrap_or(usize::MAX);
    let rest = original.get(rest..).unwrap_or_default();
    let whole = [written.file.head.as_slice(), rest].concat();
    fs::write(out, whole).map_err(|error| failed(out, &error))?;
    let tensors = message!("tensor" | "tensors", written.tensors);
    let arena = in_bytes(written.arena.0);
    let _ = writeln!(
        std::io::stderr().lock(),
        "wrote {}: {tensors} in {arena}, with the working memory of TFLite Micro's own \
         kernels; TFLite Micro adds what it keeps for good",
        out.display()
    );
    Ok(())
}
