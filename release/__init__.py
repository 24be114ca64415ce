"""What makes a release of jackpotd and looks at it: wheel, sdist, bill of materials, digests, Debian package, audit.

None of it is shipped: `python -m release` runs where the development packages are installed.
"""
