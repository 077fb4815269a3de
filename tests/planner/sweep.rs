//! Sweeps: at every value the figures of a single plan at that value.

use planner::bounds::aligned;
use planner::graph::Bindings;
use planner::load::{Document, graph_text, load};
use planner::sweep::{
    Beside, Chosen, Figures, MAX_VALUES, NoValues, Over, Point, csv, growth, parse, sweep,
};
use planner::training::Optimizer;
use planner::{
    Bytes, Options, Recipe, Rule, Settings, Silent, Strategy, Subject, Training, judged, message,
    prepare,
};
use tests::chinese::assert_told;
use tests::samples::samples;

const STRATEGIES: [Strategy; 2] = [Strategy::OffsetsBySize, Strategy::GreedyInOrder];

fn swept(
    document: &Document,
    over: (Over, Vec<u64>),
    on_progress: &mut dyn FnMut(usize, usize) -> bool,
) -> Vec<Point> {
    let (bindings, settings) = (Bindings::new(), Settings::default());
    let options = Options::aligned(settings.alignment);
    let chosen = Chosen {
        bindings: &bindings,
        settings: &settings,
        options: &options,
    };
    sweep(
        document,
        chosen,
        (&over.0, &over.1),
        &STRATEGIES,
        on_progress,
    )
}

fn all(document: &Document, over: &str) -> Vec<Point> {
    let over = parse(over).expect("values");
    swept(document, over, &mut |_, _| true)
}

/// The same by a plan of its own.
fn single(document: &Document, bindings: &Bindings, alignment: u64) -> Figures {
    let settings = Settings {
        alignment: Bytes(alignment),
        ..Settings::default()
    };
    let subject = prepare(document, bindings, &settings).expect("it is not too large");
    let bounds = aligned(&subject.lifetimes, settings.alignment);
    let options = Options::aligned(settings.alignment);
    let arena = |strategy| {
        let made = judged(strategy, &subject.lifetimes, &bounds, &options, &mut Silent);
        made.map(|it| it.metrics.arena)
            .map_err(|error| error.message())
    };
    Figures {
        naive: arena(Strategy::Naive).expect("no fixed address"),
        bound: bounds.offsets,
        unsized_tensors: 0,
        arenas: STRATEGIES.map(arena).to_vec(),
        beside: beside(&subject),
    }
}

/// What a model that is not trained has beside its arena, by the roles of its tensors.
fn beside(subject: &Subject) -> Beside {
    let split = subject.split.expect("a model");
    Beside {
        weights: split.constants,
        cache: split.state,
        callers: Bytes(split.inputs.0 + split.outputs.0),
        ..Beside::default()
    }
}

/// 8 × 8 weights of 4 bytes are 256; Adam keeps two numbers for each, and a gradient stays where it
/// is not set to none.
#[test]
fn a_training_step_has_gradients_and_the_optimizer_beside() {
    let text = "graph g onnx 17\nlet N = 2\ninput x: f32[N, 8]\nconst w: f32[8, 8]\ny = MatMul(x, w)\nz = Relu(y)\noutput z\n";
    let (_, document, _) = load(&text.as_bytes().to_vec()).expect("a graph");
    let settings = Settings {
        training: Some(Training {
            policy: 0,
            batch: 1,
            budget: None,
            recipe: Recipe {
                rule: Rule::Autograd,
                optimizer: Optimizer::Adam,
                ..Recipe::default()
            },
            share: None,
        }),
        ..Settings::default()
    };
    let bindings = Bindings::new();
    let options = Options::aligned(settings.alignment);
    let chosen = Chosen {
        bindings: &bindings,
        settings: &settings,
        options: &options,
    };
    let over = (&Over::Dimension("N".to_owned()), &[2, 4][..]);
    let points = sweep(&document, chosen, over, &STRATEGIES, &mut |_, _| true);
    for point in points {
        let figures = point.found.expect("figures");
        let [weights, _, _, gradients, optimizer] = figures.beside.parts();
        let set_to_none = Recipe::default().set_to_none;
        let stays = if set_to_none { 0 } else { 256 };
        assert_eq!(
            [weights, gradients, optimizer].map(|it| it.0),
            [256, stays, 512]
        );
    }
}

