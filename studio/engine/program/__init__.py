"""This program's folders, command, log and notifications between its processes."""
