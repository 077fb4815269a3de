// y[i] = whether a[j] and b[k], both of the type KIND, compare as OP says; y is bool, and j, k follow from i by broadcasting.

override OP: u32 = 0u;
override KIND: u32 = 0u;
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

fn reals(a: f32, b: f32) -> bool {
    let size = bitcast<u32>(a) & 0x7fffffffu;
    switch OP {
        case 0u: { return a == b; }
        case 1u: { return !(a == b); }
        case 2u: { return a < b; }
        case 3u: { return a <= b; }
        case 4u: { return a > b; }
        case 5u: { return a >= b; }
        // Of one input alone, by its bits: compilers take what is not finite for absent.
        case 6u: { return size > 0x7f800000u; }
        case 7u: { return size == 0x7f800000u; }
        case 8u: { return bitcast<u32>(a) == 0x7f800000u; }
        default: { return bitcast<u32>(a) == 0xff800000u; }
    }
}

fn integers(a: vec2<u32>, b: vec2<u32>) -> bool {
    let signed = KIND != U64;
    switch OP {
        case 0u: { return all(a == b); }
        case 1u: { return any(a != b); }
        case 2u: { return less64(signed, a, b); }
        case 3u: { return !less64(signed, b, a); }
        case 4u: { return less64(signed, b, a); }
        case 5u: { return !less64(signed, a, b); }
        default: { return false; }
    }
}

fn result(i: u32) -> vec2<u32> {
    let place = sources(i);
    let a = raw(KIND, IN0, u.inputs.x, place.x);
    let b = raw(KIND, IN1, u.inputs.y, place.y);
    var yes = false;
    if (is_float(KIND)) {
        yes = reals(real(KIND, a), real(KIND, b));
    } else {
        yes = integers(whole(KIND, a), whole(KIND, b));
    }
    return vec2<u32>(select(0u, 1u, yes), 0u);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    put(BOOL, thread_index(group, groups, thread), u.p.count);
}
