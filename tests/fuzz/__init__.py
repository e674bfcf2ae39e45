"""Random programs: generated, differentiated, compared with the complex step, shrunk when they disagree."""
