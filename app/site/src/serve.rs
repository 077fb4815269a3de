//! A static server for one folder, on loopback only: of HTTP/1.1 what browsers use for that.
//!
//! Each connection has a thread: one that waits for others would keep a page from parts of which
//! it waits for all.

use std::fs;
use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, ensure};

use crate::lessons::{FOLDER, lay_out};
use crate::media::kind;
use crate::packed::{BUILT, packed_path, tag};
use crate::{policy, say};

/// How many ports are tried, from the one asked for upwards.
const PORTS: u16 = 32;
/// How long a connection may say nothing, or not listen.
const QUIET: Duration = Duration::from_secs(60);
/// Bytes of a request.
const LONGEST: u64 = 64 * 1024;

/// What to serve, and where.
pub(crate) struct Settings {
    /// The folder.
    pub(crate) dir: PathBuf,
    /// The first port that is tried.
    pub(crate) port: u16,
    /// The lessons of somebody who writes them: laid out anew whenever one is asked for.
    pub(crate) lessons: Option<PathBuf>,
}

/// Serves until the process ends.
///
/// # Errors
/// A folder that is not there, or no free port.
pub(crate) fn serve(settings: Settings) -> Result<()> {
    let Settings { dir, port, lessons } = settings;
    let root = dir
        .canonicalize()
        .with_context(|| format!("{}: build the page first", dir.display()))?;
    ensure!(root.is_dir(), "{} is no folder", dir.display());
    let (server, port) = listen(port)?;
    say(&format!("Arenascope is at http://127.0.0.1:{port}/"))?;
    welcome(&server, &Served { root, lessons });
    Ok(())
}

/// What is served.
#[derive(Clone)]
struct Served {
    root: PathBuf,
    lessons: Option<PathBuf>,
}

/// Takes every connection.
fn welcome(server: &TcpListener, served: &Served) {
    for stream in server.incoming().flatten() {
        let root = served.clone();
        // A browser that closed the connection needs no answer, and nothing else listens.
        thread::spawn(move || converse(&stream, &root));
    }
}

/// Takes the first free port from `first` on; port 0 lets the system choose.
fn listen(first: u16) -> Result<(TcpListener, u16)> {
    let last = first.saturating_add(PORTS - 1);
    let mut refusal = anyhow!("no port tried");
    for port in first..=last {
        match TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))) {
            Ok(server) => {
                let port = server.local_addr().map_or(port, |address| address.port());
                return Ok((server, port));
            }
            Err(error) => refusal = anyhow!(error),
        }
    }
    Err(refusal.context(format!("no free port from {first} to {last}")))
}

/// Answers what is asked on one connection until either side is done.
fn converse(stream: &TcpStream, served: &Served) -> io::Result<()> {
    stream.set_read_timeout(Some(QUIET))?;
    stream.set_write_timeout(Some(QUIET))?;
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    while let Some(request) = heard(&mut reader)? {
        answer(stream, &request, served)?;
        if request.is_last {
            break;
        }
    }
    Ok(())
}

/// What is asked.
#[derive(Default)]
struct Request {
    method: String,
    url: String,
    /// Whether the browser reads Brotli.
    brotli: bool,
    /// What it has of that name, as it was told with it.
    has: String,
    /// Whether nothing can follow on this connection.
    is_last: bool,
}

/// The next request; `None` when the browser is done, or says what is no request.
fn heard(reader: &mut impl BufRead) -> io::Result<Option<Request>> {
    let mut reader = reader.take(LONGEST);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split_whitespace();
    let (Some(method), Some(url), Some(version)) = (words.next(), words.next(), words.next())
    else {
        return Ok(None);
    };
    let mut request = Request {
        method: method.to_owned(),
        url: url.to_owned(),
        // What comes with a request that is refused is not read.
        is_last: version != "HTTP/1.1" || !matches!(method, "GET" | "HEAD"),
        ..Request::default()
    };
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "connection" => request.is_last |= value.to_ascii_lowercase().contains("close"),
            "content-length" => request.is_last |= value != "0",
            "transfer-encoding" => request.is_last = true,
            "accept-encoding" => request.brotli = reads_brotli(value),
            "if-none-match" => request.has = value.to_owned(),
            _ => {}
        }
    }
    Ok(Some(request))
}

