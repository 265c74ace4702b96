"""Divergence and reconvergence: which of a warp's lanes run together, and which go on when those stop.

Since Volta a warp's threads diverge and meet again at convergence barriers: BSSY adds participants (several groups may
pass it one after the other), BSYNC waits for all of them, BREAK and EXIT take threads out. Each lane has a program
counter and a state of its own: it is runnable, has yielded, or waits at a barrier. Which lanes go on is what an H100's
own record of these shows (`benchmarks.simulator.lane_states`):

- At a divergent branch the side with fewer lanes goes on, at a tie the one that does not jump. The first lane of the
  other side goes onto a stack of five. When those that run stop, the lane on top goes on if it is runnable: with the
  other side of the last branch where it is of that side, and else with all lanes at its place, whatever they wait for.
  Lanes that go on leave the top of the stack.
- An indirect jump is executed once for each target: the first lane's go, or where these are more than the others, those
  that have the first of the others' target; all others are left at the jump, whatever their target.
- Where the stack is empty, the lane whose turn it is goes on, with all lanes at its place. One lane has the turn, the
  first at first; it keeps it until it runs, when the turn passes to the next lane that does not.
- Lanes that go on where they wait execute their instruction again. With nobody left on the stack, a BSYNC lets them
  pass, because its barrier is cleared then.
- A WARPSYNC lets those pass whose own masks name only lanes that execute it with them. The others wait, also where the
  last of those that they wait for has just come: they pass when they are served, together.
- WARPSYNC.EXCLUSIVE and collective operations take those with the first one's mask or, where these are more than the
  others, with the first other's. They wait if it names lanes that are not there, and those beside them execute the
  instruction again; else they go on, and those beside them are left.
- A collective operation is executed with those that wait at the same instruction. Those that came last go on after it.
  The others become runnable where they waited and, when they are served, go on from there, but after those beside them
  that can execute it. If none were left beside, a lane comes onto the stack: the first of those for whom it was
  executed before, or else of those that waited.
- A block's barrier knows warps alone: it takes each part of a warp that comes to it for the whole warp.
- A BSYNC lets lanes pass that its barrier does not name. It does not wait for lanes that wait elsewhere, and where no
  lane is runnable it waits for nobody. Those that it does not wait for become runnable where they are.
- A barrier is amended where BSSY adds lanes to others that it names, be they ones that have exited, and where BMOV
  restores it. Those that a BSYNC lets go from an amended barrier execute it once more, as clocks beside those records
  show.
- A BREAK, too, does not wait for lanes that wait elsewhere or have exited, whether or not its own lanes took part:
  where the barrier names no others it is cleared, and those that it names become runnable. The fewer go first.
- Those that wait at a barrier become runnable when an exit takes the last of the others out of it, one barrier's at
  each exit. They go on at once, before the stack's.
"""

import numpy as np

from simcore.core import isa
from simcore.core.execution.lanes import A, count_of, first_of
from simcore.core.jit import jit, jit_inline
from simcore.core.machine import REPORT_UNSURE

WARPSYNC_BARRIER = 16
COLLECTIVE_BARRIER = 17
# No barriers: the stack, as a GPU's OPT_STACK has it: five bits for each lane, and how many there are; what the last
# branch left there; the lane whose turn it is; and a bit for each convergence barrier that is not as one BSSY set it.
STACK, LEFT, TURN, AMENDED = range(18, 22)
BARRIERS = 22
# What a lane waits for besides barriers: that others stop; the same, after a YIELD.
RUNNABLE, YIELDED = -1, -2

# What is noted of a lane at a collective operation, below where it goes on: it waits or has waited for others, and it
# has been executed for it.
WAITED, DONE = 1, 2
NOTES = 2

STACK_DEPTH = 5
LANE_BITS = np.uint32(5)
COUNT_SHIFT = np.uint32(25)
NOBODY = np.uint32(0)


@jit_inline()
def branch(m, w, taken, target):
    """Send the lanes in `taken` to `target` and the rest of those that run to the next instruction."""
    active = m.active[w]
    following = m.pc[w] + 1
    if taken == active:
        m.pc[w] = target
    elif taken == 0:
        m.pc[w] = following
    else:
        _diverge(m, w, active & ~taken, following, taken, target)


