// y = each channel under a window of its own that ends at the place of y, over what came before x, 0
// where nothing did.

override BIAS: u32 = 0u;
override PAST: u32 = 0u;
// 1 where y is multiplied by its sigmoid.
override SILU: u32 = 0u;

struct Params {
    count: u32,
    channels: u32,
    length: u32,
    // Elements of a window.
    taps: u32,
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i >= u.p.count) { return; }
    let place = i % u.p.length;
    let line = i / u.p.length;
    let channel = line % u.p.channels;
    let before = u.p.taps - 1u;
    var sum = 0.0;
    if (BIAS == 1u) { sum = in2(channel); }
    for (var tap = 0u; tap < u.p.taps; tap++) {
        let at = place + tap;
        var x = 0.0;
        if (at >= before) { x = in0(line * u.p.length + at - before); }
        if (at < before && PAST == 1u) { x = in3(line * before + at); }
        sum += x * in1(channel * u.p.taps + tap);
    }
    if (SILU == 1u) { sum *= sigmoid(sum); }
    out0(i, sum);
}
