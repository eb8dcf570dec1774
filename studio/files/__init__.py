"""Immediate file actions for programs that embed the engine.

No door and no window imports it.
"""
