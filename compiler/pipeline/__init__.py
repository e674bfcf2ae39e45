"""The table of passes: `primal.py`, `derivative.py`, and the ways through both in `table.py`; `passes.py` says what a pass is."""
