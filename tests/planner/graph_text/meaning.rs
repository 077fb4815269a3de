//! What a text graph says.

use super::{ARTICLE, graph, names, tensor};
use planner::graph::{Attribute, Bindings, Content, DType, Dialect, Dim, Graph, Op, Role};
use planner::load::{Document, Format, graph_text, load};
use planner::{Bytes, Offset, Settings, Subject, bounds, prepare, save};
use tests::chinese::assert_told;
use tests::random::Random;

fn prepared(graph: &Graph, bindings: &Bindings) -> Subject {
    let settings = Settings {
        alignment: Bytes(1),
        ..Settings::default()
    };
    let prepared = prepare(&Document::Model(graph.clone()), bindings, &settings);
    prepared.expect("it is not too large")
}

/// Name and size of each buffer.
fn sizes(subject: &Subject) -> Vec<(&str, u64)> {
    let buffers = subject.lifetimes.buffers.iter();
    buffers.map(|it| (it.name.as_str(), it.size.0)).collect()
}

/// 32 × 32 and 9 × 18 elements of 4 bytes; the first two are needed at once.
#[test]
fn the_example_of_the_article_has_its_sizes() {
    let subject = prepared(&graph(ARTICLE), &Bindings::new());
    assert_eq!(
        sizes(&subject),
        [("x2", 4096), ("x3", 648), ("x4", 648), ("x5", 648)]
    );
    assert_eq!(
        bounds::bounds(&subject.lifetimes).offsets,
        Bytes(4096 + 648)
    );
    let graph = subject.graph().expect("a graph");
    assert_eq!(tensor(graph, "x3").dims, Some(vec![1, 1, 9, 18]));
    assert_eq!(tensor(graph, "x6").dims, Some(vec![1, 1, 18, 9]));
}

#[test]
fn a_text_is_recognised_by_what_it_says() {
    let bare = "input x: f32[4]\ny = Relu(x)\noutput y\n";
    let with_mark = format!("\u{feff}\n# comment\r\n{}", bare.replace('\n', "\r\n"));
    for text in [
        ARTICLE,
        bare,
        &with_mark,
        "let N = 2\n",
        "graph\n",
        "const c = 1\n",
    ] {
        let bytes = text.as_bytes().to_vec();
        let (format, document, warnings) = load(&bytes).expect("it is read");
        assert_eq!((format, warnings.len()), (Format::GraphText, 0), "{text}");
        assert!(document.graph().is_some());
    }
    assert!(graph_text(&with_mark, None).is_ok(), "as it is pasted");
    let table = b"input,lower,upper,size\na,0,1,4\n".to_vec();
    assert_eq!(load(&table).expect("a table").0, Format::Csv);
    for other in [
        "graphs\n",
        "graph TD\n  a --> b(c)\n{\n",
        "input x\n",
        "y = Relu(x)\n",
    ] {
        let found = load(&other.as_bytes().to_vec()).map(|it| it.0);
        assert_ne!(found.ok(), Some(Format::GraphText), "{other}");
    }
}

/// Everything that the language has, in the form in which it is written.
const EVERYTHING: &str = r#"graph "a \"b\"\n\u{7f}" onnx 9
let H = 224
let "x y" = 3
order b, "c/d:0"
input x: f32[1, H, "x y"]
input "c/d:0": i64[]
state s: f16[2, 2]
const w: f32[16, H, ?] @64
k: f32[2, 3] @128, _, b = custom.domain::Op(x, _, w) int=-3 ints=[1, 2] none=[] float=0.1 floats=[1.0, -inf, nan] few=floats[] text=linear quoted="a b" texts=[a, "1"] nothing=texts[] "name"=other "two words"=1 name="the op" stream=2
const t: f32[1, 2] = [0.5, 1e-10]
y, s = If(k, b) value=@t then_branch=subgraph(2) else_branch=subgraph(0) captures=[b, x]
Send(y)
c = Constant() value=[1, 2]
const u: u8[2] = [0, 255]
const f = 1.5
z = Slice(y, [1], [9], u, 2.5)
output z, k
"#;

