//! TensorFlow's and PyTorch's allocators, replayed.
