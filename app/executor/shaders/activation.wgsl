// What a kernel does to each result before it is stored: the codes are those of unary.wgsl.

override ACTIVATION: u32 = 0u;

fn activated(x: f32, alpha: f32, beta: f32) -> f32 {
    switch ACTIVATION {
        case 0u: { return x; }
        case 1u: { return max_of(x, 0.0); }
        case 2u: { return clamp_of(x, alpha, beta); }
        default: { return tanh_of(x); }
    }
}
