"""The intermediate representation: its nodes, what is known of them, and how to read, build and rewrite them."""
