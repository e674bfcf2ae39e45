"""Linear algebra: stacks of matrices and the options that compiled code lacks, and matrices that are made of vectors."""
