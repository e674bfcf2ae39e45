"""What emitted kernels call on a GPU, and what the host calls to start them; emitted code for a GPU alone loads it."""
