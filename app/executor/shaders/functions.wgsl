// Functions of f32 that are as good on every GPU: WGSL allows its own to be wrong by far more.

// 2^n for -126 <= n <= 127.
fn two_to(n: i32) -> f32 { return bitcast<f32>(u32(n + 127) << 23u); }

// (exp(r) - 1) for |r| <= 0.35, by its series.
fn expm1_near_zero(r: f32) -> f32 {
    return r * (1.0 + r * (0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * (1.0 / 120.0
        + r * (1.0 / 720.0 + r * (1.0 / 5040.0 + r / 40320.0)))))));
}

// x = n ln 2 + r; ln 2 in two parts, so that n times the first is exact.
fn exp_of(x: f32) -> f32 {
    let bounded = clamp(x, -150.0, 129.0);
    let n = round(bounded * 1.4426950408889634);
    let r = (bounded - n * 0.693359375) + n * 2.1219444005469057e-4;
    let half_way = i32(n) / 2;
    return (1.0 + expm1_near_zero(r)) * two_to(half_way) * two_to(i32(n) - half_way);
}

fn expm1_of(x: f32) -> f32 {
    if (abs(x) < 0.35) { return expm1_near_zero(x); }
    return exp_of(x) - 1.0;
}

// 2 atanh(s) = log((1 + s) / (1 - s)) for |s| <= 1/3, by its series.
fn twice_atanh(s: f32) -> f32 {
    let q = s * s;
    return 2.0 * s * (1.0 + q * (1.0 / 3.0 + q * (1.0 / 5.0 + q * (1.0 / 7.0 + q * (1.0 / 9.0
        + q * (1.0 / 11.0 + q * (1.0 / 13.0 + q / 15.0)))))));
}

// x = m 2^n with m between the roots of 1/2 and 2.
fn log_of(x: f32) -> f32 {
    if (x == 0.0) { return infinite(-1.0); }
    if (!(x > 0.0)) { return not_a_number(); }
    if ((bitcast<u32>(x) >> 23u) == 255u) { return x; }
    if (x < 1.17549435e-38) { return log_of_normal(x * 16777216.0) - 16.635532333438686; }
    return log_of_normal(x);
}

fn log_of_normal(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    let n = i32((bits + 0x004afb0du) >> 23u) - 127;
    let m = bitcast<f32>(bits - (bitcast<u32>(n) << 23u));
    let exponent = f32(n);
    return exponent * 0.693359375 + (twice_atanh((m - 1.0) / (m + 1.0)) - exponent * 2.1219444005469057e-4);
}

// log(1 + x) for 0 <= x <= 1.
fn log1p_of(x: f32) -> f32 { return twice_atanh(x / (2.0 + x)); }

fn tanh_of(x: f32) -> f32 {
    let e = expm1_of(2.0 * min(abs(x), 10.0));
    let y = e / (e + 2.0);
    return select(y, -y, x < 0.0);
}

fn sigmoid(x: f32) -> f32 {
    let e = exp_of(-abs(x));
    let y = 1.0 / (1.0 + e);
    return select(e * y, y, x >= 0.0);
}

fn softplus(x: f32) -> f32 { return max(x, 0.0) + log1p_of(exp_of(-abs(x))); }

// 1 - erf(a) for a >= 0.45: exp(-a^2) times a polynomial in 1 / (1 + 0.4 a), fitted to a
// relative error of 4.6e-8 up to a = 10.5, where the function leaves the range of f32.
fn erfc_tail(a: f32) -> f32 {
    let t = 1.0 / (1.0 + 0.4 * a);
    let p = 3.630134233389981e-5 + t * (0.2248280793428421 + t * (0.2341347485780716
        + t * (0.1604645997285843 + t * (0.33237046003341675 + t * (-0.22205401957035065
        + t * (0.5130645036697388 + t * (-0.2912340760231018 + t * 0.04836416244506836)))))));
    // The square is taken of few digits exactly, and the rest added.
    let head = bitcast<f32>(bitcast<u32>(a) & 0xfffff000u);
    return p * exp_of(-head * head) * exp_of((head - a) * (head + a));
}

fn erf_near_zero(x: f32) -> f32 {
    let q = x * x;
    return x * (1.1283791670955126 + q * (-0.3761263890318375 + q * (0.11283791670955126
        + q * (-0.026866170645131252 + q * (0.005223977625442188 + q * (-0.0008548327023450853
        + q * 0.00012055332981789664))))));
}

fn erf_of(x: f32) -> f32 {
    if (abs(x) < 0.5) { return erf_near_zero(x); }
    let y = 1.0 - erfc_tail(min(abs(x), 10.0));
    return select(y, -y, x < 0.0);
}

// x times the normal distribution's share below x.
fn gelu_of(x: f32) -> f32 {
    let a = abs(x) * 0.7071067811865476;
    if (a < 0.5) { return 0.5 * x * (1.0 + erf_near_zero(x * 0.7071067811865476)); }
    let tail = 0.5 * erfc_tail(min(a, 10.5));
    return x * select(tail, 1.0 - tail, x > 0.0);
}

