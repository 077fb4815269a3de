// y[place] = x[i], where the place is an index into a box at the start of y.

// How many words an index has: of two the lower is read.
override INDEX_WORDS: u32 = 1u;

// Dimensions of the box and strides of y, innermost first.
struct Params {
    dims: array<vec4<u32>, 2>,
    stride: array<vec4<u32>, 2>,
    count: u32,
    rank: u32,
    places: u32,
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i >= u.p.count) { return; }
    var rest = load(IN1, u.inputs.y + i * INDEX_WORDS);
    if (rest >= u.p.places) { return; }
    var at = 0u;
    for (var d = 0u; d < u.p.rank; d++) {
        let size = u.p.dims[d / 4u][d % 4u];
        at += rest % size * u.p.stride[d / 4u][d % 4u];
        rest = rest / size;
    }
    out0(at, in0(i));
}
