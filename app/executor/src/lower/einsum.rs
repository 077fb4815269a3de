//! Einsum of one or two operands: the letters of its equation → strides.

use planner::{Message, message};

use super::Dispatches;
use super::call::{Call, all_floats};
use crate::kernels::{ContractParams, Kernel, MAX_RANK, grid};
use crate::recording::{Dispatch, Operand};

/// A letter with its size and its strides in the two operands, 0 where one has not got it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Letter {
    name: char,
    size: u32,
    strides: [u32; 2],
}

/// The dispatch of an equation.
///
/// # Errors
/// When there are more than two operands, or it says what no kernel computes.
pub(super) fn einsum(call: &Call<'_>, equation: &str) -> Dispatches {
    let equation: String = equation.chars().filter(|c| !c.is_whitespace()).collect();
    let (left, right) = match equation.split_once("->") {
        Some((left, right)) => (left, Some(right.to_owned())),
        None => (equation.as_str(), None),
    };
    let terms: Vec<&str> = left.split(',').collect();
    let without = once(left);
    if terms.len() > 2 {
        return Err(message!(
            "it has {} operands, a kernel takes two",
            terms.len()
        ));
    }
    let mut operands = Vec::new();
    for index in 0..terms.len() {
        operands.push(call.input(index)?);
    }
    let spelt = terms.iter().zip(&operands);
    let spelt = spelt.map(|(term, operand)| spelt_out(term, operand.dims.len()));
    let terms: Vec<String> = spelt.collect::<Result<_, _>>()?;
    let letters = letters(&terms, &operands)?;
    // All that an ellipsis stands for comes first where no output is named.
    let right = right.unwrap_or_else(|| format!("{ELLIPSIS}{without}"));
    let right = right.replace(ELLIPSIS, &ellipsis(&letters));
    let y = call.output(0)?;
    all_floats(operands.iter().copied().chain([y]))?;
    let params = params(&letters, &right, y)?;
    let dispatch = Dispatch::new(Kernel::Contract, &params, grid(y.len()));
    let pair = u32::from(operands.len() == 2);
    let dispatch = dispatch.reads(operands).writes(y);
    Ok(vec![dispatch.constant("PAIR", pair)])
}

/// Stands for as many dimensions as the letters leave over.
const ELLIPSIS: &str = "...";
/// The last of these dimensions as a letter that nobody writes; those before it follow.
const LAST_UNNAMED: u32 = 0xe000;

fn unnamed(back: usize) -> Option<char> {
    let back = u32::try_from(back).ok().filter(|&back| back < 64)?;
    char::from_u32(LAST_UNNAMED + back)
}

/// A term with a letter for each dimension of an operand of this rank.
fn spelt_out(term: &str, rank: usize) -> Result<String, Message> {
    let Some((before, after)) = term.split_once(ELLIPSIS) else {
        return Ok(term.to_owned());
    };
    let named = before.chars().count() + after.chars().count();
    let rest = rank.checked_sub(named);
    let rest = rest.and_then(|rest| (0..rest).rev().map(unnamed).collect::<Option<String>>());
    let rest = rest.ok_or_else(|| message!("term {} is not for a rank of {}", term, rank))?;
    Ok(format!("{before}{rest}{after}"))
}

/// The unnamed dimensions, outermost first.
fn ellipsis(letters: &[Letter]) -> String {
    let known = |name: &char| letters.iter().any(|letter| letter.name == *name);
    let mut found: Vec<char> = (0..).map_while(unnamed).filter(known).collect();
    found.reverse();
    found.into_iter().collect()
}

/// Without an arrow the output has the letters that stand there once, in alphabetical order.
fn once(left: &str) -> String {
    let times = |letter: char| left.matches(letter).count();
    let mut letters: Vec<char> = left
        .chars()
        .filter(|&c| c != ',' && c != '.' && times(c) == 1)
        .collect();
    letters.sort_unstable();
    letters.into_iter().collect()
}

fn letters(terms: &[String], operands: &[&Operand]) -> Result<Vec<Letter>, Message> {
    let mut letters: Vec<Letter> = Vec::new();
    for (index, (term, operand)) in terms.iter().zip(operands).enumerate() {
        if term.chars().count() != operand.dims.len() {
            return Err(message!(
                "term {} is not for {}",
                term,
                format_args!("{:?}", operand.dims)
            ));
        }
        let mut stride = 1_u32;
        for (name, &size) in term.chars().rev().zip(operand.dims.iter().rev()) {
            // A dimension of 1 broadcasts.
            let own = if size == 1 { 0 } else { stride };
            stride = stride.saturating_mul(size);
            match letters.iter_mut().find(|letter| letter.name == name) {
                Some(letter) if letter.size == size || size == 1 => letter.strides[index] += own,
                Some(letter) if letter.size == 1 => {
                    letter.size = size;
                    letter.strides[index] += own;
                }
                Some(_) => return Err(message!("letter {} has two sizes", name)),
                None => {
                    let mut strides = [0; 2];
                    strides[index] = own;
                    letters.push(Letter {
                        name,
                        size,
                        strides,
                    });
                }
            }
        }
    }
    Ok(letters)
}

fn params(letters: &[Letter], right: &str, y: &Operand) -> Result<ContractParams, Message> {
    let mut written = Vec::new();
    for name in right.chars().rev() {
        let found = letters.iter().find(|letter| letter.name == name);
        let found = found.ok_or_else(|| message!("letter {} is in no operand", name))?;
        if written.contains(&found) {
            return Err(message!("letter {} is written twice", name));
        }
        written.push(found);
    }
    let summed: Vec<&Letter> = letters.iter().filter(|x| !written.contains(x)).collect();
    if written.len() > MAX_RANK || summed.len() > MAX_RANK {
        return Err(message!("it has more than {} letters", MAX_RANK));
    }
    let product = |letters: &[&Letter]| {
        let sizes = letters.iter().map(|letter| letter.size);
        sizes.fold(1, u32::saturating_mul)
    };
    if product(&written) != y.len() {
        return Err(message!(
            "{} is not for {}",
            right,
            format_args!("{:?}", y.dims)
        ));
    }
    let rank = |letters: &[&Letter]| planner::narrow(letters.len());
    let all = |letters: &[&Letter], empty: u32, get: fn(&Letter) -> u32| {
        let mut values = [empty; MAX_RANK];
        for (value, letter) in values.iter_mut().zip(letters) {
            *value = get(letter);
        }
        values
    };
    Ok(ContractParams {
        count: y.len(),
        terms: product(&summed),
        rank: rank(&written),
        sum_rank: rank(&summed),
        dims: all(&written, 1, |letter| letter.size),
        a: all(&written, 0, |letter| letter.strides[0]),
        b: all(&written, 0, |letter| letter.strides[1]),
        sum_dims: all(&summed, 1, |letter| letter.size),
        sum_a: all(&summed, 0, |letter| letter.strides[0]),
        sum_b: all(&summed, 0, |letter| letter.strides[1]),
    })
}