/// Whether `br` is among the encodings that are accepted.
fn reads_brotli(accepted: &str) -> bool {
    accepted.split(',').any(|one| {
        let mut words = one.split(';').map(str::trim);
        let refused = |word: &str| {
            word.strip_prefix("q=")
                .is_some_and(|it| it.parse() == Ok(0.0))
        };
        words.next() == Some("br") && !words.any(refused)
    })
}

fn answer(mut stream: &TcpStream, request: &Request, served: &Served) -> io::Result<()> {
    let reply = reply(served, request);
    let reason = match reply.status {
        200 => "OK",
        304 => "Not Modified",
        405 => "Method Not Allowed",
        500 => "Internal Server Error",
        _ => "Not Found",
    };
    let connection = if request.is_last {
        "close"
    } else {
        "keep-alive"
    };
    let mut head = format!("HTTP/1.1 {} {reason}\r\n", reply.status);
    for (name, value) in [
        ("Content-Type", reply.kind),
        ("Connection", connection),
        ("Allow", "GET, HEAD"),
        (
            "Content-Security-Policy",
            policy::header(&request.url).as_str(),
        ),
        ("Cache-Control", reply.keep),
        ("Vary", "Accept-Encoding"),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
    ] {
        head += &format!("{name}: {value}\r\n");
    }
    if reply.status != 304 {
        // With a length the browser can show how far it is.
        head += &format!("Content-Length: {}\r\n", reply.body.len());
    }
    if reply.packed {
        head += "Content-Encoding: br\r\n";
    }
    if let Some(tag) = &reply.tag {
        head += &format!("ETag: {tag}\r\n");
    }
    head += "\r\n";
    stream.write_all(head.as_bytes())?;
    if request.method != "HEAD" {
        stream.write_all(&reply.body)?;
    }
    stream.flush()
}

/// How long a browser may keep what it has: it asks whether it is still so, or need not ask.
const ASK: &str = "no-cache";
const KEEP: &str = "public, max-age=31536000, immutable";

/// What goes back, before it is bytes on a wire.
#[derive(Debug)]
struct Reply {
    status: u16,
    kind: &'static str,
    keep: &'static str,
    /// What this content is told from another of the same name by.
    tag: Option<String>,
    /// Whether the body is by Brotli.
    packed: bool,
    body: Vec<u8>,
}

impl Reply {
    fn plain(status: u16, text: &str) -> Self {
        Self {
            status,
            kind: "text/plain; charset=utf-8",
            keep: ASK,
            tag: None,
            packed: false,
            body: text.as_bytes().to_vec(),
        }
    }
}

fn reply(served: &Served, request: &Request) -> Reply {
    let Request { method, url, .. } = request;
    if !matches!(method.as_str(), "GET" | "HEAD") {
        return Reply::plain(405, "only GET and HEAD\n");
    }
    let anew = served.lessons.as_ref().filter(|_| url.contains(FOLDER));
    if let Some(lessons) = anew {
        // Who writes lessons reads what is wrong with one where they would read the lesson.
        if let Err(error) = lay_out(lessons, &served.root.join(FOLDER)) {
            return Reply::plain(500, &format!("{error:#}\n"));
        }
    }
    let Some(path) = resolve(&served.root, url) else {
        return Reply::plain(404, "not found\n");
    };
    // What lies beside a lesson was made of the one before.
    let packed = (request.brotli && anew.is_none()).then(|| fs::read(packed_path(&path)).ok());
    let (packed, body) = match packed.flatten() {
        Some(body) => (true, Ok(body)),
        None => (false, fs::read(&path)),
    };
    let Ok(body) = body else {
        return Reply::plain(404, "not found\n");
    };
    let within = path.strip_prefix(&served.root).unwrap_or(&path);
    let first = within.iter().next().and_then(|part| part.to_str());
    let named_by_content = first.is_some_and(|part| part.starts_with(BUILT));
    let tag = (!named_by_content).then(|| tag(&body));
    let same = tag.as_ref().is_some_and(|tag| request.has == *tag);
    Reply {
        status: if same { 304 } else { 200 },
        kind: kind(&path),
        keep: if named_by_content { KEEP } else { ASK },
        tag,
        packed,
        body: if same { Vec::new() } else { body },
    }
}

