//! Takes the lazy parts out of a binary: what only they need becomes files of their own, which a
//! script fetches when the program asks for them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use wasm_split_cli_support::{Options, transform};

/// Bytes before the first section of a WebAssembly file.
const HEADER: usize = 8;

/// Sections: what is custom, data, and how many segments of data there are, which only code must
/// know that names one.
const CUSTOM: u8 = 0;
const DATA: u8 = 11;
const DATA_COUNT: u8 = 12;

/// A constant number, and the end of what says it.
const CONSTANT: u8 = 0x41;
const END: u8 = 0x0b;

/// Another segment takes about as many bytes.
const GAP: usize = 8;

/// Writes the parts of the binary `name` and the script that fetches them, all beginning with its
/// name; answers with where the rest is, which is to be bound.
///
/// # Errors
/// What the splitter or the file system refuses.
pub(crate) fn split(input: &Path, name: &str, out: &Path) -> Result<PathBuf> {
    let wasm = fs::read(input).with_context(|| format!("reading {}", input.display()))?;
    let folder = out.join(format!("{name}.parts"));
    let main = out.join(format!("{name}.wasm"));
    let script = format!("./{name}.js");
    let link = format!("./{name}_parts.js");
    let mut options = Options::new(&wasm);
    options.output_dir = &folder;
    options.main_out_path = &main;
    options.main_module = &script;
    options.link_name = &link;
    let made = transform(options).map_err(|error| anyhow!("splitting {name}.wasm: {error:#}"))?;
    let mut fetching = fs::read_to_string(folder.join(&link))?;
    let mut parts = Vec::new();
    for part in made.split_modules {
        let file = part.file_name().and_then(|it| it.to_str());
        let file = file.with_context(|| format!("{} has no name", part.display()))?;
        parts.push((file.to_owned(), tidy(&fs::read(&part)?, false)?));
    }
    let is_shared = |(file, _): &(String, Vec<u8>)| file.starts_with("chunk_");
    if parts.iter().filter(|part| is_shared(part)).count() > 1 {
        let (shared, own) = parts.into_iter().partition(is_shared);
        parts = own;
        let (script, bytes) = together(&fetching, &shared, name)?;
        fetching = script;
        fs::write(out.join(format!("{name}_chunks.bin")), bytes)?;
    }
    for (file, bytes) in parts {
        // Parts of different binaries have equal names.
        let own = format!("{name}_{file}");
        fetching = fetching.replace(&format!("\"./{file}\""), &format!("\"./{own}\""));
        fs::write(out.join(own), bytes)?;
    }
    fs::write(out.join(&link), fetching)?;
    fs::remove_dir_all(folder)?;
    Ok(main)
}

/// Puts what several parts need, which the splitter makes a file for each set of parts that need
/// it, into one file: it is less to fetch, and fetched at once. Answers with the script that
/// fetches that one, and its bytes.
///
/// # Errors
/// A script that does not fetch one of them as the splitter writes it.
fn together(script: &str, shared: &[(String, Vec<u8>)], name: &str) -> Result<(String, Vec<u8>)> {
    let mut script = script.to_owned();
    let mut bytes = Vec::new();
    for (file, wasm) in shared {
        let (start, end) = (bytes.len(), bytes.len() + wasm.len());
        bytes.extend_from_slice(wasm);
        let fetched = format!("fetch(new URL(\"./{file}\", import.meta.url));");
        let (before, after) = script
            .split_once(&fetched)
            .with_context(|| format!("the script does not fetch {file}"))?;
        let after = after.replacen(
            "WebAssembly.instantiateStreaming(src, imports)",
            "WebAssembly.instantiate(await src, imports)",
            1,
        );
        script = format!("{before}chunk({start}, {end});{after}");
    }
    let fetch = CHUNK.replace("NAME", name);
    Ok((script + &fetch, bytes))
}

