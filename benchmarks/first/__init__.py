"""How long the first gradient of a function takes: programs as people write them, each in a process of its own."""
