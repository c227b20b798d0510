"""Figures, tables and files that people look at."""

from askless.report.paper import Figure, paper_figures, write_paper

__all__ = ["Figure", "paper_figures", "write_paper"]
