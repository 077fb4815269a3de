//! What makes a page quick to come: one folder with a name that no other content has, so that
//! browsers may keep what is in it, and beside each file the same by Brotli.
//!
//! Only `index.html` and `public/` keep their names. Whatever serves the folder as it is gives the
//! plain files; many servers send `name.br` for `name` where they are told to.

use std::fs;
use std::hash::{DefaultHasher, Hasher as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use anyhow::{Context as _, Result};
use brotli::CompressorWriter;
use brotli::enc::BrotliEncoderParams;

/// What the name of the folder begins with.
pub(crate) const BUILT: &str = "built-";

/// What the name of a file by Brotli ends with.
const SUFFIX: &str = ".br";

/// Bytes that Brotli looks back, as a power of two: as many as browsers accept.
const WINDOW: i32 = 22;

/// The best there is takes twenty times the time of `QUICK` and leaves a tenth less: for what the
/// first picture needs.
const BEST: i32 = 11;
const QUICK: i32 = 9;
/// For who looks at what was just built: a second for the whole page.
const HASTY: i32 = 5;

/// What is smaller already, or too small to gain anything.
const PACKED: [&str; 2] = ["png", "br"];
const LEAST: usize = 512;

/// The name that the contents of `folder` have: another one for whatever differs.
///
/// # Errors
/// What the file system refuses.
pub(crate) fn name(folder: &Path) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    for path in files(folder)? {
        let named = path.strip_prefix(folder)?.to_string_lossy();
        hasher.write(named.as_bytes());
        hasher.write_u8(0);
        hasher.write(&fs::read(&path)?);
    }
    Ok(format!("{BUILT}{:016x}", hasher.finish()))
}

/// What tells two contents of one name apart.
pub(crate) fn tag(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    format!("\"{:016x}\"", hasher.finish())
}

/// Lays beside every file of `folder` that becomes smaller what Brotli makes of it, as small as it
/// pays in a build by cargo's `profile`.
///
/// # Errors
/// What the file system refuses.
pub(crate) fn pack(folder: &Path, profile: &str) -> Result<()> {
    let waiting = Mutex::new(files(folder)?);
    let next = || waiting.lock().ok()?.pop();
    let work = || -> Result<()> {
        while let Some(path) = next() {
            let quality = match profile {
                "site" if is_first(&path) => BEST,
                "site" => QUICK,
                _ => HASTY,
            };
            beside(&path, quality).with_context(|| format!("packing {}", path.display()))?;
        }
        Ok(())
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let working: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let mut done = working.into_iter().map(|thread| thread.join());
        done.try_for_each(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

fn beside(path: &Path, quality: i32) -> Result<()> {
    let extension = path.extension().and_then(|it| it.to_str());
    if extension.is_some_and(|it| PACKED.contains(&it)) {
        return Ok(());
    }
    let bytes = fs::read(path)?;
    let packed = brotli(&bytes, quality)?;
    if bytes.len() >= LEAST && packed.len() < bytes.len() {
        fs::write(packed_path(path), packed)?;
    }
    Ok(())
}

/// Where the same file lies by Brotli.
pub(crate) fn packed_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(SUFFIX);
    name.into()
}

/// Whether the first picture needs a file of the page: what no part brings with it.
fn is_first(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| {
        let later = ["runner", "_split_", "_chunk"];
        !later.iter().any(|part| name.contains(part))
    })
}

fn brotli(bytes: &[u8], quality: i32) -> Result<Vec<u8>> {
    let params = BrotliEncoderParams {
        quality,
        lgwin: WINDOW,
        size_hint: bytes.len(),
        ..BrotliEncoderParams::default()
    };
    let mut writer = CompressorWriter::with_params(Vec::new(), 1 << 16, &params);
    writer.write_all(bytes)?;
    Ok(writer.into_inner())
}

/// Every file in `folder` and below it, in the order of their names.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => found.extend(files(&entry.path())?),
            false => found.push(entry.path()),
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("site-{name}-{}", std::process::id()));
        fs::create_dir_all(folder.join("below")).unwrap();
        folder
    }

    #[test]
    fn equal_contents_have_equal_names_and_no_others() {
        let one = folder("name");
        fs::write(one.join("a.js"), "a").unwrap();
        fs::write(one.join("below/b.js"), "b").unwrap();
        let first = name(&one).unwrap();
        assert_eq!(name(&one).unwrap(), first);
        fs::write(one.join("below/b.js"), "c").unwrap();
        let changed = name(&one).unwrap();
        fs::rename(one.join("a.js"), one.join("z.js")).unwrap();
        let renamed = name(&one).unwrap();
        fs::remove_dir_all(&one).unwrap();
        assert!(first.starts_with(BUILT) && first != changed && changed != renamed);
    }

    #[test]
    fn what_becomes_smaller_lies_beside_and_says_the_same() {
        let one = folder("pack");
        let text = "every byte of it is said again. ".repeat(99);
        fs::write(one.join("long.js"), &text).unwrap();
        fs::write(one.join("short.js"), "short").unwrap();
        fs::write(one.join("below/picture.png"), &text).unwrap();
        for profile in ["page", "site"] {
            pack(&one, profile).unwrap();
            let packed = fs::read(one.join("long.js.br")).unwrap();
            assert!(packed.len() < text.len() / 10);
            let mut plain = Vec::new();
            brotli::BrotliDecompress(&mut packed.as_slice(), &mut plain).unwrap();
            assert_eq!(plain, text.as_bytes());
        }
        let made = files(&one).unwrap();
        fs::remove_dir_all(&one).unwrap();
        let count = made.iter().filter(|path| path.ends_with(SUFFIX)).count();
        assert_eq!((made.len(), count), (4, 0), "{made:?}");
    }

    #[test]
    fn the_first_picture_needs_no_part() {
        for name in ["app_bg.wasm", "app_parts.js", "worker.js", "index.html"] {
            assert!(is_first(Path::new(name)), "{name}");
        }
        for name in ["app_split_run.wasm", "runner_bg.wasm", "app_chunks.bin"] {
            assert!(!is_first(Path::new(name)), "{name}");
        }
    }
}
