"""What takes the items of generators: one at a time, or all at once where nobody could tell that they were computed early."""
