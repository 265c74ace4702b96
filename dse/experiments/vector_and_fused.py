"""What the compiler makes of vectors, fused operations, exponentials and divisions: opcodes, counted."""

from collections import Counter

from dse.experiments.lab import Lab, instructions, own_space
from dse.experiments.report import Bars, Claim, Report, Table, Verdict
from simcore import gpu_names, load_gpu

TITLE = "Wide loads, fused operations, special functions and quotients"
SOURCE = "CUDA C++ Best Practices Guide"
ARTICLES = "articles on FMA and vector loads"
GPU = "h100-sxm"
METHODS = {
    "scalar": 0,
    "float4": 1,
    "FMUL + FADD": 2,
    "expf": 3,
    "__expf": 4,
    "integer division": 5,
}
ELEMENTS = 4
#: What moves data and what computes, in the order of a table.
SHOWN = ("LDG", "STG", "FFMA", "FMUL", "FADD", "MUFU")


def run(lab: Lab) -> Report:
    """Opcode counts of four elements, and the times."""
    space = own_space("vectors")
    times = {int(str(f.point["method"])): f.time_us for f in lab.predict(space, list(space.points()), [GPU])}
    codes = {
        name: [each.name for each in instructions(space, {"method": method}, GPU)]
        for name, method in METHODS.items()
    }
    counts = {name: Counter(opcode.split(".")[0] for opcode in code) for name, code in codes.items()}
    widest = sorted({opcode for opcode in codes["float4"] if opcode.startswith(("LDG", "STG"))})
    rows = [
        {
            "method": name,
            **{opcode: counts[name][opcode] for opcode in SHOWN},
            "instructions": _work(codes[name]),
            "time_us": times[method],
        }
        for name, method in METHODS.items()
    ]
    quotient = (_work(codes["integer division"]) - _work(codes["__expf"])) / ELEMENTS
    rates = {gpu: 32 / load_gpu(gpu).xu_interval * load_gpu(gpu).schedulers_per_sm for gpu in gpu_names()}
    claims = [
        Claim(
            "float4 needs a quarter of the loads",
            ARTICLES,
            "2 in place of 8",
            f"{counts['float4']['LDG']} ({', '.join(widest)}) in place of {counts['scalar']['LDG']}",
            _verdict(counts["scalar"]["LDG"] == 4 * counts["float4"]["LDG"]),
            "each instruction moves 512 bytes for a warp in place of 128",
        ),
        Claim(
            "8 instructions in place of 12 for 4 elements, multiplied and added in one",
            ARTICLES,
            "12 and 8",
            f"{_arithmetic(counts['FMUL + FADD'])} and {_arithmetic(counts['scalar'])} of arithmetic",
            _verdict(_arithmetic(counts["FMUL + FADD"]) == 2 * _arithmetic(counts["scalar"])),
            "FMUL + FADD is two instructions for each element, FFMA one: 8 and 4; with the loads it is 12 and 8",
        ),
        Claim(
            "__expf is much shorter than expf",
            SOURCE,
            "MUFU.EX2 and a multiplication",
            f"{_work(codes['__expf'])} and {_work(codes['expf'])} instructions, both with MUFU.EX2",
            _verdict(_work(codes["__expf"]) < _work(codes["expf"])),
            "expf splits its argument first, so that large ones keep their precision",
        ),
        Claim(
            "16 special functions per SM and cycle",
            SOURCE,
            "16",
            ", ".join(f"{rate:g}" for rate in sorted(set(rates.values()))) + " on all GPUs",
            _verdict(set(rates.values()) == {16.0}),
            "a sub-partition takes 8 cycles for the 32 lanes of a MUFU",
        ),
        Claim(
            "an integer division takes about 32 cycles",
            ARTICLES,
            "32 cycles",
            f"{quotient:.0f} instructions on {GPU}",
            "agrees" if 16 <= quotient <= 40 else "differs",
            "there is no such instruction: a reciprocal by MUFU.RCP, two corrections and a fix of the sign",
        ),
    ]
    return Report(
        "vector_and_fused",
        TITLE,
        claims,
        [Table(f"opcodes in the machine code of {GPU}, 4 elements a thread", rows)],
        Bars(
            f"instructions on an {GPU}, 4 elements a thread",
            "method",
            {"up to EXIT": {name: _work(code) for name, code in codes.items()}},
        ),
    )


def _work(code: list[str]) -> int:
    """Instructions up to the end; behind it there is only padding."""
    return code.index("EXIT") + 1


def _arithmetic(counts: Counter[str]) -> int:
    return sum(counts[opcode] for opcode in ("FFMA", "FMUL", "FADD"))


def _verdict(is_so: bool) -> Verdict:
    return "agrees" if is_so else "differs"
