"""A run: scenarios, what executes them, what they leave, laws in Python, closed forms. It knows no other room.

The room is not called `run`, as that name is the function `photocol.run`.
"""
