// y[i] = whether a[j] and b[k], both of the type KIND, compare as OP says; y is bool, and j, k follow from i by broadcasting.

override OP: u32 = 0u;
override KIND: u32 = 0u;

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
