//! Turns the `index.html` that Trunk reads into the one that a browser reads.
//!
//! Every `<link data-trunk …>` becomes what it stands for, and the content security policy
//! goes in first. Trunk's own page starts its module from an inline script, which that
//! policy forbids; hence the external `start.js`, and hence the policy is not in the source.

use std::ops::Range;

use anyhow::{Context as _, Result, bail};

use crate::policy::POLICY;

/// A file or folder that the page needs, relative to `index.html`: folders lie beside it, files
/// with what is compiled.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Asset {
    File(String),
    Folder(String),
}

/// The finished page but for where what is compiled lies, and what it needs.
#[derive(Debug)]
pub(crate) struct Page {
    source: String,
    pub(crate) assets: Vec<Asset>,
}

/// Stands for the folder of what is compiled until its name is known; no page of ours says it.
const FOLDER: &str = "{built}";

impl Page {
    /// The page for a folder of that name.
    pub(crate) fn html(&self, folder: &str) -> String {
        self.source.replace(FOLDER, folder)
    }
}

/// Resolves every Trunk link of `source`.
///
/// # Errors
/// A link without an end or an `href`, of a kind that is not known here, or a page
/// without `<head>`.
pub(crate) fn resolve(source: &str) -> Result<Page> {
    let mut html = String::with_capacity(source.len() + 1024);
    let mut assets = Vec::new();
    let mut done = 0;
    for range in links(source)? {
        let tag = &source[range.clone()];
        html.push_str(&source[done..range.start]);
        let replacement = replacement(tag, &mut assets)?;
        if replacement.is_empty() {
            html.truncate(html.trim_end().len());
        }
        html.push_str(&replacement);
        done = range.end;
    }
    html.push_str(&source[done..]);
    let (before, after) = html
        .split_once("<head>")
        .context("index.html has no <head>")?;
    let meta = format!(r#"<meta http-equiv="Content-Security-Policy" content="{POLICY}">"#);
    // Workers are started by the page, which asks here where their scripts are.
    let built = format!(r#"<meta name="built" content="./{FOLDER}/">"#);
    let source = format!("{before}<head>\n    {meta}\n    {built}{after}");
    Ok(Page { source, assets })
}

/// What one Trunk link stands for in the finished page.
fn replacement(tag: &str, assets: &mut Vec<Asset>) -> Result<String> {
    let href = attribute(tag, "href").with_context(|| format!("no href in {tag}"))?;
    let name = href.rsplit('/').next().unwrap_or(href);
    match attribute(tag, "rel") {
        // A worker starts from its own loader when the page asks for it.
        Some("rust") if attribute(tag, "data-type") == Some("worker") => Ok(String::new()),
        Some("rust") => Ok([
            r#"<link rel="modulepreload" href="./{built}/app.js">"#,
            r#"<link rel="modulepreload" href="./{built}/app_parts.js">"#,
            r#"<link rel="preload" href="./{built}/app_bg.wasm" as="fetch" type="application/wasm" crossorigin>"#,
            r#"<script type="module" src="./{built}/start.js"></script>"#,
        ]
        .join("\n    ")),
        Some("css") => {
            assets.push(Asset::File(href.to_owned()));
            Ok(format!(
                r#"<link rel="stylesheet" href="./{FOLDER}/{name}">"#
            ))
        }
        Some("copy-file") => {
            assets.push(Asset::File(href.to_owned()));
            Ok(String::new())
        }
        Some("copy-dir") => {
            assets.push(Asset::Folder(href.to_owned()));
            Ok(String::new())
        }
        _ => bail!("index.html: only rust, css, copy-file and copy-dir are known here, not {tag}"),
    }
}

/// Where the Trunk links lie, in order; comments are passed over.
fn links(source: &str) -> Result<Vec<Range<usize>>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = source[at..].find('<').map(|offset| at + offset) {
        let rest = &source[start..];
        let closing = if rest.starts_with("<!--") { "-->" } else { ">" };
        let length = rest
            .find(closing)
            .with_context(|| format!("index.html ends inside the tag at byte {start}"))?
            + closing.len();
        at = start + length;
        let tag = &source[start..at];
        if tag.starts_with("<link") && words(tag).any(|(name, _)| name == "data-trunk") {
            found.push(start..at);
        }
    }
    Ok(found)
}

/// The value of an attribute, if the tag has it.
fn attribute<'a>(tag: &'a str, wanted: &str) -> Option<&'a str> {
    words(tag)
        .find(|(name, _)| *name == wanted)
        .map(|(_, value)| value)
}

/// The attributes of a tag; one without a value has an empty one. Values are quoted with
/// `"`, as everywhere in our `index.html`.
fn words(tag: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = tag
        .trim_start_matches("<link")
        .trim_end_matches('>')
        .trim_end_matches('/');
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let end = rest
            .find(|c: char| c == '=' || c.is_whitespace())
            .unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let (value, after) = after
            .strip_prefix("=\"")
            .and_then(|quoted| quoted.split_once('"'))
            .unwrap_or(("", after.trim_start_matches('=')));
        rest = after;
        (!name.is_empty()).then_some((name, value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = r#"<html><head>
<meta charset="utf-8">
<!-- <link data-trunk rel="rust" href="old/Cargo.toml"> -->
<link data-trunk rel="rust" href="app/Cargo.toml" data-bin="app"/>
<link data-trunk rel="rust" href="app/worker/Cargo.toml" data-type="worker" />
<link data-trunk rel="css" href="app/style.css">
<link data-trunk rel="copy-dir" href="public">
<link rel="icon" href="./public/icon.svg">
</head></html>"#;

    #[test]
    fn every_trunk_link_becomes_what_it_stands_for() {
        let page = resolve(SOURCE).unwrap();
        let html = page.html("built-1");
        assert!(!html.replace("<!--", "").contains("data-trunk rel=\"css\""));
        assert_eq!(
            html.matches("data-trunk").count(),
            1,
            "the commented one stays"
        );
        assert_eq!(html.matches("./built-1/start.js").count(), 1);
        assert_eq!(html.matches(r#"content="./built-1/""#).count(), 1);
        assert!(!html.contains(FOLDER));
        assert!(html.contains(r#"<link rel="stylesheet" href="./built-1/style.css">"#));
        assert!(html.contains(r#"<link rel="icon" href="./public/icon.svg">"#));
        assert_eq!(
            page.assets,
            [
                Asset::File("app/style.css".to_owned()),
                Asset::Folder("public".to_owned())
            ]
        );
    }

    #[test]
    fn the_policy_comes_before_anything_it_governs() {
        let html = resolve(SOURCE).unwrap().source;
        let policy = html.find("Content-Security-Policy").unwrap();
        assert!(policy < html.find("<script").unwrap());
        assert!(!html.contains("<script>"), "no inline script");
    }

    #[test]
    fn a_broken_page_is_refused_and_named() {
        let unknown = "<head><link data-trunk rel=\"sass\" href=\"a.sass\"></head>";
        assert!(resolve(unknown).unwrap_err().to_string().contains("sass"));
        let bare = "<head><link data-trunk rel=\"css\"></head>";
        assert!(resolve(bare).unwrap_err().to_string().contains("no href"));
        assert!(resolve("<p").unwrap_err().to_string().contains("byte 0"));
        assert!(resolve("<p>").unwrap_err().to_string().contains("<head>"));
    }
}
