"""The middle of the window while a whole plan is selected."""
