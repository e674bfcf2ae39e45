"""Tests of `compiler/pipeline.py`: the table of passes, each pass by examples, the layers, the work done."""