@jit()
def branch_indirect(m, w, lanes, addresses):
    """Send the lanes in `lanes` to their own instructions, and the rest to the next.

    One execution sends the lanes that have the first one's target, or where these are more than the others, those that
    have the first of the others' target. All others execute the instruction again.
    """
    here = m.pc[w]
    rest = m.active[w] & ~lanes
    if rest:
        m.pc[w] = here + 1
        if lanes:
            _diverge(m, w, rest, here + 1, lanes, here)
        return
    group = _to_go_first(lanes, addresses, 0)
    _go_ahead(m, w, group, addresses[first_of(group)])


@jit()
def _to_go_first(lanes, words, at):
    """Those of some lanes that have the first one's word or, where these are more than the others, the first other's.

    There is a word for each lane, from a place on.
    """
    group = _with_word(lanes, words, at, words[at + first_of(lanes)])
    others = lanes & ~group
    if others and count_of(group) > count_of(others):
        return _with_word(others, words, at, words[at + first_of(others)])
    return group


@jit()
def _go_ahead(m, w, lanes, target):
    """Some of the lanes that run go to an instruction; the others are left where they are."""
    others = m.active[w] & ~lanes
    if others:
        _leave_for_later(m, w, m.pc[w], others)
    m.active[w] = lanes
    m.pc[w] = target


@jit()
def _with_word(lanes, words, at, word):
    """Those of some lanes that have a word, of a word each from a place on."""
    group = NOBODY
    for lane in range(isa.LANES):
        if lanes >> np.uint32(lane) & np.uint32(1) and words[at + lane] == word:
            group |= np.uint32(1) << np.uint32(lane)
    return group


@jit()
def _diverge(m, w, first, first_pc, second, second_pc):
    """Go on with the smaller side, the first at a tie, and leave the other for later."""
    if count_of(first) <= count_of(second):
        _leave_for_later(m, w, second_pc, second)
        m.pc[w] = first_pc
        m.active[w] = first
    else:
        _leave_for_later(m, w, first_pc, first)
        m.pc[w] = second_pc
        m.active[w] = second


@jit()
def meet(m, w):
    """WARPSYNC: of those that run go on whose masks, their sources a, name only others that run; the others wait."""
    here = m.pc[w]
    running = m.active[w]
    for x in range(isa.LANES):
        bit = np.uint32(1) << np.uint32(x)
        named = np.uint32(m.scratch[A + x])
        if running & bit and named & m.live[w] & ~running:
            _put(m, w, bit, here, WARPSYNC_BARRIER)
            m.lane_mates[w, x] = named
            m.active[w] &= ~bit
    if m.active[w]:
        m.pc[w] = here + 1
        _pass_turn_on(m, w)
    else:
        _go_on(m, w, running)


@jit_inline()
def take_part(m, w, barrier, lanes):
    """BSSY: lanes take part in a convergence barrier, in which others may already, even if these have exited since."""
    bit = np.uint32(1) << np.uint32(barrier)
    before = m.barriers[w, barrier]
    if not before:
        m.barriers[w, AMENDED] &= ~bit
    elif before & ~lanes:
        m.barriers[w, AMENDED] |= bit
    m.barriers[w, barrier] |= lanes


@jit_inline()
def restore(m, w, barrier, lanes):
    """BMOV: the lanes that took part in a convergence barrier when it was set aside do so again, and no others."""
    m.barriers[w, AMENDED] |= np.uint32(1) << np.uint32(barrier)
    m.barriers[w, barrier] = lanes


