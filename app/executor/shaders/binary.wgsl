// y[i] = f(a[j], b[k]), where the override OP chooses f and j, k follow from i by broadcasting.

override OP: u32 = 0u;
// 1 where both inputs have the shape of the output.
override SAME: u32 = 0u;

// Strides are counted in elements; 0 along a broadcast dimension. Dimensions lie innermost
// first, dims.x the fastest.
struct Params {
    count: u32,
    rank: u32,
    // Of the activation.
    alpha: f32,
    beta: f32,
    dims: array<vec4<u32>, 2>,
    a: array<vec4<u32>, 2>,
    b: array<vec4<u32>, 2>,
}

fn apply(a: f32, b: f32) -> f32 {
    switch OP {
        case 0u: { return a + b; }
        case 1u: { return a - b; }
        case 2u: { return a * b; }
        case 3u: { return a / b; }
        case 4u: { return max(a, b); }
        case 5u: { return min(a, b); }
        case 6u: { return power_of(a, b); }
        case 7u: { return select(a * b, a, a >= 0.0); }
        case 8u: { return (a - b) * (a - b); }
        case 9u: { return floor_mod_of(a, b); }
        case 10u: { return fmod_of(a, b); }
        case 11u: { return floor(a / b); }
        default: { return b; }
    }
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i >= u.p.count) { return; }
    if (SAME == 1u) {
        out0(i, activated(apply(in0(i), in1(i)), u.p.alpha, u.p.beta));
        return;
    }
    var rest = i;
    var j = 0u;
    var k = 0u;
    for (var d = 0u; d < u.p.rank; d++) {
        let size = u.p.dims[d / 4u][d % 4u];
        let at = rest % size;
        rest = rest / size;
        j += at * u.p.a[d / 4u][d % 4u];
        k += at * u.p.b[d / 4u][d % 4u];
    }
    out0(i, activated(apply(in0(j), in1(k)), u.p.alpha, u.p.beta));
}
