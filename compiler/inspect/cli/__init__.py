"""The command line and its demo."""