@jit()
def synchronize(m, w, barrier):
    """BSYNC: those that run arrive at a convergence barrier; who completes it goes on with all that waited there.

    Those that an amended barrier lets go execute the instruction once more.
    """
    here = m.pc[w]
    named = m.barriers[w, barrier] & m.live[w]
    others = named & ~m.active[w]
    waiting = _waiting(m, w, barrier, named)
    behind = m.active[w] & named
    if not behind:
        m.pc[w] = here + 1
        return
    complete = not others & ~lanes_at(m, w, 0, COLLECTIVE_BARRIER)
    if not complete and behind != m.active[w]:
        _stay_behind(m, w, here, barrier, behind)
        return
    if not complete and not _all_stand_still(m, w):
        _stop(m, w, here, barrier)
        return
    _make_runnable(m, w, others)
    m.barriers[w, barrier] = NOBODY
    again = m.barriers[w, AMENDED] >> np.uint32(barrier) & np.uint32(1)
    _start(m, w, m.active[w] | _standing_at(m, w, here, waiting), here if again else here + 1)


@jit()
def _stay_behind(m, w, here, barrier, lanes):
    """Some of those that run wait at a convergence barrier, and the others, which it does not name, go on."""
    _put(m, w, lanes, here, barrier)
    m.active[w] &= ~lanes
    m.pc[w] = here + 1


@jit()
def _all_stand_still(m, w):
    """Whether none of the lanes that do not run, on the stack or off it, could go on by itself."""
    return not lanes_at(m, w, RUNNABLE, RUNNABLE)


@jit()
def _stack_is_empty(m, w):
    """Whether none of the lanes on the stack may go on any more."""
    ready = lanes_at(m, w, RUNNABLE, RUNNABLE)
    for position in range(m.barriers[w, STACK] >> COUNT_SHIFT):
        if ready >> _on_stack(m, w, position) & np.uint32(1):
            return False
    return True


@jit_inline()
def _on_stack(m, w, position):
    """The lane at a position of the stack."""
    return m.barriers[w, STACK] >> LANE_BITS * np.uint32(position) & np.uint32(isa.LANES - 1)


@jit()
def _make_runnable(m, w, lanes):
    """Lanes that have yielded, or wait at a convergence barrier, may go on from where they are."""
    for x in range(isa.LANES):
        if lanes >> np.uint32(x) & np.uint32(1) and m.lane_wait[w, x] < WARPSYNC_BARRIER:
            m.lane_wait[w, x] = RUNNABLE


@jit()
def meet_apart(m, w):
    """WARPSYNC.EXCLUSIVE: lanes with the same mask, their source a, go on if it names no others, and else wait."""
    group = _to_go_first(m.active[w], m.scratch, A)
    named = np.uint32(m.scratch[A + first_of(group)])
    if named & m.live[w] & ~group:
        _wait_apart(m, w, group, named, WARPSYNC_BARRIER)
    else:
        _go_ahead(m, w, group, m.pc[w] + 1)


@jit()
def _wait_apart(m, w, lanes, named, barrier):
    """Some of those that run wait for the lanes that their masks name; the others execute the instruction again."""
    running = m.active[w]
    m.barriers[w, barrier] = named
    _put(m, w, lanes, m.pc[w], barrier)
    m.active[w] &= ~lanes
    if not m.active[w]:
        _go_on(m, w, running)


@jit()
def enter_collective(m, w, target):
    """Those that run come to a collective operation, from which they go on at `target`.

    Those with the same mask, their source a, execute it with those that wait here, if these are all that it names, and
    else wait. Those for whom others have executed it go on, as soon as none that run here can execute it.
    """
    done = _noted(m, w, m.active[w], DONE)
    coming = m.active[w] & ~done
    if coming:
        group = _to_go_first(coming, m.scratch, A)
        named = np.uint32(m.scratch[A + first_of(group)])
        waiting = lanes_at(m, w, COLLECTIVE_BARRIER, COLLECTIVE_BARRIER) & named
        if lanes_at(m, w, YIELDED, WARPSYNC_BARRIER):
            waiting = _standing_at(m, w, m.pc[w], waiting)
        if not named & m.live[w] & ~group & ~waiting:
            _execute_together(m, w, group, waiting, target)
            return
        if not done:
            _note(m, w, group, WAITED)
            _wait_apart(m, w, group, named, COLLECTIVE_BARRIER)
            return
    _note(m, w, done, 0)
    _go_ahead(m, w, done, target)


