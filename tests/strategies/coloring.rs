//! The five colourings of the interference graph.
