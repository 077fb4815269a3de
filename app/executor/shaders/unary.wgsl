// y[i] = f(x[i]), where the override OP chooses f; alpha and beta are its parameters.

override OP: u32 = 0u;

struct Params {
    count: u32,
    alpha: f32,
    beta: f32,
}

// Abramowitz and Stegun 7.1.26 is good to 1.5e-7 only in absolute terms; near zero the series is used.
fn erf(x: f32) -> f32 {
    let a = abs(x);
    if (a < 0.5) {
        let s = x * x;
        return x * (1.1283791670955126 + s * (-0.3761263890318375 + s * (0.11283791670955126
            + s * (-0.026866170645131252 + s * (0.005223977625442188 - s * 0.0008548327023450853)))));
    }
    let t = 1.0 / (1.0 + 0.3275911 * a);
    let poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
    return sign(x) * (1.0 - poly * exp(-a * a));
}

fn softplus(x: f32) -> f32 { return max(x, 0.0) + log(1.0 + exp(-abs(x))); }

fn sigmoid(x: f32) -> f32 { return 1.0 / (1.0 + exp(-x)); }

// The built-in tanh of some drivers overflows for large arguments.
fn tanh_of(x: f32) -> f32 { return tanh(clamp(x, -15.0, 15.0)); }

fn apply(x: f32) -> f32 {
    let alpha = u.p.alpha;
    let beta = u.p.beta;
    switch OP {
        case 0u: { return x; }
        case 1u: { return max(x, 0.0); }
        case 2u: { return clamp(x, alpha, beta); }
        case 3u: { return sigmoid(x); }
        case 4u: { return tanh_of(x); }
        case 5u: { return exp(x); }
        case 6u: { return log(x); }
        case 7u: { return sqrt(x); }
        case 8u: { return 1.0 / x; }
        case 9u: { return abs(x); }
        case 10u: { return -x; }
        case 11u: { return floor(x); }
        case 12u: { return ceil(x); }
        case 13u: { return erf(x); }
        case 14u: { return 0.5 * x * (1.0 + erf(x * 0.7071067811865476)); }
        case 15u: { return 0.5 * x * (1.0 + tanh_of(0.7978845608028654 * (x + 0.044715 * x * x * x))); }
        case 16u: { return select(alpha * x, x, x >= 0.0); }
        case 17u: { return select(alpha * (exp(x) - 1.0), x, x >= 0.0); }
        case 18u: { return clamp(alpha * x + beta, 0.0, 1.0); }
        case 19u: { return x * clamp(x / 6.0 + 0.5, 0.0, 1.0); }
        case 20u: { return softplus(x); }
        case 21u: { return x / (1.0 + abs(x)); }
        case 22u: { return x * sigmoid(x); }
        case 23u: { return inverseSqrt(x); }
        case 24u: { return x * x; }
        case 25u: { return sign(x); }
        case 26u: { return round(x); }
        case 27u: { return sin(x); }
        case 28u: { return cos(x); }
        case 29u: { return beta * select(alpha * (exp(x) - 1.0), x, x > 0.0); }
        default: { return x * tanh_of(softplus(x)); }
    }
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i < u.p.count) { out0(i, apply(in0(i))); }
}
