//! Builds the page into dist/ and serves it on loopback.
//!
//! `app/serve` calls this. Lazy parts are taken out and the bindings are made by the libraries
//! behind the command lines that do so, so their versions are the lock file's.

mod build;
mod html;
mod lessons;
mod media;
mod packed;
mod parts;
mod policy;
mod serve;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use lexopt::{Arg, Parser, ValueExt as _};

const USAGE: &str = "\
Builds the Arenascope page and serves it on this machine only.

site build [--profile NAME] [--out DIR]
                                   compiles the page and its workers into DIR (dist), by
                                   cargo's profile NAME (page)
site serve [--port N] [--dir DIR] [--lessons DIR]
                                   serves DIR (dist) on 127.0.0.1, from port N (8080) on;
                                   lessons as DIR has them when they are asked for
";

/// What the command line asks for.
enum Command {
    Help,
    Build(build::Settings),
    Serve(serve::Settings),
}

fn main() -> ExitCode {
    match command(Parser::from_env()) {
        Ok(command) => match run(command) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&error, 1),
        },
        Err(error) => fail(&error, 2),
    }
}

fn run(command: Command) -> Result<()> {
    match command {
        Command::Help => say(USAGE.trim_end()),
        Command::Build(settings) => build::build(&settings),
        Command::Serve(settings) => serve::serve(settings),
    }
}

fn command(mut parser: Parser) -> Result<Command> {
    let mut verb = None;
    let mut settings = build::Settings {
        out: PathBuf::from("dist"),
        profile: "page".to_owned(),
    };
    let mut serve = serve::Settings {
        dir: PathBuf::from("dist"),
        port: 8080,
        lessons: None,
    };
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Long("help") | Arg::Short('h') => return Ok(Command::Help),
            Arg::Long("profile") => settings.profile = parser.value()?.string()?,
            Arg::Long("out") => settings.out = parser.value()?.into(),
            Arg::Long("dir") => serve.dir = parser.value()?.into(),
            Arg::Long("port") => serve.port = parser.value()?.parse()?,
            Arg::Long("lessons") => serve.lessons = Some(parser.value()?.into()),
            Arg::Value(word) if verb.is_none() => verb = Some(word.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    match verb.as_deref() {
        Some("build") => Ok(Command::Build(settings)),
        Some("serve") => Ok(Command::Serve(serve)),
        _ => bail!("say `site build` or `site serve`; `site --help` explains both"),
    }
}

/// One line for the person in front of the terminal.
fn say(line: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}

/// Reports what went wrong in one line. A closed terminal is no reason to fail twice.
fn fail(error: &anyhow::Error, code: u8) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "site: {error:#}");
    ExitCode::from(code)
}
