"""The intermediate representation: its nodes, facts about them, and tools to walk, build and rewrite them."""
