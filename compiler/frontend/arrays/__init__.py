"""What lowering knows of the extents of arrays, and arrays that are written between brackets."""
