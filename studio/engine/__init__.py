"""Safety engine: paths, policy, plans, diffs, journal and writing.

It uses neither Qt nor the network.
"""
