// One number for the elements of a row, where the override OP chooses which.

override OP: u32 = 0u;

struct Params {
    rows: Rows,
    // The number that an empty row gives, as bits: WGSL has no infinities of its own.
    empty: u32,
    epsilon: f32,
}

// What one element adds to the row's number, once `centre` is known.
fn term(x: f32, centre: f32) -> f32 {
    switch OP {
        case 5u: { return abs(x); }
        case 6u, 7u: { return x * x; }
        case 9u: { return exp_of(x - centre); }
        case 10u: { return (x - centre) * (x - centre); }
        default: { return x; }
    }
}
