"""Containers of Python's library: classes that keep their items in lists."""

from backsweep.prelude.containers import deques, fields, lookups, named, sets, tables

__all__ = ["deques", "fields", "lookups", "named", "sets", "tables"]
