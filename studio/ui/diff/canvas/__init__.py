"""The rows of a diff painted, scrolled and pressed, and the map beside them."""
