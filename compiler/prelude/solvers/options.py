"""What all solvers ask of their options."""

from __future__ import annotations

from backsweep.prelude.declare import has_known_items, is_known, refuse


def left_out(called, *options) -> None:
    """Refuse options that are given: each with its name, what is given, and what to write."""
    for name, given, remedy in options:
        if not is_known(given) or not (
            given is None or (isinstance(given, (bool, int, float)) and not given)
        ):
            refuse(
                f"`{name}` of `{called}` is not supported where the call is differentiated", remedy, "BS202"
            )


def one_of(called, name, given, known, remedy) -> None:
    """Refuse an option that is none of these."""
    if not is_known(given) or given not in known:
        words = " nor ".join([f"'{each}'" for each in known])
        refuse(f"`{name}` of `{called}` is neither {words}", remedy, "BS202")


def more(args):
    """The further arguments of a function, as a tuple whose parts are known."""
    if args is None:
        return ()
    return args if has_known_items(args) else (args,)
