"""The one table of actions, the keys that run them, and whether a press counts."""