#[test]
fn every_length_of_a_transformer_is_planned_as_alone() {
    let all_samples = samples();
    let sample = all_samples.iter().find(|it| it.id == "transformer");
    let (_, document, _) = load(&sample.expect("the sample").bytes).expect("a model");
    let points = all(&document, "sequence_length=1..65:32,7");
    let values: Vec<u64> = points.iter().map(|it| it.value).collect();
    assert_eq!(values, [1, 33, 65, 7]);
    for point in points {
        let bindings = Bindings::from([("sequence_length".to_owned(), point.value)]);
        assert_eq!(point.found, Ok(single(&document, &bindings, 64)));
    }
}

/// 4096 and 648 bytes are needed at once, and 648 twice more; rounded up to 16, 64 and 4096.
#[test]
fn alignments_round_up_what_they_align() {
    let text = include_str!("../data/article.graph");
    let (graph, _) = graph_text(text, None).expect("a graph");
    let document = Document::Model(graph);
    let points = all(&document, "alignment=1,16,64,4096");
    let bounds = points
        .iter()
        .map(|it| it.found.as_ref().map(|it| it.bound.0));
    let rounded = [4096 + 648, 4096 + 656, 4096 + 704, 4096 + 4096];
    assert_eq!(bounds.collect::<Vec<_>>(), rounded.map(Ok));
    for point in &points {
        let alone = single(&document, &Bindings::new(), point.value);
        assert_eq!(point.found, Ok(alone));
    }
}

