"""The window process: startup, windows, notifications, uncaught exceptions, smoke run, garbage collection."""
