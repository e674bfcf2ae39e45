"""Objects of libraries whose methods lowering knows by text of ours."""
