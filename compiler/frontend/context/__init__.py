"""The state that all of lowering shares: names, facts about values, and the abstract `Lowerer` that links its parts."""
