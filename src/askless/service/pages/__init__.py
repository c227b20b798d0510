"""The pages on which people answer: plain forms that work without JavaScript."""

from askless.service.pages.happened import page_of
from askless.service.pages.person import Happened
from askless.service.pages.routes import pages

__all__ = ["Happened", "page_of", "pages"]
