"""When blocks begin, and on which SM, if a block takes as long as it has instructions."""

from simcore.core.jit import entry, jit_inline


@entry()
def deal(executed, sms, ends, begin, sm):
    """Deal the blocks that do not begin at once, in their order, each to the SM where one has ended first.

    Args:
        executed: [block] instructions.
        sms: how many there are.
        ends: [slot] when the blocks end that begin at once, times `sms`, plus the number of their SM; ascending. It is
            used up as a heap.
        begin: [block] takes when it begins, in instructions; left as it is for those that begin at once.
        sm: [block] takes its SM, likewise.
    """
    for block in range(ends.size, executed.size):
        begin[block], sm[block] = ends[0] // sms, ends[0] % sms
        _replace_first(ends, ends[0] + executed[block] * sms)


@jit_inline()
def _replace_first(heap, value):
    """Take the smallest value from a heap and put another one into it."""
    at = 0
    child = 1
    while child < heap.size:
        if child + 1 < heap.size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= value:
            break
        heap[at] = heap[child]
        at = child
        child = 2 * at + 1
    heap[at] = value
