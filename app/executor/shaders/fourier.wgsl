// y = the sums of frames of x turned by whole fractions of a turn: a discrete Fourier transform,
// forwards or backwards, by its definition.

// Parts of an element of x and of y: 2 for complex ones.
override X_PARTS: u32 = 1u;
override Y_PARTS: u32 = 2u;
// 1 where the turns go backwards, and the sum is divided by their number.
override INVERSE: u32 = 0u;
// 1 where x is one half of a spectrum of which the other is its mirror.
override HALF: u32 = 0u;
// 1 where elements are multiplied by a window first.
override WINDOW: u32 = 0u;

struct Params {
    // Complex elements of y: those of each bin, each frame and each signal.
    count: u32,
    inner: u32,
    bins: u32,
    frames: u32,
    // Elements of a frame, from one frame to the next, and of a signal.
    terms: u32,
    step: u32,
    length: u32,
    // Fractions that make a whole turn.
    period: u32,
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i >= u.p.count) { return; }
    let inner = u.p.inner;
    let bin = i / inner % u.p.bins;
    let frame = i / inner / u.p.bins % u.p.frames;
    let signal = i / inner / u.p.bins / u.p.frames;
    let first = (signal * u.p.length + frame * u.p.step) * inner + i % inner;
    var sum = vec2(0.0, 0.0);
    var phase = 0u;
    for (var n = 0u; n < u.p.terms; n++) {
        let at = (first + n * inner) * X_PARTS;
        var x = vec2(in0(at), 0.0);
        if (X_PARTS == 2u) { x.y = in0(at + 1u); }
        if (WINDOW == 1u) { x *= in1(n); }
        if (HALF == 1u && n != 0u && 2u * n != u.p.period) { x *= 2.0; }
        // As quarters of a turn and a rest of half a quarter at most: what is zero, is exactly.
        let quarters = (4u * phase + u.p.period / 2u) / u.p.period;
        let rest = f32(i32(4u * phase) - i32(quarters * u.p.period)) / f32(u.p.period);
        let turns = vec2(rest * 1.5707963267948966, f32(quarters % 4u));
        let c = sin_of_turns(vec2(turns.x, f32((quarters + 1u) % 4u)));
        let s = sin_of_turns(turns) * select(-1.0, 1.0, INVERSE == 1u);
        sum += vec2(x.x * c - x.y * s, x.x * s + x.y * c);
        phase = (phase + bin) % u.p.period;
    }
    if (INVERSE == 1u) { sum = sum / f32(u.p.period); }
    out0(i * Y_PARTS, sum.x);
    if (Y_PARTS == 2u) { out0(i * Y_PARTS + 1u, sum.y); }
}
