"""The command line: `jackpotd`. It may import everything, nothing imports it; a command is imported when called."""
