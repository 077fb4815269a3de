// Rows that are centred and divided by their spread.

// How centre and spread are found.
override OP: u32 = 0u;
// 1 where there is a scale (input 1), and where there is a bias (input 2).
override SCALE: u32 = 0u;
override BIAS: u32 = 0u;

struct Params {
    rows: Rows,
    epsilon: f32,
    // Element `i` of a row has the scale number
    // row % row_period * row_stride + i / repeat % period.
    row_period: u32,
    row_stride: u32,
    repeat: u32,
    period: u32,
}

// Whether the row's mean is its centre; 0 is, where it is not.
fn is_centred() -> bool { return OP == 0u || (OP >= 4u && OP < 7u); }

// What one element, relative to the centre, adds to the sum that the spread is made of.
fn deviation(x: f32) -> f32 {
    if (OP == 2u) { return abs(x); }
    return x * x;
}

fn spread_from(sum: f32) -> f32 {
    let mean = sum / f32(u.p.rows.len);
    switch OP {
        case 2u: { return max(sum, u.p.epsilon); }
        case 3u: { return max(sqrt(sum), u.p.epsilon); }
        case 4u: { return sqrt(mean) + u.p.epsilon; }
        default: { return sqrt(mean + u.p.epsilon); }
    }
}

// The number of the scale of a row's first element.
fn first_scale(row: u32) -> u32 { return row % u.p.row_period * u.p.row_stride; }

// Writes element i of the row that begins at start.x, in the output at start.y.
fn finish(start: vec2<u32>, first: u32, i: u32, centre: f32, spread: f32) {
    var y = (in0(start.x + row_step(i)) - centre) / spread;
    let channel = first + i / u.p.repeat % u.p.period;
    if (SCALE == 1u) { y *= in1(channel); }
    if (BIAS == 1u) { y += in2(channel); }
    out0(start.y + out_step(i), y);
}
