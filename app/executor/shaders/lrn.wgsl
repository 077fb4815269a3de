// y = x / (bias + alpha * sum of squares over neighbouring channels) ^ beta.

struct Params {
    count: u32,
    channels: u32,
    // Distance of neighbouring channels in elements.
    stride: u32,
    // Channels before and after that count.
    before: u32,
    after: u32,
    alpha: f32,
    beta: f32,
    bias: f32,
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i >= u.p.count) { return; }
    let channel = i / u.p.stride % u.p.channels;
    let before = min(u.p.before, channel);
    let after = min(u.p.after, u.p.channels - 1u - channel);
    var sum = 0.0;
    var at = i - before * u.p.stride;
    for (var k = 0u; k <= before + after; k++) {
        let value = in0(at);
        sum += value * value;
        at += u.p.stride;
    }
    out0(i, in0(i) * power_of(u.p.bias + u.p.alpha * sum, -u.p.beta));
}
