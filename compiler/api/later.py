"""What `vjp` and `jvp` return if they get a function alone: a function of the arguments that are left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backsweep.sending.sent import Parts, Sent
from backsweep.specialise.asked import shown_name
from backsweep.tracebacks import hide


class Later(Sent):
    """A request that waits for the arguments of its function: `bs.vjp(f)` and `bs.jvp(f)`."""

    def __init__(
        self, request: Callable[..., Any], called: str, f: Callable[..., Any], options: dict[str, Any]
    ) -> None:
        self._request = request
        self.called = called
        self.function = f
        self.options = options
        self.__name__ = shown_name(f)
        self.__doc__ = f.__doc__

    def __call__(self, *args: Any) -> Any:
        """The same as the request of the function and these arguments."""
        try:
            return self._request(self.function, *args, **self.options)
        except BaseException as error:
            hide(error)
            raise

    def __repr__(self) -> str:
        return f"<backsweep {self.called} of {self.__name__}>"

    def made_from(self) -> Parts:
        """What was asked for."""
        return Later, (self._request, self.called, self.function, self.options)

    @property
    def only_from_python(self) -> tuple[str, str]:
        """Why it cannot be called inside of what is differentiated, and what to write there instead."""
        message = f"what `bs.{self.called}` returns can be called from Python only"
        remedy = "call what bs.grad or bs.jacobian returns: in compiled code it is a function like any other."
        return message, f"{remedy} That of a batch is bs.{self.called}(bs.batch(f))."
