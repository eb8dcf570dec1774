"""The middle of the window while a step is selected: its header, its banners and its editors."""
