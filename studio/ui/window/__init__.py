"""Main window: panes, toolbar, dock, pages, menus, and action handlers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.late_names import late_names

if TYPE_CHECKING:
    from studio.ui.window.banners import RecoveryBanner, TrustBanner
    from studio.ui.window.first_steps import FirstDay
    from studio.ui.window.handlers import WindowActions
    from studio.ui.window.opening import close_project, first_messages, open_project
    from studio.ui.window.panes import Panes
    from studio.ui.window.settings_opener import SettingsDoor
    from studio.ui.window.settings_page import SettingsPage
    from studio.ui.window.start_page import StartPage
    from studio.ui.window.window_help import WindowHelp

__all__ = [
    "FirstDay",
    "Panes",
    "RecoveryBanner",
    "SettingsDoor",
    "SettingsPage",
    "StartPage",
    "TrustBanner",
    "WindowActions",
    "WindowHelp",
    "close_project",
    "first_messages",
    "open_project",
]

__getattr__ = late_names(
    __name__,
    {
        "studio.ui.window.banners": "RecoveryBanner TrustBanner",
        "studio.ui.window.first_steps": "FirstDay",
        "studio.ui.window.handlers": "WindowActions",
        "studio.ui.window.opening": "close_project first_messages open_project",
        "studio.ui.window.panes": "Panes",
        "studio.ui.window.settings_opener": "SettingsDoor",
        "studio.ui.window.settings_page": "SettingsPage",
        "studio.ui.window.start_page": "StartPage",
        "studio.ui.window.window_help": "WindowHelp",
    },
)
