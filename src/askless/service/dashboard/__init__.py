"""The dashboard of a live study, for its administrators."""

from askless.service.dashboard.assets import files
from askless.service.dashboard.routes import dashboard
from askless.service.dashboard.seats import Door

__all__ = ["Door", "dashboard", "files"]
