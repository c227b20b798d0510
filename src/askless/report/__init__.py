"""What others computed, drawn and written to files: tables, figures, pages."""

from askless.report.paper_report import write_paper

__all__ = ["write_paper"]
