// y = (x - centre) / spread, times scale, plus bias, where centre and spread are those of the row.

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

fn centre_of(start: u32) -> f32 {
    if (OP != 0u && OP != 4u) { return 0.0; }
    var sum = 0.0;
    for (var i = 0u; i < u.p.rows.len; i++) { sum += in0(start + row_step(i)); }
    return sum / f32(u.p.rows.len);
}

fn spread_of(start: u32, centre: f32) -> f32 {
    var sum = 0.0;
    for (var i = 0u; i < u.p.rows.len; i++) {
        let x = in0(start + row_step(i)) - centre;
        if (OP == 2u) { sum += abs(x); } else { sum += x * x; }
    }
    let mean = sum / f32(u.p.rows.len);
    switch OP {
        case 2u: { return max(sum, u.p.epsilon); }
        case 3u: { return max(sqrt(sum), u.p.epsilon); }
        case 4u: { return sqrt(mean) + u.p.epsilon; }
        default: { return sqrt(mean + u.p.epsilon); }
    }
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let row = thread_index(group, groups, thread);
    if (row >= u.p.rows.count) { return; }
    let start = row_start(row);
    let centre = centre_of(start);
    let spread = spread_of(start, centre);
    let first = row % u.p.row_period * u.p.row_stride;
    for (var i = 0u; i < u.p.rows.len; i++) {
        let at = start + row_step(i);
        var y = (in0(at) - centre) / spread;
        let channel = first + i / u.p.repeat % u.p.period;
        if (SCALE == 1u) { y *= in1(channel); }
        if (BIAS == 1u) { y += in2(channel); }
        out0(at, y);
    }
}
