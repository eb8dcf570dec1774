"""Window frame: panes, bars, menus, and the table of actions."""