#[test]
fn every_part_of_the_language_is_read_as_it_stands() {
    let graph = graph(EVERYTHING);
    assert_eq!(graph.name, "a \"b\"\n\u{7f}");
    assert_eq!(graph.dialect, Dialect::Onnx { opset: 9 });
    let symbols: Vec<_> = graph
        .symbols
        .iter()
        .map(|it| (&*it.name, it.default))
        .collect();
    assert_eq!(symbols, [("H", 224), ("x y", 3)]);
    assert_eq!(names(&graph, &graph.inputs), ["x", "c/d:0"]);
    assert_eq!(names(&graph, &graph.outputs), ["z", "k"]);
    // What `order` names stands first.
    assert_eq!(graph.tensors[0].name, "b");
    assert_eq!(graph.tensors[1].name, "c/d:0");
    let w = tensor(&graph, "w");
    let symbol = |id| Dim::Symbol(planner::graph::SymbolId(id));
    let declared = vec![Dim::Fixed(16), symbol(0), Dim::Unknown];
    assert_eq!((&w.declared, w.role), (&Some(declared), Role::Constant));
    assert_eq!(tensor(&graph, "c/d:0").declared, Some(Vec::new()));
    assert_eq!(tensor(&graph, "s").role, Role::State);
    assert_eq!(tensor(&graph, "k").role, Role::Output);
    let offline = graph.tensors.iter().zip(&graph.offline);
    let offline: Vec<_> = offline
        .filter_map(|(it, at)| Some((&*it.name, (*at)?)))
        .collect();
    assert_eq!(offline, [("w", Offset(64)), ("k", Offset(128))]);
    let bytes = |name| match &tensor(&graph, name).content {
        Content::Inline(bytes) => bytes.clone(),
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!(bytes("t"), [0.5_f32, 1e-10].map(f32::to_le_bytes).concat());
    assert_eq!(bytes("u"), [0, 255]);
    assert_eq!(bytes("c"), [1_i64, 2].map(i64::to_le_bytes).concat());
    assert_eq!(bytes("f"), 1.5_f32.to_le_bytes());
    assert_eq!(tensor(&graph, "f").declared, Some(Vec::new()));
    assert_eq!(bytes("Slice_4.1"), 1_i64.to_le_bytes());
    assert_eq!(
        tensor(&graph, "Slice_4.1").declared,
        Some(vec![Dim::Fixed(1)])
    );
    assert_eq!(bytes("Slice_4.4"), 2.5_f32.to_le_bytes());
    assert_eq!(tensor(&graph, "w").content, Content::Stripped);
}

#[test]
fn every_attribute_is_read_as_it_stands() {
    let graph = graph(EVERYTHING);
    let [op, branch, send, constant, _] = graph.ops.as_slice() else {
        panic!("five operators");
    };
    assert_eq!(
        (&*op.kind, &*op.domain, &*op.name, op.stream),
        ("Op", "custom.domain", "the op", Some(2))
    );
    assert_eq!((op.inputs.len(), op.inputs[1]), (3, None));
    assert_eq!((op.outputs.len(), op.outputs[1]), (3, None));
    let text = |it: &str| it.to_owned();
    let nan = op.attribute("floats");
    assert!(
        matches!(nan, Some(Attribute::Floats(it)) if it[..2] == [1.0, f32::NEG_INFINITY] && it[2].is_nan())
    );
    let rest: Vec<_> = op.attributes.iter().filter(|it| it.0 != "floats").collect();
    let expected = [
        ("int", Attribute::Int(-3)),
        ("ints", Attribute::Ints(vec![1, 2])),
        ("none", Attribute::Ints(Vec::new())),
        ("float", Attribute::Float(0.1)),
        ("few", Attribute::Floats(Vec::new())),
        ("text", Attribute::Text(text("linear"))),
        ("quoted", Attribute::Text(text("a b"))),
        ("texts", Attribute::Texts(vec![text("a"), text("1")])),
        ("nothing", Attribute::Texts(Vec::new())),
        ("name", Attribute::Text(text("other"))),
        ("two words", Attribute::Int(1)),
    ];
    let expected = expected.map(|(key, value)| (text(key), value));
    assert_eq!(rest, expected.iter().collect::<Vec<_>>());
    let captured = names(&graph, &branch.captures);
    assert_eq!(captured, ["b", "x"]);
    assert_eq!(branch.name, "If_1");
    assert_eq!(
        branch.attribute("then_branch"),
        Some(&Attribute::Subgraph { ops: 2 })
    );
    assert!(matches!(
        branch.attribute("value"),
        Some(Attribute::Tensor(_))
    ));
    assert_eq!((send.outputs.len(), &*send.kind), (0, "Send"));
    assert_eq!(constant.attributes, []);
}

/// Written again it is the same, but for a constant that has its type from its elements.
#[test]
fn everything_is_written_as_it_was() {
    let lines = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    let expected = EVERYTHING.replace("const f = 1.5", "const f: f32[] = 1.5");
    let written = save::graph_text(&graph(EVERYTHING));
    assert_eq!(lines(&written), lines(&expected));
}

/// Sizes follow the symbols that are bound.
#[test]
fn dimensions_are_bound() {
    let graph = graph("let H = 4, W = 2\ninput x: f32[H, W]\ny = Relu(x)\nz = Exp(y)\noutput z\n");
    assert_eq!(sizes(&prepared(&graph, &Bindings::new())), [("y", 32)]);
    let bound = Bindings::from([("H".to_owned(), 10)]);
    assert_eq!(sizes(&prepared(&graph, &bound)), [("y", 80)]);
}

/// An operator may stand above what it reads, as in other formats; a state may be read before it is
/// written, and written twice.
#[test]
fn operators_are_brought_into_an_order_in_which_they_can_run() {
    let text = "input x: f32[4]\nstate s: f32[4]\nc = Add(b, x)\na = Relu(x)\ns = Add(s, a)\n\
                s = Add(s, s)\nb = Exp(a)\noutput c\n";
    let (graph, warnings) = graph_text(text, None).expect("a graph");
    let order: Vec<&str> = graph.ops.iter().map(|op| op.name.as_str()).collect();
    assert_eq!(order, ["Relu_1", "Add_2", "Add_3", "Exp_4", "Add_0"]);
    assert_eq!(warnings.len(), 1);
    assert_eq!(tensor(&graph, "s").role, Role::State);
}

/// A TFLite operator's result has the type of what it reads first, and the file's dimensions.
#[test]
fn tflite_has_types_and_dimensions_of_its_own() {
    let text = "graph tflite\nlet N = 2\ninput x: i8[N, 8, 8, 3] q(0.5, 3)\nconst w: i8[4, 3, 3, 3] q([0.5, 1.0, 0.1, 1], [0, 0, 0, -1], 0)\n\
                c = CONV_2D(x, w, _) stride_w=2 stride_h=2\n\
                r = RESHAPE(c, [2, -1])\nm: f32[?=7, 4] = custom::Mine(r)\ny: f32 = DEQUANTIZE(r)\noutput y, m\n";
    let graph = graph(text);
    assert_eq!(graph.dialect, Dialect::Tflite);
    let found = |name| {
        let tensor = tensor(&graph, name);
        (tensor.dtype, tensor.dims.clone().unwrap_or_default())
    };
    assert_eq!(found("x"), (DType::I8, vec![2, 8, 8, 3]));
    assert_eq!(found("c"), (DType::I8, vec![2, 4, 4, 4]));
    assert_eq!(found("r"), (DType::I8, vec![2, 64]));
    assert_eq!(found("y"), (DType::F32, vec![2, 64]));
    assert_eq!(found("m"), (DType::F32, vec![7, 4]));
    assert_eq!(found("RESHAPE 1.1"), (DType::I32, vec![2]));
    let w = tensor(&graph, "w")
        .quantization
        .as_ref()
        .expect("it is quantised");
    assert_eq!(
        (&*w.scales, &*w.zero_points, w.axis),
        (&[0.5, 1.0, 0.1, 1.0][..], &[0, 0, 0, -1][..], 0)
    );
}

/// What a text leaves out comes from the base where name, type and shape are the same.
#[test]
fn elements_come_from_the_base() {
    let mut base =
        graph("const a: f32[2]\nconst b: f32[2]\nconst c: f32[2]\nconst d: f32[2] = [1, 2]\n");
    for index in 0..4 {
        let start = 100 * index as u64;
        base.tensors[index].content = Content::Range { start, len: 8 };
    }
    let edited = "const a: f32[2]\nconst b: f32[3]\nconst c: f16[2]\nconst d: f32[2] = [3, 4]\nconst e: f32[2]\n";
    let (graph, _) = graph_text(edited, Some(&base)).expect("a graph");
    let contents = graph.tensors.into_iter().map(|it| it.content);
    let own = [3_f32, 4.0].map(f32::to_le_bytes).concat();
    assert_eq!(
        contents.collect::<Vec<_>>(),
        [
            Content::Range { start: 0, len: 8 },
            Content::Stripped,
            Content::Stripped,
            Content::Inline(own),
            Content::Stripped,
        ]
    );
}

/// The names that a line defines, as the graph has them.
#[test]
fn a_line_says_what_it_defines() {
    let defined = planner::load::defined;
    let none: [&str; 0] = [];
    assert_eq!(defined("a, _, \"b:0\" = Split(x) axis=1"), ["a", "b:0"]);
    assert_eq!(defined("input x: f32[1, H], y: i64[2]"), ["x", "y"]);
    assert_eq!(defined("const w: f32[2] = [1, 2]"), ["w"]);
    assert_eq!(defined("state h: f32[4]"), ["h"]);
    for line in [
        "output a",
        "order a, b",
        "graph a",
        "Print(a)",
        "# a = b",
        "",
        "a = (",
    ] {
        assert_eq!(defined(line), none, "{line}");
    }
}

/// One operator with this attribute, written and read.
fn again(op: Op) -> Op {
    let written = Graph {
        ops: vec![op],
        ..Graph::default()
    };
    let mut read = graph(&save::graph_text(&written));
    read.ops.pop().expect("one operator")
}

/// Any float comes back with the same bits; of a NaN that it is one.
#[test]
fn floats_and_names_are_read_as_they_were_written() {
    let mut random = Random::new(7);
    let letters: Vec<char> = "aZ_.:/\"\\\n\t #=,@0é中\u{1b}()[]-".chars().collect();
    for _ in 0..2_000 {
        let bits = u32::try_from(random.below(1 << 32)).expect("32 bits");
        let value = f32::from_bits(bits);
        let len = random.index(9);
        let text: String = (0..len)
            .map(|_| letters[random.index(letters.len())])
            .collect();
        let op = Op {
            name: text.clone(),
            kind: format!("k{text}"),
            domain: text.clone(),
            attributes: vec![
                (format!("a{text}"), Attribute::Float(value)),
                ("b".into(), Attribute::Text(text.clone())),
                ("c".into(), Attribute::Texts(vec![text])),
                ("d".into(), Attribute::Int(random.bits().cast_signed())),
            ],
            ..Op::default()
        };
        let mut read = again(op.clone());
        let Some((_, Attribute::Float(same))) = read.attributes.first().cloned() else {
            panic!("{read:?}");
        };
        assert!(
            same.to_bits() == bits || same.is_nan() && value.is_nan(),
            "{value:?}"
        );
        read.attributes[0].1 = Attribute::Float(0.0);
        let mut expected = op;
        expected.attributes[0].1 = Attribute::Float(0.0);
        assert_eq!(read, expected);
    }
}

/// What an operator makes counts, whatever is declared; a symbol is as large as it is unless it is
/// bound.
#[test]
fn a_shape_that_the_operator_does_not_make_is_warned_of() {
    let text = "let N = 4\ninput x: f32[N, 2]\na: f32[N, 2] = Relu(x)\nb: f32[3, 2] = Relu(a)\n\
                c: f32[5] = Mystery(b)\nd = Transpose(b) perm=[0, 2]\noutput c\n";
    let (graph, warnings) = graph_text(text, None).expect("a graph");
    let said: Vec<_> = warnings
        .iter()
        .map(|it| format!("{}: {}", it.place, it.message))
        .collect();
    let message = "\"b\" is [4, 2] by its operator, whatever is declared";
    let invalid = "\"d\" has no shape: Transpose: axis 2 of rank 2";
    let told = [format!("line 4: {message}"), format!("line 6: {invalid}")];
    assert_eq!(said, told);
    for it in &warnings {
        assert_told(&it.message);
    }
    assert_eq!(
        sizes(&prepared(&graph, &Bindings::new())),
        [("a", 32), ("b", 32)]
    );
}
