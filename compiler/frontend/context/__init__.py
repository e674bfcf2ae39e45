"""What all of lowering shares: names, facts about values, and the abstract lowerer that each part asks for the others."""
