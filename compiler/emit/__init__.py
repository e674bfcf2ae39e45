"""From IR to Python that people read."""
