"""What the farm has done and found, kept in a file from which it goes on."""

from __future__ import annotations

import json
import math
import re
import threading
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Fault:
    """One kind of fault: its first program, made small, and how often programs came to it."""

    signature: str
    verdict: str
    family: str
    seed: int
    compiled: bool
    message: str
    arguments: str
    text: str
    times: int = 1


@dataclass
class Ledger:
    """Outcomes and seconds by family and way, the next seed of each family, refusals and skips by reason, and faults."""

    path: Path
    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    next_seed: dict[str, int] = field(default_factory=dict)
    reasons: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)
    faults: dict[str, Fault] = field(default_factory=dict)
    hours: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def read(cls, path: Path) -> Ledger:
        """The ledger of a file; an empty one if there is none."""
        ledger = cls(path)
        if path.exists():
            kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            ledger.outcomes = {key: Counter(value) for key, value in kept["outcomes"].items()}
            ledger.next_seed = kept["next_seed"]
            ledger.reasons = Counter(kept["reasons"])
            ledger.seconds = Counter(kept["seconds"])
            ledger.faults = {each["signature"]: Fault(**each) for each in kept["faults"]}
            ledger.hours = kept["hours"]
        return ledger

    def write(self) -> None:
        """Keep it, whole or not at all."""
        kept = {
            "programs": sum(sum(counts.values()) for counts in self.outcomes.values()),
            "hours": round(self.hours, 3),
            "totals": dict(sum(self.outcomes.values(), Counter())),
            "outcomes": {key: dict(counts) for key, counts in sorted(self.outcomes.items())},
            "seconds": dict(sorted(self.seconds.items())),
            "next_seed": self.next_seed,
            "faults": [asdict(fault) for fault in self.faults.values()],
            "reasons": dict(self.reasons.most_common(200)),
        }
        partial = self.path.with_suffix(".part")
        partial.write_text(json.dumps(kept, indent=1), encoding="utf-8")
        partial.replace(self.path)

    def take_seed(self, family: str, first: int) -> int:
        """A seed that no program of the family had."""
        with self.lock:
            seed = self.next_seed.get(family, first)
            self.next_seed[family] = seed + 1
            return seed

    def count(self, family: str, verdict: str, message: str, seconds: float, *, jit: bool) -> None:
        """Note one outcome."""
        with self.lock:
            key = f"{family}, {'compiled' if jit else 'plain'}"
            self.outcomes.setdefault(key, Counter())[verdict] += 1
            self.seconds[key] += math.ceil(seconds)
            if verdict in ("refused", "skipped"):
                self.reasons[f"{verdict}: {reason(message)}"] += 1


def reason(message: str) -> str:
    """The first line of a message without what differs from program to program."""
    lines = message.splitlines() or [""]
    return re.sub(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?", "0", lines[0])[:120]
