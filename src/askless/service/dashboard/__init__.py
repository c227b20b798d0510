"""The dashboard of a live study, for its administrators."""

from askless.service.dashboard.assets import files
from askless.service.dashboard.routes import dashboard

__all__ = ["dashboard", "files"]
