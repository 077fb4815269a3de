//! XLA's heaps, TVM's USMP and MegEngine's allocators.
