//! Stream IR whose memory is laid out already, without the IR before it.

use planner::deployed::{Arena, Deployed};
use planner::{Bytes, Span};

use super::{CHAIN, LOOP, only, opened, rows};
use tests::deployed::violations;

/// The functions behind the pass without the headers over them: what `--compile-to=stream` writes.
fn compiled(text: &str) -> String {
    let after = only(text, "After");
    let lines = after.lines().filter(|line| !line.starts_with("// -----//"));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_compiled_program_shows_the_slices_that_its_commands_use() {
    // The pass printed the same function's slices with intervals of its own.
    let (paired, _) = opened(CHAIN);
    let (alone, warnings) = opened(&compiled(CHAIN));
    let [paired, alone] = [&paired.arenas[0], &alone.arenas[0]];
    assert_eq!(rows(alone), rows(paired));
    assert_eq!(alone.plan.arena, paired.plan.arena);
    let [warning] = warnings.as_slice() else {
        panic!("{warnings:?}");
    };
    assert!(
        warning
            .message
            .to_string()
            .starts_with("lifetimes are those of the commands")
    );
}

#[test]
fn a_loop_of_a_compiled_program_is_laid_out_as_the_pass_did() {
    let (paired, _) = opened(LOOP);
    let (alone, _) = opened(&compiled(LOOP));
    // The third pack is of memory that is handed back.
    let transient = |arena: &&Arena| arena.notes.iter().all(|note| note.role == "transient");
    let taken = |deployed: &Deployed| -> Vec<Bytes> {
        let arenas = deployed.arenas.iter().filter(transient);
        let mut taken: Vec<Bytes> = arenas.map(|it| it.plan.arena).collect();
        taken.sort();
        taken
    };
    assert_eq!(taken(&alone), taken(&paired));
    assert_eq!(taken(&alone).len(), 2);
    for arena in &alone.arenas {
        assert_eq!(violations(arena), []);
    }
}

#[test]
fn memory_that_no_command_uses_is_one_block() {
    let text = "module @m {\n  util.func public @main(%arg0: !hal.buffer_view) {\n    \
        %c1051186176 = arith.constant 1051186176 : index\n    \
        %result, %result_timepoint = stream.resource.alloca uninitialized on(#hal.device.affinity<@d>) : \
        !stream.resource<transient>{%c1051186176} => !stream.timepoint\n    \
        util.return\n  }\n}\n";
    let (deployed, warnings) = opened(text);
    // What the allocation itself says.
    assert_eq!(deployed.arenas[0].plan.arena, Bytes(1_051_186_176));
    assert!(
        warnings[0]
            .message
            .to_string()
            .starts_with("no command uses it")
    );
}

#[test]
fn a_slice_that_is_written_in_parts_is_not_broken() {
    // A fill of all of it, then a dispatch that writes and reads the middle, then one that reads all.
    let command = |name: &str, access: &str, from: u64, length: u64| {
        format!(
            "    stream.cmd.dispatch @{name}::@{name} {{\n      {access} %arg0[%c{from} for %c{length}] \
             : !stream.resource<transient>{{%c256}}\n    }}\n"
        )
    };
    let numbers = [0, 64, 128, 256].map(|it| format!("  %c{it} = arith.constant {it} : index\n"));
    let text = format!(
        "util.func public @f() {{\n{}  %r, %t = stream.resource.alloca uninitialized : \
         !stream.resource<transient>{{%c256}} => !stream.timepoint\n  %1 = stream.cmd.execute \
         await(%t) => with(%r as %arg0: !stream.resource<transient>{{%c256}}) {{\n{}{}{}  }} => \
         !stream.timepoint\n  util.return\n}}\n",
        numbers.concat(),
        command("all", "wo", 0, 256),
        command("middle", "rw", 64, 128),
        command("last", "ro", 0, 256),
    );
    let (deployed, _) = opened(&text);
    assert_eq!(
        rows(&deployed.arenas[0]),
        [("all", 0, 256, Span::new(0, 3))]
    );
}
