"""Write statements that lowering does not know in terms of those that it knows."""
