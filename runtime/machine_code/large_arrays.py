"""Large arrays get large pages, as NumPy's have them.

Memory that is new to the process comes page by page, each page filled with zeros at its first touch. For an array of some
megabytes this costs several times more than a loop that fills it. Linux gives pages of two megabytes instead of four
kilobytes to those who ask (`madvise`). NumPy asks for its arrays; Numba does not ask for those that compiled code makes. So our
machine code asks: a function of a few lines takes the place of Numba's allocator in each library, and calls it.

Nothing is asked for where the system is not Linux, or where `NUMPY_MADVISE_HUGEPAGE=0` tells NumPy not to.

Source: the Linux manual, madvise(2), MADV_HUGEPAGE.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import llvmlite.binding as llvm

VARIABLE = "NUMPY_MADVISE_HUGEPAGE"
"""NumPy's environment variable; 0 switches large pages off, here too."""
LARGE = 2**22
"""Fewer bytes have usual pages: NumPy's bound."""
_ALLOCATOR = "NRT_MemInfo_alloc_aligned"
_PREFIX, _PLACE = "backsweep_allocated_", "PLACE"
_PAGE, _ADVICE = 2**12, 14
_DEFINITION = f"""
declare noalias ptr @{_ALLOCATOR}(i64, i32)
declare ptr @NRT_MemInfo_data(ptr)
declare i32 @madvise(ptr, i64, i32)

define noalias ptr @{_PLACE}(i64 %size, i32 %align) noinline {{
  %array = call noalias ptr @{_ALLOCATOR}(i64 %size, i32 %align)
  %is_large = icmp uge i64 %size, {LARGE}
  %is_there = icmp ne ptr %array, null
  %asks = and i1 %is_large, %is_there
  br i1 %asks, label %ask, label %done
ask:
  %data = call ptr @NRT_MemInfo_data(ptr %array)
  %start = ptrtoint ptr %data to i64
  %end = add i64 %start, %size
  %behind = add i64 %start, {_PAGE - 1}
  %page = and i64 %behind, {-_PAGE}
  %length = sub i64 %end, %page
  %first = inttoptr i64 %page to ptr
  %refused = call i32 @madvise(ptr %first, i64 %length, i32 {_ADVICE})
  br label %done
done:
  ret ptr %array
}}
"""
"""The allocator that asks. A refusal changes nothing, so that the answer is not read."""


def is_wanted() -> bool:
    """Whether code that is compiled now asks for large pages."""
    return (
        sys.platform == "linux"
        and llvm.llvm_version_info >= (17,)  # earlier ones have other types of pointers
        and os.environ.get(VARIABLE, "1") != "0"
    )


def ask_for_large_pages(module: Any) -> None:
    """Have all that an LLVM module allocates ask for large pages."""
    names = {each.name for each in module.functions}
    if _ALLOCATOR not in names:
        return
    # libraries that are linked to this one bring an allocator of their own
    name = next(name for k in range(len(names)) if (name := f"{_PREFIX}{k}") not in names)
    module.get_function(_ALLOCATOR).name = name
    definition = llvm.parse_assembly(_DEFINITION.replace(_PLACE, name))
    definition.triple, definition.data_layout = module.triple, module.data_layout
    module.link_in(definition)
    module.get_function(name).linkage = "internal"
