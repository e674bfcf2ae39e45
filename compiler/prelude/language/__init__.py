"""What constructs of Python mean where the run decides what they find: items by computed keys, arguments that are spread, flags."""

from backsweep.prelude.language import items, memory

__all__ = ["items", "memory"]
