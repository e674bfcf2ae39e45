"""From a typed program to the core language, in which every operation has one meaning and one rule."""
