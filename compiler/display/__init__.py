"""What all displays are made of: HTML with one style, highlighted code, pictures of matrices, and what a terminal can show."""