/// Fetches the file of all of them once, and again where that failed.
const CHUNK: &str = r#"
let chunks = undefined;
async function chunk(start, end) {
    chunks ??= fetch(new URL("./NAME_chunks.bin", import.meta.url)).then((response) => {
        if (!response.ok) throw new Error(`NAME_chunks.bin: ${response.status}`);
        return response.arrayBuffer();
    });
    const coming = chunks;
    try {
        return new Uint8Array(await coming, start, end - start);
    } catch (error) {
        if (chunks === coming) chunks = undefined;
        throw error;
    }
}
"#;

/// A WebAssembly file as short as it can be said: without custom sections, which are names of
/// functions and the like, and without the segments of data that the splitter left empty; those
/// that touch are one. No code of ours names a segment, so their numbers may change. Where
/// `alone`, nothing else is in the memory yet, and small gaps between segments are filled.
///
/// # Errors
/// A file that is cut off, or has other data than the splitter writes.
pub(crate) fn tidy(wasm: &[u8], alone: bool) -> Result<Vec<u8>> {
    let (header, mut rest) = wasm.split_at_checked(HEADER).context("no WebAssembly")?;
    let mut tidy = header.to_vec();
    while let Some((&id, after)) = rest.split_first() {
        let (len, after) = length(after)?;
        let (section, next) = after
            .split_at_checked(len)
            .context("a section is cut off")?;
        match id {
            CUSTOM | DATA_COUNT => {}
            DATA => {
                let section = data(section, alone).context("its data")?;
                put(&mut tidy, DATA, &section);
            }
            _ => put(&mut tidy, id, section),
        }
        rest = next;
    }
    Ok(tidy)
}

/// The section of data, with as few segments as it takes.
fn data(section: &[u8], alone: bool) -> Result<Vec<u8>> {
    let gap = if alone { GAP } else { 0 };
    let mut segments: Vec<(usize, Vec<u8>)> = Vec::new();
    let (count, mut rest) = length(section)?;
    for _ in 0..count {
        // Active, in the first memory, at a constant.
        let at = rest
            .strip_prefix(&[0, CONSTANT])
            .context("a segment of another kind")?;
        let (start, after) = signed(at)?;
        let (len, after) = length(after.strip_prefix(&[END]).context("a segment elsewhere")?)?;
        let (bytes, next) = after
            .split_at_checked(len)
            .context("a segment is cut off")?;
        rest = next;
        if bytes.is_empty() {
            continue;
        }
        match segments.last_mut() {
            Some((from, before))
                if start >= *from + before.len() && start - *from - before.len() <= gap =>
            {
                before.resize(start - *from, 0);
                before.extend_from_slice(bytes);
            }
            _ => segments.push((start, bytes.to_vec())),
        }
    }
    let mut section = Vec::new();
    put_length(&mut section, segments.len());
    for (start, bytes) in segments {
        section.extend_from_slice(&[0, CONSTANT]);
        put_signed(&mut section, start);
        section.push(END);
        put_length(&mut section, bytes.len());
        section.extend_from_slice(&bytes);
    }
    Ok(section)
}

fn put(out: &mut Vec<u8>, id: u8, section: &[u8]) {
    out.push(id);
    put_length(out, section.len());
    out.extend_from_slice(section);
}

/// A length in as few bytes as it takes, seven bits each.
fn put_length(out: &mut Vec<u8>, mut length: usize) {
    while length > 0x7f {
        out.push(low(length) | 0x80);
        length >>= 7;
    }
    out.push(low(length));
}

/// The same of a number whose highest bit is its sign.
fn put_signed(out: &mut Vec<u8>, mut number: usize) {
    while number > 0x3f {
        out.push(low(number) | 0x80);
        number >>= 7;
    }
    out.push(low(number));
}

/// The lowest seven bits.
fn low(number: usize) -> u8 {
    u8::try_from(number & 0x7f).unwrap_or_default()
}

/// An address, and what comes after it.
fn signed(bytes: &[u8]) -> Result<(usize, &[u8])> {
    let (number, rest) = length(bytes)?;
    let last = bytes.get(bytes.len() - rest.len() - 1).copied();
    // Half of the memory lies beyond what a positive number says; nothing of ours does.
    ensure!(
        last.is_some_and(|last| last & 0x40 == 0),
        "an address beyond two gigabytes"
    );
    Ok((number, rest))
}

