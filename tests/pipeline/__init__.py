"""Tests of `compiler/pipeline/`: the table of passes, each pass by examples, the layers, the work done."""
