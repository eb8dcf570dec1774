"""The window process: startup, windows, notify socket, smoke run, GC pauses."""