@jit()
def _execute_together(m, w, group, waiting, target):
    """Lanes that have come to a collective operation, and those that waited for them, execute what follows.

    The others that run are left for later; where there are none, those for whom it has been executed before or, if
    there are none either, those that waited are.
    """
    here = m.pc[w]
    others = m.active[w] & ~group
    before = _noted(m, w, _standing_at(m, w, here, lanes_at(m, w, RUNNABLE, RUNNABLE)), DONE)
    if others:
        _leave_for_later(m, w, here, others)
    elif before or waiting:
        _push(m, w, first_of(before if before else waiting))
    if not others or _noted(m, w, others, DONE):
        m.barriers[w, LEFT] = NOBODY
    _note(m, w, group & _noted(m, w, group, WAITED), target << NOTES | WAITED)
    _note(m, w, group & ~_noted(m, w, group, WAITED), target << NOTES)
    _note(m, w, waiting, WAITED | DONE)
    m.active[w] = group | waiting
    m.pc[w] = here + 1


@jit()
def return_from_collective(m, w):
    """Of those that met for a collective operation the last that came go on; the others stay where they waited."""
    met = m.active[w]
    last = met & ~_noted(m, w, met, WAITED)
    if not last:
        last = met & ~_noted(m, w, met, DONE)
    _note(m, w, met & ~last, WAITED | DONE)
    for x in range(isa.LANES):
        if met >> np.uint32(x) & np.uint32(1):
            m.lane_wait[w, x] = RUNNABLE
    m.active[w] = last
    m.pc[w] = m.returns[w, first_of(last)] >> NOTES
    _note(m, w, last, 0)


@jit()
def _note(m, w, lanes, word):
    """Note of some lanes how they stand to a collective operation, and where they go on after it."""
    for x in range(isa.LANES):
        if lanes >> np.uint32(x) & np.uint32(1):
            m.returns[w, x] = word


@jit()
def _noted(m, w, lanes, note):
    """Those of some lanes of which this is noted."""
    noted = NOBODY
    for x in range(isa.LANES):
        if lanes >> np.uint32(x) & np.uint32(1) and m.returns[w, x] & note:
            noted |= np.uint32(1) << np.uint32(x)
    return noted


@jit()
def leave(m, w, lanes):
    """Lanes of those that run exit. Returns whether the warp has ended."""
    m.live[w] &= ~lanes
    m.active[w] &= ~lanes
    if m.live[w] == 0:
        return True
    if m.active[w]:
        m.pc[w] += 1
        return False
    freed = NOBODY
    for barrier in range(WARPSYNC_BARRIER):
        if not freed and m.barriers[w, barrier] & m.live[w]:
            freed = _free_if_complete(m, w, barrier)
    if freed:
        _start(m, w, freed, m.lane_pc[w, first_of(freed)])
    else:
        _go_on(m, w, NOBODY)
    return False


@jit()
def _free_if_complete(m, w, barrier):
    """Lanes have exited: if all others that a barrier names wait there, they become runnable, to execute BSYNC again.

    Returns those that stand where the first of them does.
    """
    named = m.barriers[w, barrier] & m.live[w]
    waiting = _waiting(m, w, barrier, named)
    if not waiting or named & ~waiting:
        return NOBODY
    _note_choice(m, w)
    m.barriers[w, barrier] = NOBODY
    _make_runnable(m, w, waiting)
    return _standing_at(m, w, m.lane_pc[w, first_of(waiting)], waiting)


@jit()
def take_out(m, w, barrier, lanes):
    """BREAK: lanes take part in a barrier no more. Where that completes it, those that wait and that it names go on.

    It is complete where all that it names wait, at whatever barrier, or have exited. The fewer go first, at a tie those
    that executed it.
    """
    m.barriers[w, barrier] &= ~lanes
    m.pc[w] += 1
    named = m.barriers[w, barrier] & m.live[w]
    if not lanes or named & ~lanes_at(m, w, 0, COLLECTIVE_BARRIER):
        return
    m.barriers[w, barrier] = NOBODY
    freed = named & lanes_at(m, w, 0, WARPSYNC_BARRIER - 1)
    if not freed:
        return
    _note_choice(m, w)
    _make_runnable(m, w, freed)
    first = first_of(freed)
    if count_of(m.active[w]) <= count_of(freed):
        _push(m, w, first)
        m.barriers[w, LEFT] = NOBODY
        return
    _leave_for_later(m, w, m.pc[w], m.active[w])
    _start(m, w, _standing_at(m, w, m.lane_pc[w, first], freed), m.lane_pc[w, first])


