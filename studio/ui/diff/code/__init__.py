"""Lines of code made ready for the painter: colours, glyphs, wrapping, what is selected."""
