//! Requests to a model that is described.

use super::{Request, Workload};
use crate::generate::closed_forms::cache_bits;
use crate::generate::{NoTransformer, Positions, Transformer};
use crate::units::Bytes;
use crate::{Message, message};

impl Workload {
    /// The same requests to a model whose keys and values have so many bits. Beside it what is to be
    /// said: where only some layers have a window, all are counted without one.
    ///
    /// # Errors
    /// [`NoTransformer`] where it keeps nothing, or a request is longer than there are places.
    pub fn with_model(
        self,
        of: &Transformer,
        bits: u64,
    ) -> Result<(Self, Option<Message>), NoTransformer> {
        if !of.decoder {
            let why = message!("an encoder keeps no keys and values");
            return Err(NoTransformer { at: "mode", why });
        }
        let most = self.requests.iter().map(Request::tokens).max();
        if let Positions::Learned(places) = of.positions
            && most > Some(places)
        {
            let why = message!("places are learned for {} tokens only", places);
            return Err(NoTransformer { at: "tokens", why });
        }
        let token = u64::try_from(cache_bits(of, (1, 1), bits).div_ceil(8)).unwrap_or(u64::MAX);
        let windowed = (0..of.layers).filter(|layer| of.window_of(*layer).is_some());
        let (window, said) = match (of.window, windowed.count() as u64) {
            (Some(window), count) if count == of.layers => (Some(window.tokens), None),
            (_, 0) => (self.window, None),
            (_, count) => {
                let why = message!(
                    "{} of {} layers have a window, and are counted as those that have none",
                    count,
                    of.layers
                );
                (self.window, Some(why))
            }
        };
        let made = Self {
            token: Bytes(token.max(1)),
            window,
            ..self
        };
        Ok((made, said))
    }
}
