"""Fields with a list below, over the window: commands, keys, files."""
