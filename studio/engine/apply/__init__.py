"""Approved steps made to happen: the gateway, its requests, how it ends, and what a crash left behind."""
