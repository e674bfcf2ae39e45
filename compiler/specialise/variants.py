"""Choose, for each call from Python, among codes that assume different relations between extents: one whose relations hold.

The code checks its assumptions first. Where they do not hold, the call is tried with the other code that there is,
then with new code for its own relations; beyond `MOST` of these, with the code that assumes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from backsweep.dispatch.dispatchers import Assuming, Specialising

MOST = 4
MOST_SIZES = 2
"""How many of them may assume the sizes of small matrices; the others serve all sizes."""


class Variants:
    """The code of a transformed function (`owner`) for different relations, the one that was used last first."""

    def __init__(self, owner: Any, general: Specialising) -> None:
        self._owner = owner
        self._general = general
        self.first = Assuming(owner)
        self._others: tuple[Assuming, ...] = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the code whose assumptions the arguments meet."""
        try:
            return self.first(*args, **kwargs)
        except ValueError as error:
            if not self._owner.assumed(error):
                raise
        return self.elsewhere(args, kwargs)

    def elsewhere(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Run other code than the first."""
        for dispatcher in self._others:
            try:
                result = dispatcher(*args, **kwargs)
            except ValueError as error:
                if not self._owner.assumed(error):
                    raise
            else:
                self._use_first(dispatcher)
                return result
        if len(self._others) + 1 == MOST:
            return self._general(*args, **kwargs)
        made = Assuming(self._owner)
        result = made(*args, **kwargs)
        self._use_first(made)
        return result

    def _use_first(self, dispatcher: Assuming) -> None:
        """Try this code first in the next call."""
        self._others = (self.first, *(each for each in self._others if each is not dispatcher))
        self.first = dispatcher

    def __len__(self) -> int:
        return len(self._others) + 1
