"""The command line: `jackpotd`. It may import everything; nothing imports it. Commands are imported when they are called."""
