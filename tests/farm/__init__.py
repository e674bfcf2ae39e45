"""A farm of random programs: all families and mutants, for hours, in processes that may hang or die; results in a ledger."""
