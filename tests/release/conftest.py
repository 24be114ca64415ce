"""Fixtures of this folder."""

from tests.release.places import release

__all__ = ("release",)
