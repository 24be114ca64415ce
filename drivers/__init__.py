"""Bytes and devices: bet sensors, lock-out button, lamps, shoe.

Nothing here knows of money, and nothing here may import `controller`.
"""
