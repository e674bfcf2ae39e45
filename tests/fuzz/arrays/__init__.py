"""Random programs of array statements, each called with several settings of its extents, in other layouts, with aliases."""
