"""The process of the window: its start, its windows and the bell, the smoke run, the pauses of garbage."""
