"""Store emitted modules as files that are found by their content, and write standalone modules."""