@jit()
def give_way(m, w):
    """YIELD: others go first."""
    m.pc[w] += 1
    if m.active[w] != m.live[w]:
        _note_choice(m, w)
        _stop(m, w, m.pc[w], YIELDED)


@jit_inline()
def has_runnable(m, w):
    """Whether others could go on."""
    return lanes_at(m, w, YIELDED, RUNNABLE) != 0


@jit()
def take_turns(m, w):
    """Others go on, and those that run come back later."""
    _stop(m, w, m.pc[w], YIELDED)


@jit()
def _waiting(m, w, barrier, participants):
    """The lanes that wait at a barrier and take part in it as it stands; a call may have set it aside."""
    return lanes_at(m, w, barrier, barrier) & participants


@jit()
def lanes_at(m, w, first, last):
    """The lanes that wait at a barrier between two, or are in such a state."""
    lanes = NOBODY
    still = m.live[w] & ~m.active[w]
    if not still:
        return lanes
    for x in range(isa.LANES):
        if still >> np.uint32(x) & np.uint32(1) and first <= m.lane_wait[w, x] <= last:
            lanes |= np.uint32(1) << np.uint32(x)
    return lanes


@jit()
def _stop(m, w, pc, state):
    """Those that run wait, and others go on."""
    stopped = m.active[w]
    _put(m, w, stopped, pc, state)
    m.active[w] = NOBODY
    _go_on(m, w, stopped)


@jit()
def _go_on(m, w, stopped):
    """Others go on after those that have just stopped, if any can."""
    leader = _take_from_stack(m, w)
    if leader < 0:
        _serve(m, w, stopped)
        return
    pc = m.lane_pc[w, leader]
    left = m.barriers[w, LEFT]
    m.barriers[w, LEFT] = NOBODY
    if left >> np.uint32(leader) & np.uint32(1):
        _start(m, w, left, pc)
    else:
        _start_at(m, w, pc)


@jit()
def _take_from_stack(m, w):
    """Take the first lane that may go on off the stack, or -1."""
    count = m.barriers[w, STACK] >> COUNT_SHIFT
    while count:
        count -= np.uint32(1)
        leader = np.int64(_on_stack(m, w, count))
        _keep_on_stack(m, w, count)
        if m.live[w] >> np.uint32(leader) & np.uint32(1) and m.lane_wait[w, leader] == RUNNABLE:
            return leader
    return -1


@jit_inline()
def _keep_on_stack(m, w, count):
    """Only so many lanes stay on the stack, the lowest."""
    lowest = m.barriers[w, STACK] & ((np.uint32(1) << LANE_BITS * count) - np.uint32(1))
    m.barriers[w, STACK] = lowest | count << COUNT_SHIFT


@jit()
def _serve(m, w, stopped):
    """A lane goes on in its turn, with those that do so together with it."""
    candidates = _candidates(m, w) & ~stopped
    if not candidates:
        candidates = lanes_at(m, w, YIELDED, YIELDED)
    if not candidates:
        return
    _note_choice(m, w)
    leader = _first_from(m.barriers[w, TURN], candidates)
    m.barriers[w, TURN] = leader
    _start_at(m, w, m.lane_pc[w, leader])


@jit()
def _first_from(lane, lanes):
    """The first of some lanes from a lane on; after the last comes the first."""
    while not lanes >> np.uint32(lane) & np.uint32(1):
        lane = (lane + 1) % isa.LANES
    return np.int64(lane)


