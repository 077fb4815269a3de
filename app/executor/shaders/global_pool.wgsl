// y = the largest, the mean or the norm of all pixels of a channel, one workgroup per channel.

var<workgroup> partial: array<f32, 64>;

fn both(a: f32, b: f32) -> f32 {
    if (OP == 0u) { return max(a, b); }
    return a + b;
}

fn term(value: f32, p: f32) -> f32 {
    if (OP < 2u) { return value; }
    if (p == 2.0) { return value * value; }
    if (p == 1.0) { return abs(value); }
    return power_of(abs(value), p);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let plane = group_number(group, groups);
    if (plane >= u.p.count) { return; }
    let pixels = u.p.size.z;
    let p = u.p.p;
    let start = start0() + plane * pixels;
    var sum = select(0.0, -3.4028234663852886e38, OP == 0u);
    for (var pixel = thread; pixel < pixels; pixel += 64u) {
        sum = both(sum, term(at0(start + pixel), p));
    }
    partial[thread] = sum;
    workgroupBarrier();
    for (var half = 32u; half > 0u; half = half / 2u) {
        if (thread < half) {
            partial[thread] = both(partial[thread], partial[thread + half]);
        }
        workgroupBarrier();
    }
    if (thread > 0u) { return; }
    var y = partial[0];
    if (OP == 1u) { y = y / f32(pixels); }
    if (OP == 2u && p == 2.0) { y = sqrt(y); }
    if (OP == 2u && p != 2.0 && p != 1.0) { y = power_of(y, 1.0 / p); }
    out0(plane, activated(y, u.p.alpha, u.p.beta));
}
