"""Keep emitted modules on the disk, by content, with the objects that are bound outside their text; and facts about programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from backsweep.emit.identity import content
from backsweep.emit.module import Module
from backsweep.store import text_files as cache


def remember_module(key: str, module: Module, known: Mapping[str, Any]) -> None:
    """Keep a module if all objects bound outside its text are in `known`, which maps content to objects."""
    bound = {name: content(thing) for name, thing in module.bindings.items()}
    if all(identity in known for identity in bound.values()):
        cache.remember("emitted", key, json.dumps({"text": module.text, "bindings": bound}))


def remembered_module(key: str, known: Mapping[str, Any]) -> Module | None:
    """The module that was kept under the key; None if there is none."""
    stored = cache.remembered("emitted", key)
    if stored is None:
        return None
    found = json.loads(stored)
    return Module(found["text"], {name: known[identity] for name, identity in found["bindings"].items()})


def remember_facts(key: str, facts: object) -> None:
    """Keep what was found out about a program, as lists, texts and numbers."""
    cache.remember("facts", key, json.dumps(facts))


def remembered_facts(key: str, missing: object) -> Any:
    """What was kept under the key; `missing` if there is nothing."""
    stored = cache.remembered("facts", key)
    return missing if stored is None else json.loads(stored)
