"""Table of actions, their keys, and the checks of key presses."""
