"""Objects of the user's classes that the program makes: made, read and changed while compiling, attribute by attribute."""
