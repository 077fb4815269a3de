//! Compiles the page and its workers, binds them to JavaScript and lays out `dist/`.
//!
//! Everything is laid out beside `dist/` and moved there in one go, so that a server that
//! is running never sees half a page. What is compiled lies in a folder whose name changes with
//! what is in it ([`packed`]), so that browsers may keep it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;
use wasm_bindgen_cli_support::Bindgen;

use crate::html::{self, Asset};
use crate::packed;
use crate::parts::{split, tidy};

/// How to build, and where to.
pub(crate) struct Settings {
    /// The folder to fill; what was in it is replaced.
    pub(crate) out: PathBuf,
    /// Cargo's profile: `page` for people, `site` for publishing, `dev` for a quick look.
    pub(crate) profile: String,
}

/// The binaries, each with the script that starts it.
const PARTS: [(&str, &str); 3] = [
    ("app", "start.js"),
    ("worker", "worker_loader.js"),
    ("runner", "runner_loader.js"),
];

/// The packages that they are of.
const PACKAGES: [&str; 3] = ["app", "worker", "runner"];

/// Builds the page.
///
/// # Errors
/// Whatever cargo, the bindings or the file system refuse, with the step that failed.
pub(crate) fn build(settings: &Settings) -> Result<()> {
    let root = root()?;
    let out = root.join(&settings.out);
    let staging = staging(&out)?;
    let source = fs::read_to_string(root.join("index.html")).context("reading index.html")?;
    let page = html::resolve(&source)?;
    let wasm = compile(&root, &settings.profile)?;
    let built = staging.join(packed::BUILT);
    fs::create_dir(&built)?;
    for ((name, starter), input) in PARTS.iter().zip(&wasm) {
        let main = split(input, name, &built)?;
        bind(&main, name, &built)?;
        fs::remove_file(main)?;
        fs::write(built.join(starter), start_script(name))?;
    }
    for asset in &page.assets {
        let to = match asset {
            Asset::File(_) => &built,
            Asset::Folder(_) => &staging,
        };
        copy(&root, asset, to)?;
    }
    let lessons = root.join(crate::lessons::FOLDER);
    crate::lessons::lay_out(&lessons, &staging.join(crate::lessons::FOLDER))?;
    let name = packed::name(&built)?;
    fs::rename(&built, staging.join(&name))?;
    fs::write(staging.join("index.html"), page.html(&name))?;
    // Who works on the page builds it anew in a moment.
    if settings.profile != "dev" {
        packed::pack(&staging, &settings.profile)?;
    }
    replace(&staging, &out)
}

/// The folder that holds `index.html` and the workspace: this one or one above it.
fn root() -> Result<PathBuf> {
    let here = std::env::current_dir()?;
    here.ancestors()
        .find(|folder| folder.join("index.html").is_file() && folder.join("Cargo.toml").is_file())
        .map(Path::to_path_buf)
        .context("no index.html beside a Cargo.toml here or above: run this inside the project")
}

fn staging(out: &Path) -> Result<PathBuf> {
    let mut name = out.file_name().context("--out needs a folder")?.to_owned();
    name.push(".partial");
    let staging = out.with_file_name(name);
    if staging.exists() {
        fs::remove_dir_all(&staging)?;
    }
    fs::create_dir_all(&staging)?;
    Ok(staging)
}

/// Compiles the binaries and returns where they are, in the order of [`PARTS`].
fn compile(root: &Path, profile: &str) -> Result<Vec<PathBuf>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .current_dir(root)
        .args(["build", "--locked", "--target", "wasm32-unknown-unknown"])
        .args(["--profile", profile, "--message-format"])
        .arg("json-render-diagnostics")
        .stdout(Stdio::piped());
    for package in PACKAGES {
        command.args(["--package", package]);
    }
    for (name, _) in PARTS {
        command.args(["--bin", name]);
    }
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .context("starting cargo")?;
    ensure!(output.status.success(), "cargo could not compile the page");
    let messages = String::from_utf8(output.stdout).context("cargo's messages")?;
    PARTS
        .iter()
        .map(|(name, _)| {
            artifact(&messages, name).with_context(|| format!("cargo made no {name}.wasm"))
        })
        .collect()
}

