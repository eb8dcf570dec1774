"""Tab width in all code and text views; free of Qt."""

TAB_COLUMNS = 4
