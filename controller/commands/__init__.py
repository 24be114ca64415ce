"""What people and tools ask of a table: bytes in, bytes out. Who carries them is no part of it, but for `client`."""

from controller.commands.answering import Commands

__all__ = ["Commands"]