/// Where cargo says it put the binary: never guessed, so any target folder will do.
fn artifact(messages: &str, name: &str) -> Option<PathBuf> {
    let wanted = format!("{name}.wasm");
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["reason"] == "compiler-artifact")
        .filter_map(|message| message["filenames"].as_array().cloned())
        .flatten()
        .filter_map(|file| file.as_str().map(PathBuf::from))
        .find(|file| {
            file.file_name()
                .is_some_and(|found| found == wanted.as_str())
        })
}

/// Writes `name.js` and `name_bg.wasm`.
fn bind(input: &Path, name: &str, out: &Path) -> Result<()> {
    Bindgen::new()
        .input_path(input)
        .out_name(name)
        .web(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        // By these names lazy parts find what they share with the rest.
        .keep_lld_exports(true)
        .generate(out)
        .with_context(|| format!("binding {name}.wasm to JavaScript"))?;
    let bound = out.join(format!("{name}_bg.wasm"));
    fs::write(&bound, tidy(&fs::read(&bound)?, true)?)?;
    Ok(())
}

/// The module that starts one binary; it is a file because the policy forbids inline code.
fn start_script(name: &str) -> String {
    format!(
        "import init from \"./{name}.js\";\n\
         await init({{ module_or_path: new URL(\"./{name}_bg.wasm\", import.meta.url) }});\n"
    )
}

fn copy(root: &Path, asset: &Asset, out: &Path) -> Result<()> {
    let (Asset::File(href) | Asset::Folder(href)) = asset;
    let from = root.join(href);
    let name = from
        .file_name()
        .with_context(|| format!("{href} has no name"))?;
    let to = out.join(name);
    match asset {
        // Nobody who opens the page reads its comments.
        Asset::File(href) if href.ends_with(".css") => {
            fs::read_to_string(&from).and_then(|text| fs::write(&to, without_comments(&text)))
        }
        Asset::File(_) => fs::copy(&from, &to).map(drop),
        Asset::Folder(_) => copy_folder(&from, &to),
    }
    .with_context(|| format!("copying {href}, which index.html names"))
}

/// A style sheet without its comments; no string of ours holds the signs of one.
fn without_comments(text: &str) -> String {
    let mut parts = text.split("/*");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| {
        let after = part.split_once("*/").map_or("", |(_, after)| after);
        kept + after.trim_start()
    })
}

fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Puts the new folder in place of the old one, which must look like one of ours.
fn replace(staging: &Path, out: &Path) -> Result<()> {
    if out.exists() {
        let ours = out.join("index.html").is_file() || fs::read_dir(out)?.next().is_none();
        if !ours {
            bail!(
                "{} holds something that is no page: not replaced",
                out.display()
            );
        }
        fs::remove_dir_all(out)?;
    }
    fs::rename(staging, out).with_context(|| format!("moving the page to {}", out.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_of_a_style_sheet_are_left_out() {
        let text = "/* one */\na { b: c; } /* two\n lines */\n\nd { e: f; }\n";
        assert_eq!(without_comments(text), "a { b: c; } d { e: f; }\n");
    }

    #[test]
    fn the_artifact_is_the_one_cargo_names() {
        let messages = concat!(
            "{\"reason\":\"compiler-artifact\",\"filenames\":[\"/t/libapp.rlib\"]}\n",
            "not json\n",
            "{\"reason\":\"build-script-executed\",\"filenames\":[\"/x/app.wasm\"]}\n",
            "{\"reason\":\"compiler-artifact\",\"filenames\":[\"/t/app.d\",\"/t/app.wasm\"]}\n",
        );
        assert_eq!(
            artifact(messages, "app"),
            Some(PathBuf::from("/t/app.wasm"))
        );
        assert_eq!(artifact(messages, "worker"), None);
    }

    #[test]
    fn a_folder_that_is_no_page_is_not_replaced() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let error = replace(Path::new("nowhere"), &here).unwrap_err();
        assert!(error.to_string().contains("no page"), "{error}");
    }
}
