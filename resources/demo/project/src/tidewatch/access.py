"""Who may change the marks through the web page."""

import hmac

ROLES = ("guest", "harbour master")


def is_valid_token(given: str, expected: str) -> bool:
    """Compares in the same time whatever is wrong."""
    return hmac.compare_digest(given.encode(), expected.encode())


def may_change_marks(role: str) -> bool:
    """Only the harbour master may."""
    if role not in ROLES:
        raise ValueError(f"unknown role {role}")
    return role == "harbour master"
