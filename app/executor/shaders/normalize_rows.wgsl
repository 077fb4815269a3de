// The same as normalize, with the 64 threads of a workgroup on each row.

override OP: u32 = 0u;
override SCALE: u32 = 0u;
override BIAS: u32 = 0u;

struct Params {
    rows: Rows,
    epsilon: f32,
    row_period: u32,
    row_stride: u32,
    repeat: u32,
    period: u32,
}

fn centre_of(start: u32, thread: u32) -> f32 {
    if (OP != 0u && OP != 4u) { return 0.0; }
    var sum = 0.0;
    for (var i = thread; i < u.p.rows.len; i += 64u) { sum += in0(start + row_step(i)); }
    return of_all(SUM, thread, sum) / f32(u.p.rows.len);
}

fn spread_of(start: u32, thread: u32, centre: f32) -> f32 {
    var part = 0.0;
    for (var i = thread; i < u.p.rows.len; i += 64u) {
        let x = in0(start + row_step(i)) - centre;
        if (OP == 2u) { part += abs(x); } else { part += x * x; }
    }
    let sum = of_all(SUM, thread, part);
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
    let row = group.y * groups.x + group.x;
    if (row >= u.p.rows.count) { return; }
    let start = row_start(row);
    let centre = centre_of(start, thread);
    let spread = spread_of(start, thread, centre);
    let first = row % u.p.row_period * u.p.row_stride;
    for (var i = thread; i < u.p.rows.len; i += 64u) {
        let at = start + row_step(i);
        var y = (in0(at) - centre) / spread;
        let channel = first + i / u.p.repeat % u.p.period;
        if (SCALE == 1u) { y *= in1(channel); }
        if (BIAS == 1u) { y += in2(channel); }
        out0(at, y);
    }
}