// 0.5 x (1 + tanh(inner)), which is x sigmoid(2 inner).
fn gelu_tanh_of(x: f32) -> f32 {
    return x * sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x));
}

// The upper half of a product of two words.
fn high_word(a: u32, b: u32) -> u32 {
    let low = (a & 0xffffu) * (b & 0xffffu);
    let middle = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    let other = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
    return (a >> 16u) * (b >> 16u) + (middle >> 16u) + (other >> 16u);
}

// 2/pi after 32 zeros.
const TWO_OVER_PI = array<u32, 9>(
    0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u,
);

// quarter_turns of a finite x of any size (Payne and Hanek 1983): its 24 bits times those 96 bits
// of 2/pi that are not lost in whole turns.
fn quarter_turns_of_large(x: f32) -> vec2<f32> {
    var table = TWO_OVER_PI;
    let bits = bitcast<u32>(x);
    let mantissa = (bits & 0x7fffffu) | 0x800000u;
    // The first bit of the table whose product with x is below four quarters.
    let first = ((bits >> 23u) & 0xffu) - 120u;
    let at = min(first / 32u, 5u);
    let by = first % 32u;
    var words = vec3<u32>(table[at], table[at + 1u], table[at + 2u]);
    if (by > 0u) {
        let next = vec3<u32>(table[at + 1u], table[at + 2u], table[at + 3u]);
        words = (words << vec3<u32>(by)) | (next >> vec3<u32>(32u - by));
    }
    let low = mantissa * words.z;
    let middle = mantissa * words.y;
    let sum = middle + high_word(mantissa, words.z);
    let top = mantissa * words.x + high_word(mantissa, words.y) + select(0u, 1u, sum < middle);
    // Two bits of quarters, then what is left of one; over a half counts down from the next.
    var fraction = vec2<u32>((top << 2u) | (sum >> 30u), (sum << 2u) | (low >> 30u));
    let over = fraction.x >= 0x80000000u;
    if (over) { fraction = vec2<u32>(~fraction.x, ~fraction.y); }
    let quarters = (top >> 30u) + select(0u, 1u, over);
    let zeros = min(countLeadingZeros(fraction.x), 31u);
    let lower = select(fraction.y >> ((32u - zeros) & 31u), 0u, zeros == 0u);
    let share = f32((fraction.x << zeros) | lower) * bitcast<f32>((95u - zeros) << 23u);
    let r = select(share, -share, over) * 1.5707963267948966;
    let negative = x < 0.0;
    return vec2<f32>(select(r, -r, negative), f32(select(quarters, 4u - (quarters & 3u), negative) & 3u));
}

// x = n pi/2 + r with |r| <= pi/4; pi/2 in parts of few digits, so that n times the first two
// is exact for |x| up to 50,000, and the third leaves enough digits up to 5,000. y: n modulo 4.
fn quarter_turns(x: f32) -> vec2<f32> {
    let exponent = (bitcast<u32>(x) >> 23u) & 0xffu;
    if (abs(x) > 5000.0 && exponent < 255u) { return quarter_turns_of_large(x); }
    let n = round(x * 0.6366197723675814);
    let r = ((x - n * 1.5703125) - n * 4.837512969970703e-4) - n * 7.549789954891882e-8;
    return vec2<f32>(r, n - 4.0 * floor(n * 0.25));
}

fn sin_near_zero(r: f32) -> f32 {
    let q = r * r;
    return r * (1.0 + q * (-1.0 / 6.0 + q * (1.0 / 120.0 + q * (-1.0 / 5040.0 + q / 362880.0))));
}

fn cos_near_zero(r: f32) -> f32 {
    let q = r * r;
    return 1.0 + q * (-0.5 + q * (1.0 / 24.0 + q * (-1.0 / 720.0 + q * (1.0 / 40320.0 - q / 3628800.0))));
}

fn sin_of_turns(turns: vec2<f32>) -> f32 {
    let odd = turns.y == 1.0 || turns.y == 3.0;
    let y = select(sin_near_zero(turns.x), cos_near_zero(turns.x), odd);
    return select(y, -y, turns.y >= 2.0);
}

fn sin_of(x: f32) -> f32 { return sin_of_turns(quarter_turns(x)); }

fn cos_of(x: f32) -> f32 {
    let turns = quarter_turns(x);
    let next = turns.y + 1.0;
    return sin_of_turns(vec2<f32>(turns.x, select(next, 0.0, next >= 4.0)));
}

// Bases below zero have powers for whole exponents alone; small ones are multiplied out.
fn power_of(a: f32, b: f32) -> f32 {
    if (b == 0.5) { return sqrt(a); }
    let whole = floor(b) == b;
    if (whole && abs(b) <= 64.0) {
        var rest = u32(abs(b));
        var square = a;
        var product = 1.0;
        while (rest != 0u) {
            if ((rest & 1u) == 1u) { product = product * square; }
            rest = rest >> 1u;
            if (rest != 0u) { square = square * square; }
        }
        return select(product, 1.0 / product, b < 0.0);
    }
    if (a == 0.0) { return select(1.0 / abs(a), 0.0, b > 0.0); }
    if (a < 0.0 && !whole) { return not_a_number(); }
    let size = exp_of(b * log_of(abs(a)));
    let odd = whole && b - 2.0 * floor(b * 0.5) == 1.0;
    return select(size, -size, a < 0.0 && odd);
}

