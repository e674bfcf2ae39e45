"""The programs that are emitted for a request: gradients, pullbacks, Jacobians, products."""