/// A length, and what comes after it.
fn length(bytes: &[u8]) -> Result<(usize, &[u8])> {
    let mut length = 0;
    for (index, byte) in bytes.iter().take(5).enumerate() {
        length |= usize::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Ok((length, &bytes[index + 1..]));
        }
    }
    bail!("a length has no end")
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: [u8; 8] = *b"\0asm\x01\0\0\0";

    fn file(sections: &[&[u8]]) -> Vec<u8> {
        [EMPTY.as_slice(), &sections.concat()].concat()
    }

    #[test]
    fn custom_sections_are_left_out() {
        let long = [[0, 0x81, 0x01].as_slice(), &[7; 129]].concat();
        let wasm = file(&[&[1, 1, 0], &long, &[3, 2, 1, 0]]);
        let left = file(&[&[1, 1, 0], &[3, 2, 1, 0]]);
        assert_eq!(tidy(&wasm, false).unwrap(), left);
    }

    /// Bytes 64 to 66 in two segments, an empty one, then 70: only where nothing else is in the
    /// memory the three bytes between may be written.
    #[test]
    fn segments_that_touch_are_one() {
        let segment = |at: u8, bytes: &[u8]| {
            let len = u8::try_from(bytes.len()).unwrap();
            [&[0, CONSTANT, at | 0x80, 0, END, len], bytes].concat()
        };
        let segments = [
            segment(64, &[1, 2]),
            segment(66, &[3]),
            segment(10, &[]),
            segment(70, &[4]),
        ];
        let segments = segments.concat();
        let len = u8::try_from(segments.len() + 1).unwrap();
        let wasm = file(&[&[DATA_COUNT, 1, 4], &[DATA, len, 4], &segments]);
        let both = [segment(64, &[1, 2, 3]), segment(70, &[4])].concat();
        assert_eq!(tidy(&wasm, false).unwrap(), file(&[&[DATA, 17, 2], &both]));
        let one = segment(64, &[1, 2, 3, 0, 0, 0, 4]);
        assert_eq!(tidy(&wasm, true).unwrap(), file(&[&[DATA, 14, 1], &one]));
    }

    #[test]
    fn what_several_parts_need_is_one_file() {
        let one = |number: u8| {
            format!(
                "const a{number} = makeLoad(() => {{\n    const src = fetch(new URL(\"./chunk_{number}.wasm\", \
                 import.meta.url));\n    return async (imports) => \
                 (WebAssembly.instantiateStreaming(src, imports));\n}}\n"
            )
        };
        let script = [one(1), one(2)].concat();
        let shared = [
            ("chunk_2.wasm".to_owned(), vec![2; 5]),
            ("chunk_1.wasm".to_owned(), vec![1; 3]),
        ];
        let (made, bytes) = together(&script, &shared, "page").unwrap();
        assert_eq!(bytes, [2, 2, 2, 2, 2, 1, 1, 1]);
        let first = made.find("src = chunk(5, 8);").unwrap();
        let second = made.find("src = chunk(0, 5);").unwrap();
        assert!(first < second);
        assert!(!made.contains("Streaming") && made.contains("\"./page_chunks.bin\""));
        let another = [("chunk_3.wasm".to_owned(), Vec::new())];
        assert!(together(&script, &another, "page").is_err());
    }

    #[test]
    fn what_is_cut_off_or_unknown_is_refused() {
        assert!(tidy(b"\0asm", false).is_err());
        assert!(tidy(&file(&[&[1, 5, 0]]), false).is_err());
        assert!(tidy(&file(&[&[1, 0x80]]), false).is_err());
        // A segment that is only written when it is asked for, and one beyond half of the memory.
        assert!(tidy(&file(&[&[DATA, 4, 1, 1, 1, 7]]), false).is_err());
        assert!(tidy(&file(&[&[DATA, 7, 1, 0, CONSTANT, 0x7f, END, 1, 7]]), false).is_err());
    }
}
