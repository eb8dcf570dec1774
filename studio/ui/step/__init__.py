"""The middle of the window while a step is selected: its header, its strips and its editors."""
