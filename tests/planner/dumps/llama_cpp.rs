//! What llama.cpp says of its memory.

use planner::load::{Fault, Format, load};
use planner::{Bytes, Options, check};

/// Arenas by name, each with its buffers and their bytes; what was warned of.
type Read = (Vec<(String, Vec<(String, u64)>)>, Vec<String>);

fn read(text: &str) -> Read {
    let (format, document, warnings) = load(&text.as_bytes().to_vec()).expect("a log");
    assert_eq!(format, Format::LlamaCpp);
    let deployed = document.deployed().expect("arenas");
    assert_eq!(deployed.toolchain, "llama.cpp");
    let arena = |arena: &planner::deployed::Arena| {
        assert!(arena.separate);
        assert_eq!(
            check(&arena.lifetimes, &arena.plan, &Options::aligned(Bytes(1))),
            []
        );
        let buffers = arena.lifetimes.buffers.iter();
        let buffers = buffers.map(|it| (it.name.clone(), it.size.0)).collect();
        (arena.name.to_string(), buffers)
    };
    let said = warnings.iter().map(|it| it.message.to_string());
    (deployed.arenas.iter().map(arena).collect(), said.collect())
}

fn mib(parts: &[(&str, u64)]) -> Vec<(String, u64)> {
    parts
        .iter()
        .map(|(name, mib)| ((*name).to_owned(), mib << 20))
        .collect()
}

/// The figures of a table that a user has published (llama.cpp, issue 25465): what llama.cpp does
/// not account for is below 0 there, and is no bytes.
#[test]
fn the_table_is_an_arena_for_each_device() {
    let text = "\
build: 1
common_memory_breakdown_print: | memory breakdown [MiB] | total   free     self   model   context   compute    unaccounted |
common_memory_breakdown_print: |   - CUDA0 (RTX 5090)   | 32111 = 31605 + (18058 = 16386 +    1024 +     648) +      -17552 |
common_memory_breakdown_print: |   - Host               |                  356 =   206 +       0 +     150                |
done
";
    let (arenas, said) = read(text);
    let expected = [
        (
            "CUDA0 (RTX 5090), of 32111 MiB".to_owned(),
            mib(&[("model", 16_386), ("context", 1024), ("compute", 648)]),
        ),
        ("Host".to_owned(), mib(&[("model", 206), ("compute", 150)])),
    ];
    assert_eq!(arenas, expected);
    assert!(said.is_empty(), "{said:?}");
    let wrong = text.replace("18058", "19058");
    assert!(read(&wrong).1.iter().any(|it| it.contains("not the sum")));
}

/// The lines of buffers, as llama.cpp 6122's Command-R prints them: 2,560 MiB of keys and as many
/// of values.
#[test]
fn lines_of_buffers_are_arenas_without_a_table() {
    let text = "\
llm_load_tensors:        CPU buffer size =  1640.62 MiB
llm_load_tensors:      CUDA0 model buffer size = 20400.25 MiB
llama_kv_cache_init:      CUDA0 KV buffer size =  5120.00 MiB
llama_new_context_with_model: KV self size  = 5120.00 MiB, K (f16): 2560.00 MiB, V (f16): 2560.00 MiB
llama_new_context_with_model:  CUDA_Host  output buffer size =     0.98 MiB
llama_new_context_with_model:      CUDA0 compute buffer size =   516.00 MiB
";
    let (arenas, _) = read(text);
    let names: Vec<&str> = arenas.iter().map(|it| it.0.as_str()).collect();
    assert!(
        names.contains(&"CUDA0") && names.contains(&"Host"),
        "{names:?}"
    );
    let of = |name: &str| &arenas.iter().find(|it| it.0 == name).expect("the device").1;
    assert_eq!(
        of("CUDA0"),
        &[
            ("model".to_owned(), (20_400 << 20) + (1 << 18)),
            ("context".to_owned(), 5120 << 20),
            ("compute".to_owned(), 516 << 20),
        ]
    );
    // 0.98 MiB, down to whole bytes.
    assert_eq!(
        of("Host").last(),
        Some(&("output".to_owned(), (98 << 20) / 100))
    );
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    const HEAD: &str =
        "| memory breakdown [MiB] | total free self model context compute unaccounted |\n";
    let refused = |text: String| {
        let error = load(&text.into_bytes()).expect_err("it is refused");
        (error.kind, error.to_string())
    };
    let (kind, says) = refused(format!("{HEAD}| - A | 1 = 2 + (3 = 4 + 5 |\n"));
    assert_eq!(kind, Fault::Malformed);
    assert!(
        says.contains("line 2") && says.contains("5 figures"),
        "{says}"
    );
    let row = "| - A | 9 = 1 + (3 = 1 + 1 + 1) + 5 |\n";
    let (kind, says) = refused(format!("{HEAD}{row}{row}"));
    assert_eq!(kind, Fault::Duplicate, "{says}");
    let (kind, says) = refused(format!(
        "{HEAD}| - A | 9999999999999999 = 1 + (3 = 1 + 1 + 1) + 5 |\n"
    ));
    assert_eq!(kind, Fault::Malformed, "{says}");
    let (kind, says) = refused(HEAD.to_owned());
    assert_eq!(
        (kind, says.contains("no buffer")),
        (Fault::Malformed, true),
        "{says}"
    );
    let (kind, says) = refused("llama_context: CUDA0 compute buffer size = 1.234 MiB\n".to_owned());
    assert_eq!(kind, Fault::Malformed, "{says}");
}
