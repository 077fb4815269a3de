//! Writes the built-in samples and their index to `public/samples`.

use std::path::Path;
use std::{fs, io};

use tests::samples::{index, samples};

fn main() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../public/samples");
    fs::create_dir_all(&folder)?;
    for sample in samples() {
        fs::write(folder.join(sample.file), sample.bytes)?;
    }
    fs::write(folder.join("index.json"), index())
}
