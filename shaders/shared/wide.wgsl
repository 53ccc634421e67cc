// Signed 64-bit integers, as edge functions of large triangles need them. With `split_words` they are pairs of 32-bit
// words in two's complement, for devices without 64-bit integers. Both have the same values, bit by bit.

import package::shared::clock::{Wide, mul_wide};

@if(!split_words) alias WideInteger = i64;
@if(split_words) alias WideInteger = Wide;

@if(!split_words)
fn wide_product(a: i32, b: i32) -> WideInteger {
    return i64(a) * i64(b);
}

@if(split_words)
fn wide_product(a: i32, b: i32) -> WideInteger {
    let words = vec2<u32>(vec2<i32>(a, b));
    var product = mul_wide(words.x, words.y);
    // A negative factor is 2^32 too large as an unsigned word.
    product.high -= select(0u, words.y, a < 0) + select(0u, words.x, b < 0);
    return product;
}

@if(!split_words)
fn wide_difference(a: WideInteger, b: WideInteger) -> WideInteger {
    return a - b;
}

@if(split_words)
fn wide_difference(a: WideInteger, b: WideInteger) -> WideInteger {
    return Wide(a.high - b.high - select(0u, 1u, a.low < b.low), a.low - b.low);
}

// Sign: -1, 0 or 1.
@if(!split_words)
fn wide_sign(a: WideInteger) -> i32 {
    return select(0, 1, a > 0li) - select(0, 1, a < 0li);
}

@if(split_words)
fn wide_sign(a: WideInteger) -> i32 {
    return select(select(0, 1, (a.high | a.low) != 0u), -1, i32(a.high) < 0);
}

@if(!split_words)
fn wide_float(a: WideInteger) -> f32 {
    return f32(a);
}

// Nearest float. The leading 32 bits are converted; a sticky bit stands for those below, so that they are rounded once.
@if(split_words)
fn wide_float(a: WideInteger) -> f32 {
    let negative = i32(a.high) < 0;
    let low = select(a.low, 0u - a.low, negative);
    let high = select(a.high, ~a.high + select(0u, 1u, a.low == 0u), negative);
    let sign = select(1.0, -1.0, negative);
    if high == 0u {
        return sign * f32(low);
    }
    let zeros = countLeadingZeros(high);
    let leading = (high << zeros) | ((low >> 1u) >> (31u - zeros));
    let sticky = select(0u, 1u, (low << zeros) != 0u);
    // 2^(32 - zeros), by its exponent bits
    let scale = bitcast<f32>((159u - zeros) << 23u);
    return sign * f32(leading | sticky) * scale;
}