// The remainder of a / b with the sign of a, exact: seven binary digits of the quotient a round.
fn fmod_of(a: f32, b: f32) -> f32 {
    let x = bitcast<u32>(a) & 0x7fffffffu;
    let y = bitcast<u32>(b) & 0x7fffffffu;
    if (x >= 0x7f800000u || y > 0x7f800000u || y == 0u) { return not_a_number(); }
    if (x < y || y < 0x00800000u) { return a; }
    let divisor = (y & 0x7fffffu) | 0x800000u;
    let exponent = y >> 23u;
    var rest = ((x & 0x7fffffu) | 0x800000u) % divisor;
    var more = (x >> 23u) - exponent;
    while (more != 0u) {
        let digits = min(more, 7u);
        rest = (rest << digits) % divisor;
        more = more - digits;
    }
    // rest 2^(exponent - 150), in two steps because 2^-149 is no power that f32 holds.
    let n = i32(exponent) - 150;
    let half_way = n / 2;
    let y_size = f32(rest) * two_to(half_way) * two_to(n - half_way);
    return select(y_size, -y_size, a < 0.0);
}

// The remainder with the sign of b.
fn floor_mod_of(a: f32, b: f32) -> f32 {
    let rest = fmod_of(a, b);
    return select(rest, rest + b, rest != 0.0 && (rest < 0.0) != (b < 0.0));
}

// By its series up to tan(pi/8), to which larger ones are turned back.
fn atan_of(x: f32) -> f32 {
    let a = abs(x);
    var t = a;
    if (a > 1.0) { t = 1.0 / a; }
    let turned = t > 0.41421356;
    if (turned) { t = (t - 1.0) / (t + 1.0); }
    let q = t * t;
    var y = t * (1.0 + q * (-1.0 / 3.0 + q * (1.0 / 5.0 + q * (-1.0 / 7.0 + q * (1.0 / 9.0
        + q * (-1.0 / 11.0 + q * (1.0 / 13.0 + q * (-1.0 / 15.0 + q / 17.0))))))));
    if (turned) { y += 0.7853981633974483; }
    if (a > 1.0) { y = 1.5707963267948966 - y; }
    return select(y, -y, x < 0.0);
}

// asin(x) for 0 <= x <= 1/2.
fn asin_below_half(x: f32) -> f32 { return atan_of(x / sqrt((1.0 - x) * (1.0 + x))); }

// acos(x) for 1/2 <= x <= 1.
fn acos_above_half(x: f32) -> f32 { return 2.0 * asin_below_half(sqrt((1.0 - x) * 0.5)); }

fn asin_of(x: f32) -> f32 {
    let a = abs(x);
    var y = 0.0;
    if (a <= 0.5) { y = asin_below_half(a); } else { y = 1.5707963267948966 - acos_above_half(a); }
    return select(y, -y, x < 0.0);
}

fn acos_of(x: f32) -> f32 {
    if (abs(x) <= 0.5) { return 1.5707963267948966 - asin_of(x); }
    let y = acos_above_half(abs(x));
    return select(y, 3.141592653589793 - y, x < 0.0);
}

// Half of exp(a) for a >= 40, of which exp(a) itself may be beyond f32.
fn half_exp(a: f32) -> f32 {
    let root = exp_of(0.5 * a);
    return 0.5 * root * root;
}

fn sinh_of(x: f32) -> f32 {
    let a = abs(x);
    let e = expm1_of(min(a, 40.0));
    let y = select(0.5 * (e + e / (e + 1.0)), half_exp(a), a > 40.0);
    return select(y, -y, x < 0.0);
}

fn cosh_of(x: f32) -> f32 {
    let a = abs(x);
    let e = exp_of(min(a, 40.0));
    return select(0.5 * (e + 1.0 / e), half_exp(a), a > 40.0);
}

fn asinh_of(x: f32) -> f32 {
    let a = abs(x);
    var y = 0.0;
    if (a <= 0.5) {
        y = log1p_of(a + a * a / (1.0 + sqrt(1.0 + a * a)));
    } else if (a <= 10000.0) {
        y = log_of(a + sqrt(a * a + 1.0));
    } else {
        y = log_of(a) + 0.6931471805599453;
    }
    return select(y, -y, x < 0.0);
}

fn acosh_of(x: f32) -> f32 {
    let t = x - 1.0;
    if (t < 0.0) { return sqrt(t); }
    if (t <= 0.25) { return log1p_of(t + sqrt(t * (2.0 + t))); }
    if (x <= 10000.0) { return log_of(x + sqrt(t * (x + 1.0))); }
    return log_of(x) + 0.6931471805599453;
}

fn atanh_of(x: f32) -> f32 {
    if (abs(x) <= 0.33) { return 0.5 * twice_atanh(x); }
    return 0.5 * log_of((1.0 + x) / (1.0 - x));
}
