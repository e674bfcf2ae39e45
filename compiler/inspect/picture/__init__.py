"""The computation graph of a run, laid out and drawn."""
