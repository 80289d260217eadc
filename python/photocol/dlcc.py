"""DLCC's machines, an input at a time: the public names of `photocol.transport.dlcc`."""

from photocol.transport.dlcc import Ack, Answer, Book, Estimator, Heard, Reaction, Reservations

__all__ = ["Ack", "Answer", "Book", "Estimator", "Heard", "Reaction", "Reservations"]