/// The file that a request names, if it lies inside `root` once every link is followed.
fn resolve(root: &Path, url: &str) -> Option<PathBuf> {
    let path = url.split(['?', '#']).next()?;
    let path = percent_decoded(path)?;
    let mut file = root.to_path_buf();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        // Backslash and colon are separators elsewhere; a dot file is never ours to give.
        if part.starts_with('.') || part.contains(['\\', ':', '\0']) {
            return None;
        }
        file.push(part);
    }
    if path.ends_with('/') {
        file.push("index.html");
    }
    let file = file.canonicalize().ok()?;
    (file.starts_with(root) && file.is_file()).then_some(file)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = char::from(rest.next()?).to_digit(16)?;
            let low = char::from(rest.next()?).to_digit(16)?;
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(served: &Served, method: &str, url: &str) -> Reply {
        let mut asked = Request::default();
        (asked.method, asked.url) = (method.to_owned(), url.to_owned());
        super::reply(served, &asked)
    }

    fn root() -> Served {
        served(Path::new(env!("CARGO_MANIFEST_DIR")))
    }

    fn served(path: &Path) -> Served {
        Served {
            root: path.canonicalize().unwrap(),
            lessons: None,
        }
    }

    #[test]
    fn a_file_comes_with_its_type_and_nothing_outside_comes_at_all() {
        let found = reply(&root(), "GET", "/src/serve.rs?x=../..#y");
        assert_eq!(found.status, 200);
        assert_eq!(reply(&root(), "GET", "/src%2Fserve%2ers").status, 200);
        for url in [
            "/../worker/Cargo.toml",
            "/src/../../worker/Cargo.toml",
            "/%2e%2e/worker/Cargo.toml",
            "/..%2fworker/Cargo.toml",
            "/..\\worker\\Cargo.toml",
            "//etc/passwd",
            "/src",
            "/nothing",
            "/%",
            "/%zz",
            "/%ff",
            "/Cargo.toml%00",
        ] {
            assert_eq!(reply(&root(), "GET", url).status, 404, "{url}");
        }
        assert_eq!(reply(&root(), "POST", "/Cargo.toml").status, 405);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_outside_is_not_followed() {
        let folder = std::env::temp_dir().join(format!("site-link-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let _ = std::os::unix::fs::symlink("/etc/hostname", folder.join("out.txt"));
        let status = reply(&served(&folder), "GET", "/out.txt").status;
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(status, 404);
    }

    #[test]
    fn types_are_those_browsers_insist_on() {
        assert_eq!(kind(Path::new("a_bg.wasm")), "application/wasm");
        assert_eq!(kind(Path::new("a.js")), "text/javascript; charset=utf-8");
        assert_eq!(kind(Path::new("model.tflite")), "application/octet-stream");
    }

    fn ask(port: u16, method: &str, path: &str) -> String {
        said(port, method, path, "")
    }

    /// The answer to a request with more lines than it needs, as text.
    fn said(port: u16, method: &str, path: &str, more: &str) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{more}\r\n"
        )
        .unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// A page of one file that is named by its content and one that is not, both with Brotli's.
    #[test]
    fn what_is_named_by_its_content_is_kept_and_all_else_is_asked_for_again() {
        let folder = std::env::temp_dir().join(format!("site-kept-{}", std::process::id()));
        let built = folder.join("built-1");
        fs::create_dir_all(&built).unwrap();
        let text = "let every = 'line is said again';\n".repeat(99);
        fs::write(built.join("app.js"), &text).unwrap();
        fs::write(folder.join("index.html"), &text).unwrap();
        crate::packed::pack(&folder, "page").unwrap();
        let (server, port) = listen(0).unwrap();
        let served = served(&folder);
        thread::spawn(move || welcome(&server, &served));
        let packs = "Accept-Encoding: gzip, br\r\n";
        let kept = said(port, "HEAD", "/built-1/app.js", packs);
        let page = said(port, "HEAD", "/", packs);
        for packed in [&kept, &page] {
            assert!(packed.contains("Content-Encoding: br\r\n"), "{packed}");
            let length = packed.split_once("Content-Length: ").unwrap().1;
            let length: usize = length.split_once('\r').unwrap().0.parse().unwrap();
            assert!(length < text.len() / 10, "{packed}");
        }
        assert!(kept.contains("text/javascript"), "{kept}");
        assert!(
            kept.contains("immutable") && !kept.contains("ETag"),
            "{kept}"
        );
        assert!(page.contains("Cache-Control: no-cache\r\n"), "{page}");
        let tag = page.split_once("ETag: ").unwrap().1;
        let tag = tag.split_once('\r').unwrap().0;
        let has = format!("{packs}If-None-Match: {tag}\r\n");
        let same = said(port, "GET", "/", &has);
        assert!(same.starts_with("HTTP/1.1 304 Not Modified\r\n"), "{same}");
        assert!(same.ends_with("\r\n\r\n"), "{same}");
        for refused in ["", "Accept-Encoding: gzip, br;q=0\r\n"] {
            let plain = said(port, "GET", "/built-1/app.js", refused);
            assert!(!plain.contains("Content-Encoding"), "{plain}");
            assert!(plain.ends_with(&text), "{plain}");
        }
        fs::write(folder.join("index.html"), "another").unwrap();
        fs::remove_file(folder.join("index.html.br")).unwrap();
        let changed = said(port, "GET", "/", &has);
        assert!(changed.starts_with("HTTP/1.1 200"), "{changed}");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_taken_port_gives_way_to_the_next_and_answers_carry_the_policy() {
        let (taken, first) = listen(0).unwrap();
        let (server, second) = listen(first).unwrap();
        assert_ne!(first, second);
        drop(taken);
        thread::spawn(move || welcome(&server, &root()));
        let get = ask(second, "GET", "/Cargo.toml");
        assert!(get.starts_with("HTTP/1.1 200"), "{get}");
        assert!(get.contains("default-src 'none'"), "{get}");
        assert!(get.contains("frame-ancestors 'none'"), "{get}");
        assert!(get.contains("name = \"site\""), "{get}");
        let head = ask(second, "HEAD", "/Cargo.toml");
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        assert!(!head.contains("name = \"site\""), "{head}");
        let embedded = ask(second, "GET", "/Cargo.toml?renderer=raster&embed=1");
        assert!(!embedded.contains("frame-ancestors"), "{embedded}");
        let almost = ask(second, "GET", "/Cargo.toml?noembed=1&embed=10#?embed=1");
        assert!(almost.contains("frame-ancestors 'none'"), "{almost}");
        assert!(ask(second, "GET", "/no").starts_with("HTTP/1.1 404"));
        assert!(ask(second, "POST", "/").starts_with("HTTP/1.1 405"));
    }

    /// More connections than a browser has, opened at once and kept: each is answered, twice.
    #[test]
    fn no_connection_waits_for_another() {
        let (server, port) = listen(0).unwrap();
        thread::spawn(move || welcome(&server, &root()));
        let connect = |_| TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        let mut streams: Vec<TcpStream> = (0..24).map(connect).collect();
        for _ in 0..2 {
            for mut stream in &streams {
                write!(stream, "HEAD /Cargo.toml HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
            }
            for stream in &mut streams {
                stream.set_read_timeout(Some(QUIET)).unwrap();
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    let mut byte = [0];
                    stream.read_exact(&mut byte).unwrap();
                    head.extend(byte);
                }
                assert!(head.starts_with(b"HTTP/1.1 200"));
            }
        }
    }
}
