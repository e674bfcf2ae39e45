"""Strong zeros: where an adjoint or a tangent is exactly zero, a singular partial derivative contributes zero."""
