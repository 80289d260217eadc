"""Mistakes of the user that are not in a scenario. Those in a scenario are `photocol.ScenarioError`."""


class InputError(ValueError):
    """An argument is wrong; the message says what was found and what is allowed."""
