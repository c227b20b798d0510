"""Compiled step functions on plain arrays: the one place where the arithmetic of a policy lives."""
