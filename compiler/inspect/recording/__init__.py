"""Record one run of a function, and compute adjoints by going back over the record."""
