"""File creation and appending without review, for programs that embed the engine.

No door and no window imports it.
"""
