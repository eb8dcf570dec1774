"""The diff of one step, painted: rows, gutter, overview map, colours, special panels.

`view.DiffView` is the widget. `columns`, `layout` and `colouring` know no Qt; a child process imports the
last one, so nothing is imported here.
"""
