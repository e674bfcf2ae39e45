"""Backsweep as a tool of GradBench (`tool`), and a small harness that runs it here."""
