"""What a transformation returns: a callable with code of its own for each signature."""
