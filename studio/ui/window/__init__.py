"""The frame of a window: its panes, bars, menus and the one table of actions."""
