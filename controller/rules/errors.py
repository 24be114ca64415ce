"""What all refusals of bad input have in common."""


class BadInputError(ValueError):
    """Input that cannot be: the message names the input and what would be right."""
