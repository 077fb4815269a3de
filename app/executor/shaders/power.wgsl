// y[i] = a[j] to the power of b[k] for types that differ, A of a and y, B of b; j, k follow from i by broadcasting.

override A: u32 = 0u;
override B: u32 = 2u;
// 1 where both inputs have the shape of the output.
override SAME: u32 = 0u;

// Strides are counted in elements; 0 along a broadcast dimension. Dimensions lie innermost
// first, dims.x the fastest.
struct Params {
    count: u32,
    rank: u32,
    pad0: u32,
    pad1: u32,
    dims: array<vec4<u32>, 2>,
    a: array<vec4<u32>, 2>,
    b: array<vec4<u32>, 2>,
}

// The elements of both inputs that element i of the output is made of.
fn sources(i: u32) -> vec2<u32> {
    if (SAME == 1u) { return vec2<u32>(i, i); }
    var rest = i;
    var place = vec2<u32>(0u, 0u);
    for (var d = 0u; d < u.p.rank; d++) {
        let size = u.p.dims[d / 4u][d % 4u];
        let at = rest % size;
        rest = rest / size;
        place += at * vec2<u32>(u.p.a[d / 4u][d % 4u], u.p.b[d / 4u][d % 4u]);
    }
    return place;
}

fn result(i: u32) -> vec2<u32> {
    let place = sources(i);
    let a = real(A, raw(A, IN0, u.inputs.x, place.x));
    let b = real(B, raw(B, IN1, u.inputs.y, place.y));
    return bits_of_real(A, power_of(a, b));
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    put(A, thread_index(group, groups, thread), u.p.count);
}
