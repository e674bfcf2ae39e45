"""Functions that stay calls: recursive ones, marked ones (`bs.checkpoint`), and hooks and pullbacks of the user's."""
