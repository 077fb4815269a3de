//! Standard input, and what is packed around files.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::{failure, file, json, run};

/// 180 bytes are enough: `a` and `c` never meet.
const PLAN: &[u8] = b"id,lower,upper,size,offset\na,0,2,100,0\nb,1,3,80,100\nc,2,4,60,180\n";

/// Runs `arenascope` with this on standard input.
fn piped(args: &[&str], input: &[u8]) -> Output {
    let program = env!("CARGO_BIN_EXE_arenascope");
    let mut child = Command::new(program);
    child.args(args).stdin(Stdio::piped());
    child.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    // What refuses its arguments reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// The output without what the file is called.
fn unnamed(output: &[u8]) -> Value {
    let mut value: Value = serde_json::from_slice(output).unwrap();
    value.as_object_mut().unwrap().remove("file");
    value
}

/// Whatever way the bytes come in, every command says the same of them.
#[test]
fn every_command_reads_standard_input_and_packed_files() {
    let plain = file("door.csv", PLAN);
    let packed = include_bytes!("../../data/packed/plan.csv.gz");
    let (other, archive) = (
        file("door.csv.gz", packed),
        file("door.zip", include_bytes!("../../data/packed/stored.zip")),
    );
    for command in [
        "waste",
        "plan",
        "check",
        "bounds",
        "list",
        "advise",
        "allocators",
    ] {
        let args = |from| [command, from, "--format", "json"];
        let expected = json(&args(&plain));
        let expected = unnamed(expected.to_string().as_bytes());
        // Times differ from run to run.
        let without = |value: Value| match command {
            "plan" => value["plans"].as_array().unwrap().len().into(),
            _ => value,
        };
        let expected = without(expected);
        for (from, input) in [("-", PLAN), ("-", packed), (&other, b""), (&archive, b"")] {
            let output = piped(&args(from), input);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{command} {from}: {errors}");
            assert_eq!(
                without(unnamed(&output.stdout)),
                expected,
                "{command} {from}"
            );
        }
    }
    assert_eq!(json(&["waste", &plain, "--format", "json"])["arena"], 240);
}

/// A log is read alike whether it was packed or not; gzip is RFC 1952.
#[test]
fn figures_of_a_packed_text_are_reported() {
    let text =
        b"CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 16.00 GiB \
        of which 1.00 GiB is free. 14.00 GiB is allocated by PyTorch, and 1.00 GiB is reserved by \
        PyTorch but unallocated.";
    let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    packed.extend(miniz_oxide::deflate::compress_to_vec(text, 9));
    let sum = text.iter().fold(!0_u32, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |rest, _| {
            (rest >> 1) ^ (0xedb8_8320 * (rest & 1))
        })
    });
    packed.extend((!sum).to_le_bytes());
    packed.extend(u32::try_from(text.len()).unwrap().to_le_bytes());
    let (plain, packed) = (
        piped(&["waste", "-"], text),
        piped(&["waste", "-"], &packed),
    );
    assert_eq!(plain.status.code(), Some(0));
    assert_eq!(
        String::from_utf8(packed.stdout).unwrap(),
        String::from_utf8(plain.stdout).unwrap()
    );
}

#[test]
fn standard_input_is_one_file() {
    let line = failure(&["waste", "-", "-"], 2);
    assert!(line.contains("can be read once"), "{line}");
    let line = failure(&["diff", "--before", "-", "--after", "-"], 2);
    assert!(line.contains("can be read once"), "{line}");
    let output = piped(&["waste", "-"], b"");
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{line}");
    assert!(line.contains("standard input: "), "{line}");
    let help = run(&["waste", "--help"]);
    assert!(
        String::from_utf8(help.stdout)
            .unwrap()
            .contains("standard input")
    );
}

/// Linux has a file that is always full.
#[test]
#[cfg(target_os = "linux")]
fn what_cannot_be_written_to_standard_output_is_a_failure() {
    let plain = file("full.csv", PLAN);
    let commands: [&[&str]; 3] = [
        &["bounds", &plain],
        &["export", &plain, "--as", "csv"],
        &["export", &plain, "--as", "memory-viz"],
    ];
    for args in commands {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
        let mut command = Command::new(env!("CARGO_BIN_EXE_arenascope"));
        let child = command.args(args).stdout(full.unwrap());
        let child = child.stderr(Stdio::piped()).spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {errors}");
        assert!(errors.contains("standard output: "), "{args:?}: {errors}");
    }
}
