"""Random programs of Python's containers and of classes with methods of their own, as plain Python has them."""
