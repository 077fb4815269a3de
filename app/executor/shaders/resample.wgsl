// y = the weighted sum of the elements of x around each place, along some of its dimensions:
// tables say where they start and what they weigh.

// Dimensions lie innermost first; one that has no taps keeps its elements.
struct Params {
    dims: array<vec4<u32>, 2>,
    stride: array<vec4<u32>, 2>,
    taps: array<vec4<u32>, 2>,
    // Where the dimension's part of each table begins.
    starts: array<vec4<u32>, 2>,
    weights: array<vec4<u32>, 2>,
    count: u32,
    rank: u32,
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i >= u.p.count) { return; }
    // Of each dimension with taps: its stride, their number, and where the weights begin.
    var ways: array<vec3<u32>, 8>;
    var many = 0u;
    var terms = 1u;
    var rest = i;
    var first = 0u;
    for (var d = 0u; d < u.p.rank; d++) {
        let length = u.p.dims[d / 4u][d % 4u];
        let index = rest % length;
        rest = rest / length;
        let stride = u.p.stride[d / 4u][d % 4u];
        let taps = u.p.taps[d / 4u][d % 4u];
        if (taps == 0u) {
            first += index * stride;
            continue;
        }
        first += load(IN1, u.inputs.y + u.p.starts[d / 4u][d % 4u] + index) * stride;
        ways[many] = vec3(stride, taps, u.p.weights[d / 4u][d % 4u] + index * taps);
        many++;
        terms *= taps;
    }
    var sum = 0.0;
    for (var term = 0u; term < terms; term++) {
        var left = term;
        var at = first;
        var weight = 1.0;
        for (var d = 0u; d < many; d++) {
            let way = ways[d];
            let tap = left % way.y;
            left = left / way.y;
            at += tap * way.x;
            weight *= in2(way.z + tap);
        }
        // Where a row of taps is too long for its place, it ends in zeros.
        if (weight != 0.0) { sum += weight * in0(at); }
    }
    out0(i, sum);
}
