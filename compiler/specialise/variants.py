"""Calls from Python of code that assumes relations between extents: each call runs code whose assumptions it meets.

The code checks its assumptions first. Where they do not hold, the call is tried with the other code that there is,
then with new code for its own relations; beyond `MOST` of these, with the code that assumes nothing.
"""

from __future__ import annotations

from typing import Any

from backsweep.dispatch.dispatchers import Assuming, Specialising

MOST = 4


class Variants:
    """The code of a transformed function (`owner`) for different relations, the one that was used last first."""

    def __init__(self, owner: Any, general: Specialising) -> None:
        self._owner = owner
        self._general = general
        self._dispatchers = [Assuming(owner)]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the code whose assumptions the arguments meet."""
        try:
            return self._dispatchers[0](*args, **kwargs)
        except ValueError as error:
            if not self._owner.assumed(error):
                raise
        return self._elsewhere(args, kwargs)

    def _elsewhere(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run other code than the first."""
        for dispatcher in self._dispatchers[1:]:
            try:
                result = dispatcher(*args, **kwargs)
            except ValueError as error:
                if not self._owner.assumed(error):
                    raise
            else:
                self._use_first(dispatcher)
                return result
        if len(self._dispatchers) == MOST:
            return self._general(*args, **kwargs)
        made = Assuming(self._owner)
        result = made(*args, **kwargs)
        self._use_first(made)
        return result

    def _use_first(self, dispatcher: Assuming) -> None:
        """Try this code first in the next call."""
        self._dispatchers = [dispatcher, *(each for each in self._dispatchers if each is not dispatcher)]
