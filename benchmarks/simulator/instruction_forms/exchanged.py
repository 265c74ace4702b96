"""Forms of instructions that lanes execute together, and of atomics."""

from collections.abc import Iterator

from benchmarks.simulator.instruction_forms.forms import Form, letter


def of_warps() -> Iterator[Form]:
    """Shuffles with all bounds and segments, votes, matches, reductions."""
    for mode in ("up", "down", "bfly", "idx"):
        for bounds in (0, 0x1F, 0x181F, 0x1807, 0x1C03, 0x1E00):
            yield Form(
                f"{{.reg .pred p; .reg .u32 n; and.b32 n,$b,63; shfl.sync.{mode}.b32 $z|p,$a,n,{bounds:#x},-1; "
                "selp.u32 $w,1,0,p;}",
                "r",
                "rr",
            )
        yield Form(
            f"{{.reg .pred p; .reg .u32 n; and.b32 n,$c,0x1f1f; shfl.sync.{mode}.b32 $z|p,$a,$b,n,-1; "
            "selp.u32 $w,1,0,p;}",
            "r",
            "rrr",
        )
    for mode in ("all", "any", "uni"):
        for test in ("lt", "ne"):
            yield Form(
                f"{{.reg .pred p; setp.{test}.u32 p,$a,$b; vote.sync.{mode}.pred p,p,-1; selp.u32 $z,1,0,p;}}",
                "r",
                "rr",
            )
    yield Form("{.reg .pred p; setp.lt.s32 p,$a,$b; vote.sync.ballot.b32 $z,p,-1;}", "r", "rr")
    for size, of in ((32, "r"), (64, "l")):
        yield Form(f"match.any.sync.b{size} $z,$a,-1;", "r", of)
        yield Form(f"{{.reg .b{size} t; and.b{size} t,$a,1; match.any.sync.b{size} $z,t,-1;}}", "r", of)
        yield Form(
            f"{{.reg .pred p; .reg .b{size} t; shr.u{size} t,$a,20; match.all.sync.b{size} $z|p,t,-1; "
            "selp.u32 $w,1,0,p;}",
            "r",
            of,
        )
    for operation in (
        "add.u32",
        "add.s32",
        "min.u32",
        "min.s32",
        "max.u32",
        "max.s32",
        "and.b32",
        "or.b32",
        "xor.b32",
    ):
        yield Form(f"redux.sync.{operation} $z,$a,-1;", "r", "r")
    yield Form("movmatrix.sync.aligned.m8n8.trans.b16 $z,$a;", "r", "r")


def atomics() -> Iterator[Form]:
    """On a cell of the thread's own, in global and in shared memory: what it held, and what it holds."""
    for space in ("global", "shared"):
        for kind in ("u32", "s32", "u64", "s64"):
            of = letter(kind)
            if kind != "s64":
                yield Form(f"atom.{space}.add.{kind} $z,[$m],$b;", of, of * 2, cell=space)
            for operation in ("min", "max"):
                yield Form(f"atom.{space}.{operation}.{kind} $z,[$m],$b;", of, of * 2, cell=space)
        for operation in ("inc", "dec"):
            yield Form(f"atom.{space}.{operation}.u32 $z,[$m],$b;", "r", "rr", cell=space)
        for size, of in ((32, "r"), (64, "l")):
            for operation in ("and", "or", "xor", "exch"):
                yield Form(f"atom.{space}.{operation}.b{size} $z,[$m],$b;", of, of * 2, cell=space)
            yield Form(f"atom.{space}.cas.b{size} $z,[$m],$b,$c;", of, of * 3, cell=space)
            yield Form(f"atom.{space}.cas.b{size} $z,[$m],$a,$c;", of, of * 3, cell=space)
        yield Form(f"atom.{space}.cas.b16 $z,[$m],$b,$c;", "h", "hhh", cell=space)
        yield Form(f"atom.{space}.cas.b16 $z,[$m],$a,$c;", "h", "hhh", cell=space)
        yield Form(f"atom.{space}.add.f32 $z,[$m],$b;", "f", "ff", cell=space)
        yield Form(f"atom.{space}.add.f64 $z,[$m],$b;", "d", "dd", cell=space)
        for kind, since in (("f16", 80), ("f16x2", 80), ("bf16", 90), ("bf16x2", 90)):
            of = letter(kind)
            yield Form(f"atom.{space}.add.noftz.{kind} $z,[$m],$b;", of, of * 2, since, cell=space)
    for kind, since in (("u32", 80), ("f32", 80), ("f64", 80), ("f16x2", 80), ("bf16x2", 90)):
        of, more = letter(kind), ".noftz" if "16" in kind else ""
        yield Form(f"mov.b{64 if of in 'dl' else 32} $z,$b; red.global.add{more}.{kind} [$m],$b;", of, of * 2, since,
                   cell="global")  # fmt: skip


def products() -> Iterator[Form]:
    """Of matrices whose elements are small integers, so that no sum is rounded."""
    small = (
        "{.reg .f16 p,q; .reg .s32 i,j; and.b32 i,%s,15; bfe.u32 j,%s,8,4; sub.s32 i,i,7; sub.s32 j,j,7; "
        "cvt.rn.f16.s32 p,i; cvt.rn.f16.s32 q,j; mov.b32 %s,{p,q};}"
    )
    halves = "".join(small % (f"${of}", f"${of}", to) for of, to in (("a", "x"), ("b", "y")))
    yield Form(
        f"{{.reg .b32 x,y,t; {halves} xor.b32 t,x,0x80008000; "
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {$z,$w},{x,y,t,x},{y,x},{y,t};}",
        "r",
        "rr",
    )
    for a in "us":
        for b in "us":
            for more in ("", ".satfinite"):
                for shape in ("m16n8k32.row.col", "m16n8k64.row.col"):
                    size = 8 if "32" in shape else 4
                    yield Form(
                        "{.reg .b32 x,y,t,u; xor.b32 x,$a,$b; add.u32 y,$c,$a; mov.b32 t,$b; mov.b32 u,$c; "
                        f"mma.sync.aligned.{shape}{more}.s32.{a}{size}.{b}{size}.s32 {{t,u,$z,$w}},"
                        "{x,y,$a,$b},{$c,x},{t,u,$a,$c};}",
                        "r",
                        "rrr",
                    )
