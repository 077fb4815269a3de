// y = (x - mean) / sqrt(variance + epsilon) * scale + bias, all four by channel.

struct Params {
    count: u32,
    channels: u32,
    // Elements of one channel that lie together.
    inner: u32,
    epsilon: f32,
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i >= u.p.count) { return; }
    let c = i / u.p.inner % u.p.channels;
    let factor = in1(c) / sqrt(in4(c) + u.p.epsilon);
    out0(i, (in0(i) - in3(c)) * factor + in2(c));
}
