"""Counters: a list of keys beside a list of counts, as all dicts whose keys the run computes.

The compiler writes these functions out where they are called. What a counter is made of may be the counter itself.
"""

from __future__ import annotations

from backsweep.runtime.lists.dicts import place_in, value_or
from backsweep.runtime.lists.sequences import inlined_in_bounds


@inlined_in_bounds
def added_counts(keys, values, left_keys, left_values, right_keys, right_values) -> None:
    """`c + d`: the counts that are positive."""
    for k in range(len(left_keys)):
        count = left_values[k] + value_or(right_keys, right_values, left_keys[k], 0)
        if count > 0:
            keys.append(left_keys[k])
            values.append(count)
    for k in range(len(right_keys)):
        if right_values[k] > 0 and place_in(left_keys, right_keys[k]) < 0:
            keys.append(right_keys[k])
            values.append(right_values[k])


@inlined_in_bounds
def remaining_counts(keys, values, left_keys, left_values, right_keys, right_values) -> None:
    """`c - d`."""
    for k in range(len(left_keys)):
        count = left_values[k] - value_or(right_keys, right_values, left_keys[k], 0)
        if count > 0:
            keys.append(left_keys[k])
            values.append(count)
    for k in range(len(right_keys)):
        if right_values[k] < 0 and place_in(left_keys, right_keys[k]) < 0:
            keys.append(right_keys[k])
            values.append(0 - right_values[k])


@inlined_in_bounds
def common_counts(keys, values, left_keys, left_values, right_keys, right_values) -> None:
    """`c & d`: the smaller counts."""
    for k in range(len(left_keys)):
        other = value_or(right_keys, right_values, left_keys[k], 0)
        count = min(other, left_values[k])
        if count > 0:
            keys.append(left_keys[k])
            values.append(count)


@inlined_in_bounds
def largest_counts(keys, values, left_keys, left_values, right_keys, right_values) -> None:
    """`c | d`: the larger counts."""
    for k in range(len(left_keys)):
        other = value_or(right_keys, right_values, left_keys[k], 0)
        count = max(left_values[k], other)
        if count > 0:
            keys.append(left_keys[k])
            values.append(count)
    for k in range(len(right_keys)):
        if right_values[k] > 0 and place_in(left_keys, right_keys[k]) < 0:
            keys.append(right_keys[k])
            values.append(right_values[k])


@inlined_in_bounds
def positive_counts(keys, values, other_keys, other_values) -> None:
    """`+c`."""
    for k in range(len(other_keys)):
        if other_values[k] > 0:
            keys.append(other_keys[k])
            values.append(other_values[k])


@inlined_in_bounds
def negative_counts(keys, values, other_keys, other_values) -> None:
    """`-c`."""
    for k in range(len(other_keys)):
        if other_values[k] < 0:
            keys.append(other_keys[k])
            values.append(0 - other_values[k])
