"""The machine code of emitted functions, kernels and implementations: how LLVM makes it, and how it is kept between processes."""
