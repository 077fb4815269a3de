//! What every reader of text must survive: a file that is cut off or damaged anywhere.

use planner::load::{Fault, LoadError};
use tests::chinese::load;
use tests::random::Random;

/// Cuts `whole` at a few hundred places and damages as many copies: all must return, and an
/// error must say where.
pub(crate) fn survives(whole: &[u8]) {
    let places = |count: usize| (0..count).map(move |at| at * whole.len() / count);
    for cut in places(400) {
        returns(&whole[..cut]);
    }
    let mut random = Random::new(0xBAD);
    for _ in 0..400 {
        let mut damaged = whole.to_vec();
        for _ in 0..=random.index(3) {
            let at = random.index(damaged.len());
            damaged[at] = b"0189-,:. x\"{}[]\n\xff"[random.index(17)];
        }
        returns(&damaged);
    }
}

fn returns(bytes: &[u8]) {
    if let Err(error) = load(&bytes.to_vec()) {
        assert!(
            !error.place.is_empty() && !error.message.is_empty(),
            "{error:?}"
        );
    }
}

/// The error of a text that cannot be read.
///
/// # Panics
/// When it can.
pub(crate) fn refused(text: &str) -> LoadError {
    match load(&text.as_bytes().to_vec()) {
        Err(error) => error,
        Ok((format, ..)) => panic!("{format:?}: {text}"),
    }
}

/// Kind, place and the beginning of the message of the error of `text`.
pub(crate) fn assert_refused(text: &str, kind: Fault, place: &str, message: &str) {
    let error = refused(text);
    assert_eq!(
        (error.kind, error.place.to_string().as_str()),
        (kind, place),
        "{error}"
    );
    assert!(error.message.to_string().contains(message), "{error}");
}
