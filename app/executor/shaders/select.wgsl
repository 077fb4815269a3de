// y[i] = c[j] ? a[k] : b[l] for elements of the type KIND and bools c; j, k, l follow from i by broadcasting.

override KIND: u32 = 0u;
// 1 where all inputs have the shape of the output.
override SAME: u32 = 0u;

// Strides are counted in elements; 0 along a broadcast dimension. Dimensions lie innermost
// first, dims.x the fastest.
struct Params {
    count: u32,
    rank: u32,
    pad0: u32,
    pad1: u32,
    dims: array<vec4<u32>, 2>,
    c: array<vec4<u32>, 2>,
    a: array<vec4<u32>, 2>,
    b: array<vec4<u32>, 2>,
}

fn result(i: u32) -> vec2<u32> {
    var place = vec3<u32>(i, i, i);
    if (SAME == 0u) {
        var rest = i;
        place = vec3<u32>(0u, 0u, 0u);
        for (var d = 0u; d < u.p.rank; d++) {
            let size = u.p.dims[d / 4u][d % 4u];
            let at = rest % size;
            rest = rest / size;
            place += at * vec3<u32>(
                u.p.c[d / 4u][d % 4u],
                u.p.a[d / 4u][d % 4u],
                u.p.b[d / 4u][d % 4u],
            );
        }
    }
    if (raw(BOOL, IN0, u.inputs.x, place.x).x != 0u) { return raw(KIND, IN1, u.inputs.y, place.y); }
    return raw(KIND, IN2, u.inputs.z, place.z);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    put(KIND, thread_index(group, groups, thread), u.p.count);
}