@jit()
def _pass_turn_on(m, w):
    """The turn passes from a lane that runs, or has ended, to the next one that does not run."""
    lane = m.barriers[w, TURN]
    still = m.live[w] & ~m.active[w]
    if still and not still >> lane & np.uint32(1):
        m.barriers[w, TURN] = _first_from(lane, still)


@jit()
def _candidates(m, w):
    """The lanes that can be served: all, unless all are at WARPSYNCs and wait for others, which nothing changes."""
    lanes = lanes_at(m, w, YIELDED, COLLECTIVE_BARRIER)
    if lanes_at(m, w, YIELDED, WARPSYNC_BARRIER - 1):
        return lanes
    for x in range(isa.LANES):
        if lanes >> np.uint32(x) & np.uint32(1):
            named = m.lane_mates[w, x]
            if not named & m.live[w] & ~_waiting(m, w, m.lane_wait[w, x], named):
                return lanes
    return NOBODY


@jit()
def _note_choice(m, w):
    """Note that lanes stand at several places: which go on on a GPU, and who is let go, is not known exactly."""
    still = m.live[w] & ~m.active[w]
    if not still:
        return
    first = first_of(still)
    for x in range(first, isa.LANES):
        if still >> np.uint32(x) & np.uint32(1) and m.lane_pc[w, x] != m.lane_pc[w, first]:
            m.report[REPORT_UNSURE] += 1
            return


@jit()
def _leave_for_later(m, w, pc, lanes):
    """Lanes are left runnable, their first on the stack."""
    _put(m, w, lanes, pc, RUNNABLE)
    m.barriers[w, LEFT] = lanes
    _push(m, w, first_of(lanes))


@jit()
def _push(m, w, lane):
    """A lane comes onto the stack; where that is full, the lowest leaves it."""
    count = m.barriers[w, STACK] >> COUNT_SHIFT
    leaders = m.barriers[w, STACK] & ((np.uint32(1) << COUNT_SHIFT) - np.uint32(1))
    if count == STACK_DEPTH:
        leaders >>= LANE_BITS
        count -= np.uint32(1)
    leaders |= np.uint32(lane) << LANE_BITS * count
    m.barriers[w, STACK] = leaders | (count + np.uint32(1)) << COUNT_SHIFT


@jit()
def _start(m, w, lanes, pc):
    """Lanes run from an instruction on. Those of them that are on top of the stack leave it."""
    m.active[w] = lanes
    m.pc[w] = pc
    top = m.barriers[w, STACK] >> COUNT_SHIFT
    while top and lanes >> _on_stack(m, w, top - np.uint32(1)) & np.uint32(1):
        top -= np.uint32(1)
        _keep_on_stack(m, w, top)
    _pass_turn_on(m, w)


@jit()
def _start_at(m, w, pc):
    """The lanes that stand at an instruction run from there on, whatever they wait for.

    With nobody on the stack, the barriers that some of them wait at are cleared.
    """
    lanes = lanes_at(m, w, YIELDED, COLLECTIVE_BARRIER)
    clears = _stack_is_empty(m, w)
    for x in range(isa.LANES):
        if m.lane_pc[w, x] != pc:
            lanes &= ~(np.uint32(1) << np.uint32(x))
        elif clears and lanes >> np.uint32(x) & np.uint32(1) and m.lane_wait[w, x] >= 0:
            m.barriers[w, m.lane_wait[w, x]] = NOBODY
    _start(m, w, lanes, pc)


@jit()
def _standing_at(m, w, pc, lanes):
    """Those of some lanes that stand at an instruction."""
    there = NOBODY
    for x in range(isa.LANES):
        if lanes >> np.uint32(x) & np.uint32(1) and m.lane_pc[w, x] == pc:
            there |= np.uint32(1) << np.uint32(x)
    return there


@jit()
def _put(m, w, lanes, pc, state):
    """Lanes stand at an instruction, in a state or at a barrier."""
    mates = m.barriers[w, state] if state >= 0 else NOBODY
    for x in range(isa.LANES):
        if lanes >> np.uint32(x) & np.uint32(1):
            m.lane_pc[w, x] = pc
            m.lane_wait[w, x] = state
            m.lane_mates[w, x] = mates
