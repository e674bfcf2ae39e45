"""Facts about a program: what is active, what shares memory, what is known before a loop begins."""
