"""Main window: panes, toolbar, dock, pages, menus, and action handlers."""
