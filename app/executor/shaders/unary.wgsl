// y[i] = f(x[i]), where the override OP chooses f; alpha and beta are its parameters.

override OP: u32 = 0u;

fn apply(x: f32) -> f32 {
    let alpha = u.p.alpha;
    let beta = u.p.beta;
    switch OP {
        case 0u: { return x; }
        case 1u: { return max_of(x, 0.0); }
        case 2u: { return clamp_of(x, alpha, beta); }
        case 3u: { return sigmoid(x); }
        case 4u: { return tanh_of(x); }
        case 5u: { return exp_of(x); }
        case 6u: { return log_of(x); }
        case 7u: { return sqrt(x); }
        case 8u: { return 1.0 / x; }
        case 9u: { return abs(x); }
        case 10u: { return -x; }
        case 11u: { return floor(x); }
        case 12u: { return ceil(x); }
        case 13u: { return erf_of(x); }
        case 14u: { return gelu_of(x); }
        case 15u: { return gelu_tanh_of(x); }
        case 16u: { return select(alpha * x, x, x >= 0.0); }
        case 17u: { return select(alpha * expm1_of(min_of(x, 0.0)), x, x >= 0.0); }
        case 18u: { return clamp_of(alpha * x + beta, 0.0, 1.0); }
        case 19u: { return x * clamp_of(x / 6.0 + 0.5, 0.0, 1.0); }
        case 20u: { return softplus(x); }
        case 21u: { return x / (1.0 + abs(x)); }
        case 22u: { return x * sigmoid(x); }
        case 23u: { return inverseSqrt(x); }
        case 24u: { return x * x; }
        case 25u: { return sign(x); }
        case 26u: { return round(x); }
        case 27u: { return sin_of(x); }
        case 28u: { return cos_of(x); }
        case 29u: { return beta * select(alpha * expm1_of(min_of(x, 0.0)), x, x > 0.0); }
        case 30u: { return x * tanh_of(softplus(x)); }
        case 31u: { return x * sigmoid(alpha * x); }
        case 32u: { return select(0.0, x, x > alpha); }
        case 33u: { return max_of(x, 0.0) + alpha * expm1_of(min_of(x, 0.0) / alpha); }
        case 34u: { return select(select(0.0, x - beta, x > alpha), x + beta, x < -alpha); }
        case 35u: { return alpha * x + beta; }
        case 36u: { return sin_of(x) / cos_of(x); }
        case 37u: { return trunc(x); }
        case 38u: { return asin_of(x); }
        case 39u: { return acos_of(x); }
        case 40u: { return atan_of(x); }
        case 41u: { return sinh_of(x); }
        case 42u: { return cosh_of(x); }
        case 43u: { return asinh_of(x); }
        case 44u: { return acosh_of(x); }
        case 45u: { return atanh_of(x); }
        case 46u: { return alpha * tanh_of(beta * x); }
        default: { return select(0.0, 1.0, x > alpha); }
    }
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i < u.p.count) { out0(target_of(i), apply(in0(sources(i).x))); }
}
