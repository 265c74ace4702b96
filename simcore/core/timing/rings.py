"""Rings of places: queues, buffers and sets in which the place that was taken first is the next to be taken again."""

from simcore.core.jit import jit_inline


@jit_inline()
def wrapped(place, places):
    """A place of a ring of so many, counted on from one of them by no more than there are."""
    return place - places if place >= places else place
