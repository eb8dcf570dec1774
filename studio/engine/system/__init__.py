"""What the operating system does for us: its calls, processes, folders and errors; it knows no project."""
