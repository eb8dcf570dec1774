"""How wide a tab is drawn, wherever code or text is shown; no toolkit."""

TAB_COLUMNS = 4
