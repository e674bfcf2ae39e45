"""What `explain` tells of each value, and the page that shows a function beside its emitted code."""
