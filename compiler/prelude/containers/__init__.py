"""Containers of Python's library: classes that keep their items in lists."""

from backsweep.prelude.containers import deques, lookups, named, sets, tables

__all__ = ["deques", "lookups", "named", "sets", "tables"]
