"""Lower special constructs: lists, namedtuples, dataclasses, iterables, hooks and custom derivatives."""