/// Without reuse three buffers of 80 bytes begin at 0, 4096 and 8192.
#[test]
fn what_has_no_reuse_is_aligned_too() {
    let rows = b"id,lower,upper,size\na,0,2,80\nb,1,3,80\nc,2,4,80\n".to_vec();
    let (_, document, _) = load(&rows).expect("a problem");
    let points = all(&document, "alignment=1,4096");
    let found = points.iter().map(|it| it.found.as_ref().map(|it| it.naive));
    let expected = [Ok(Bytes(240)), Ok(Bytes(8192 + 80))];
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

/// Two buffers of nearly 2^61 bytes fit into 2^62 until each is given room to be aligned; a fixed
/// address is not for every strategy.
#[test]
fn what_cannot_be_planned_is_said_at_its_value() {
    let size = (1_u64 << 61) - (1 << 31);
    let rows = format!("id,lower,upper,size,fixed\na,0,3,{size},0\nb,1,4,{size},\n");
    let (_, document, _) = load(&rows.into_bytes()).expect("a problem");
    let points = all(&document, "alignment=1,4294967296,8");
    let [first, large, last] = points.as_slice() else {
        panic!("three points: {points:?}");
    };
    assert_eq!(
        large.found.as_ref().expect_err("too large"),
        "with b all sizes together reach 2^62 bytes"
    );
    for point in [first, last] {
        let figures = point.found.as_ref().expect("figures");
        assert_eq!(
            (figures.naive, figures.bound),
            (Bytes(2 * size), Bytes(2 * size))
        );
        let [by_size, in_order] = figures.arenas.as_slice() else {
            panic!("two strategies: {figures:?}");
        };
        assert_eq!(by_size, &Ok(Bytes(2 * size)));
        assert_told(
            in_order
                .as_ref()
                .expect_err("shared objects have no addresses"),
        );
    }
}

#[test]
fn tensors_without_a_size_are_counted() {
    let text = "let N = 1\ninput x: f32[N]\na = Relu(x)\nb = Mystery(a)\nc = Relu(b)\noutput c\n";
    let (graph, _) = graph_text(text, None).expect("a graph");
    let points = all(&Document::Model(graph), "N=3");
    let figures = points[0].found.as_ref().expect("figures");
    assert_eq!((figures.unsized_tensors, figures.naive), (2, Bytes(64)));
}

#[test]
fn a_sweep_tells_how_far_it_is_and_stops_when_it_is_told_to() {
    let rows = b"id,lower,upper,size\na,0,3,4\nb,1,4,8\n".to_vec();
    let (_, document, _) = load(&rows).expect("a problem");
    let mut told = Vec::new();
    let points = swept(
        &document,
        (Over::Alignment, vec![1, 2, 4]),
        &mut |done, total| {
            told.push((done, total));
            done < 5
        },
    );
    assert_eq!(told, [(1, 6), (2, 6), (3, 6), (4, 6), (5, 6)]);
    // The third value is planned by one of two strategies alone.
    assert_eq!(points.len(), 2);
}

#[test]
fn values_are_read_as_they_are_meant() {
    let dimension =
        |name: &str, values: &[u64]| Ok((Over::Dimension(name.into()), values.to_vec()));
    for (text, expected) in [
        ("batch=1..3", dimension("batch", &[1, 2, 3])),
        ("batch=1..8:3", dimension("batch", &[1, 4, 7])),
        ("a=b=5", dimension("a=b", &[5])),
        ("n=0, 8..10", dimension("n", &[0, 8, 9, 10])),
        (
            "n=18446744073709551614..18446744073709551615",
            dimension("n", &[u64::MAX - 1, u64::MAX]),
        ),
        ("alignment=1,64", Ok((Over::Alignment, vec![1, 64]))),
        ("alignment=0", Err(NoValues::Empty)),
        ("alignment=4294967297", Err(NoValues::Empty)),
        ("n=3..2", Err(NoValues::Empty)),
        ("n=1..2:0", Err(NoValues::Empty)),
        ("n=0..18446744073709551615", Err(NoValues::TooMany)),
        ("n=1..1024,1", Err(NoValues::TooMany)),
        ("n", Err(NoValues::Form)),
        ("=1", Err(NoValues::Form)),
        ("n=", Err(NoValues::Form)),
        ("n=1..", Err(NoValues::Form)),
        ("n=-1", Err(NoValues::Form)),
    ] {
        let found = parse(text);
        assert_eq!(found, expected, "{text}");
        found.map_err(|error| assert_told(&error)).ok();
    }
    assert_eq!(parse("n=1..1024").map(|it| it.1.len()), Ok(MAX_VALUES));
}

#[test]
fn growth_is_said_only_of_what_lies_on_one_line() {
    for (points, expected) in [
        (&[(1, 64), (2, 128), (8, 512)][..], Some(64)),
        (&[(9, 100), (3, 70), (4, 75)], Some(5)),
        (&[(1, 30), (2, 20), (3, 10)], Some(-10)),
        (&[(1, 7), (5, 7), (6, 7)], Some(0)),
        (&[(0, u64::MAX), (u64::MAX, 0), (1, u64::MAX - 1)], Some(-1)),
        (&[(0, 0), (1, u64::MAX), (u64::MAX, 5)], None),
        // Half a byte for each, a bend, a value with two figures, too few values.
        (&[(0, 0), (2, 1), (4, 2)], None),
        (&[(1, 64), (2, 128), (3, 193)], None),
        (&[(1, 1), (2, 2), (3, 3), (3, 4)], None),
        (&[(1, 64), (2, 128)], None),
        (&[(1, 64), (2, 128), (2, 128)], None),
        (&[(1, 64)], None),
        (&[], None),
    ] {
        assert_eq!(growth(points), expected, "{points:?}");
    }
}

/// What stands in quotes may hold any sign; the rest are numbers.
#[test]
fn a_row_of_csv_says_why_a_number_is_not_there() {
    let points = [
        Point {
            value: 1,
            found: Ok(Figures {
                naive: Bytes(30),
                bound: Bytes(10),
                unsized_tensors: 2,
                arenas: vec![Ok(Bytes(12)), Err(message!("no \"room\""))],
                beside: Beside::default(),
            }),
        },
        Point {
            value: 2,
            found: Err(message!("too large, by far")),
        },
    ];
    let over = Over::Dimension("a \"b\"".into());
    let expected = "\"a \"\"b\"\"\",naive,bound,unsized,offsets_by_size,greedy_in_order,error\n\
                    1,30,10,2,12,,\"greedy_in_order: no \"\"room\"\"\"\n\
                    2,,,,,,\"too large, by far\"\n";
    assert_eq!(csv(&over, &points, &STRATEGIES), expected);
}

/// A model whose batch is written in its inputs, in a shape, and in what the file declares of an
/// operator that nobody knows.
fn with_batch(samples: u64) -> Document {
    let text = format!(
        "input x: f32[{samples}, 4, 8]\ninput scale: f32[8]\na = Relu(x)\n\
         flat = Reshape(a, [{samples}, 32])\nconst w: f32[32, 10]\nb = MatMul(flat, w)\n\
         s = Mul(a, scale)\ny = Softmax(b)\nz = ReduceSum(s)\noutput y, z\n"
    );
    Document::Model(graph_text(&text, None).expect("a graph").0)
}

#[test]
fn a_batch_is_what_the_model_is_that_was_written_for_it() {
    let document = with_batch(1);
    let over = parse("batch=1,3,8").expect("values");
    let over = (over.0.in_document(&document), over.1);
    assert_eq!(over.0, Over::Batch);
    for point in swept(&document, over, &mut |_, _| true) {
        let alone = single(&with_batch(point.value), &Bindings::new(), 64);
        assert_eq!(point.found, Ok(alone), "batch {}", point.value);
    }
}

/// Everything that is not a constant holds as many bytes per sample.
#[test]
fn eight_images_need_eight_times_the_bytes() {
    let all_samples = samples();
    let sample = all_samples.iter().find(|it| it.id == "blazeface");
    let (_, document, _) = load(&sample.expect("the sample").bytes).expect("a model");
    let settings = Settings {
        alignment: Bytes(1),
        ..Settings::default()
    };
    let options = Options::aligned(settings.alignment);
    let chosen = Chosen {
        bindings: &Bindings::new(),
        settings: &settings,
        options: &options,
    };
    let over = (&Over::Batch, &[1, 8][..]);
    let points = sweep(&document, chosen, over, &STRATEGIES, &mut |_, _| true);
    let figures: Vec<&Figures> = points.iter().flat_map(|it| &it.found).collect();
    let [one, eight] = figures[..] else {
        panic!("two points: {points:?}");
    };
    assert_eq!((one.unsized_tensors, eight.unsized_tensors), (0, 0));
    assert_eq!(eight.naive.0, 8 * one.naive.0);
    assert_eq!(eight.bound.0, 8 * one.bound.0);
}

#[test]
fn what_is_declared_for_another_batch_is_not_believed() {
    let text = "input x: f32[1, 8]\na: f32[1, 8] = Mystery(x)\nb = Relu(a)\noutput b\n";
    let (graph, _) = graph_text(text, None).expect("a graph");
    let document = Document::Model(graph);
    let points = swept(&document, (Over::Batch, vec![2]), &mut |_, _| true);
    let figures = points[0].found.as_ref().expect("figures");
    assert!(figures.unsized_tensors > 0, "{figures:?}");
}

/// The first dimension of its input is a symbol, so that it is bound and not rewritten.
#[test]
fn a_symbolic_batch_stays_a_dimension() {
    let text = "let batch = 2\ninput x: f32[batch, 8]\na = Relu(x)\noutput a\n";
    let (graph, _) = graph_text(text, None).expect("a graph");
    assert_eq!(graph.batch(), None);
    let document = Document::Model(graph);
    let over = parse("batch=1,2").expect("values").0;
    assert_eq!(over.clone().in_document(&document), over);
}
