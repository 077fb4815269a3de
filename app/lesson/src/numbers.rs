//! The numbers that texts say.

/// The numbers in a text, as they are written: digits with thousands separators and a decimal
/// point, not those that are part of a name such as `t0` or `conv1`.
pub(crate) fn numbers(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        if !letters[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let begin = at;
        while at < letters.len() && continues(&letters, at) {
            at += 1;
        }
        let before = begin.checked_sub(1).map(|it| letters[it]);
        let is_name = before.is_some_and(|it| it.is_ascii_alphabetic() || it == '_');
        let ends_name = letters.get(at).is_some_and(|it| *it == '_');
        if !is_name && !ends_name {
            found.push(letters[begin..at].iter().collect());
        }
        // What is left of a name such as `t0_1`.
        while is_name
            && at < letters.len()
            && (letters[at].is_alphanumeric() || letters[at] == '_')
            && letters[at].is_ascii()
        {
            at += 1;
        }
    }
    found
}

/// Whether the number goes on here: a digit, a point before a digit, or a comma before three.
fn continues(letters: &[char], at: usize) -> bool {
    let digit = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
    let after_digit = at > 0 && digit(at - 1);
    match letters[at] {
        '.' => after_digit && digit(at + 1),
        ',' => after_digit && (1..=3).all(|more| digit(at + more)) && !digit(at + 4),
        _ => digit(at),
    }
}

/// Whether `written` is `number`, rounded to the digits that are written.
pub(crate) fn says(written: &str, number: f64) -> bool {
    let plain = written.replace(',', "");
    let Ok(value) = plain.parse::<f64>() else {
        return false;
    };
    let digits = plain.split_once('.').map_or(0, |(_, digits)| digits.len());
    let digits = i32::try_from(digits).unwrap_or(0);
    (value - number).abs() <= 0.5 * 0.1_f64.powi(digits) + 1e-9
        && (digits > 0 || is_whole(number, value))
}

/// A whole number is said of a whole number only: 96 is no way to say 96.4.
fn is_whole(number: f64, value: f64) -> bool {
    (number - value).abs() < 1e-6
}
