"""Forms of loads, stores, copies and atomics of vectors on a cell of the thread's own, and of parts of a warp."""

from collections.abc import Iterator

from benchmarks.simulator.instruction_forms.forms import Form


def loads() -> Iterator[Form]:
    """Of all widths, in parts of the cell, with all hints and orders."""
    for space in ("global", "shared"):
        for sign in "us":
            for bits in ("8", "16"):
                for at in ("", "+2", "+6"):
                    yield Form(f"ld.{space}.{sign}{bits} $z,[$m{at}];", "r", "l", cell=space)
        yield Form(f"ld.{space}.v2.u32 {{$z,$w}},[$m];", "r", "l", cell=space)
        yield Form(f"{{.reg .u32 t; ld.{space}.v4.s8 {{t,$z,t,$w}},[$m];}}", "r", "l", cell=space)
        yield Form(f"{{.reg .u32 t; ld.{space}.v4.u8 {{$w,t,$z,t}},[$m+4];}}", "r", "l", cell=space)
        for order in ("volatile", "relaxed.cta", "relaxed.sys", "acquire.gpu"):
            yield Form(f"ld.{order}.{space}.u64 $z,[$m];", "l", "l", cell=space)
            order = order.replace("acquire", "release")
            yield Form(f"st.{order}.{space}.u32 [$m+4],$b; ld.{space}.u64 $z,[$m];", "l", "lr", cell=space)
        for kind, of in (("u8", "r"), ("u16", "h"), ("b32", "r")):
            yield Form(f"st.{space}.{kind} [$m+4],$b; ld.{space}.u64 $z,[$m];", "l", "l" + of, cell=space)
        yield Form(f"st.{space}.v2.b16 [$m+4],{{$b,$c}}; ld.{space}.u64 $z,[$m];", "l", "lhh", cell=space)
        yield Form(f"st.{space}.v4.u8 [$m],{{$b,$c,$b,$c}}; ld.{space}.u64 $z,[$m];", "l", "lrr", cell=space)
    for hint in ("ca", "cg", "cs", "lu", "cv", "L1::no_allocate", "L2::128B", "L1::evict_last", "L2::256B"):
        yield Form(f"ld.global.{hint}.u64 $z,[$m];", "l", "l", cell="global")
    for hint in ("wb", "cg", "cs", "wt", "L1::no_allocate"):
        yield Form(f"st.global.{hint}.b32 [$m],$b; ld.global.u64 $z,[$m];", "l", "lr", cell="global")


def copies() -> Iterator[Form]:
    """Asynchronous ones of so many bytes, the rest zeros."""
    for size, given in ((4, 4), (4, 3), (4, 0), (8, 8), (8, 5), (8, 1)):
        yield Form(
            "{.reg .u64 g; .shared .align 16 .b8 room[16384]; .reg .u32 s; mov.u32 s,%tid.x; shl.b32 s,s,4; "
            ".reg .u32 o; mov.u32 o,room; add.u32 s,s,o; st.shared.u64 [s],$b; cvta.to.global.u64 g,$m; "
            f"cp.async.ca.shared.global [s],[g],{size},{given}; cp.async.wait_all; ld.shared.u64 $z,[s];}}",
            "l",
            "ll",
            cell="global",
        )


def vectors() -> Iterator[Form]:
    """Atomics of vectors and of narrow types, with all orders and scopes."""
    for kind, of in (("f16", "h"), ("bf16", "b"), ("f16x2", "x"), ("bf16x2", "y"), ("f32", "f")):
        more = "" if kind == "f32" else ".noftz"
        for count in (2, 4) if of in "hb" else (2,):
            values = ",".join(("$b", "$c") * (count // 2))
            yield Form(
                f"red.global.v{count}.{kind}.add{more} [$m],{{{values}}}; ld.global.u64 $z,[$m];",
                "l",
                "l" + of * 2,
                90,
                cell="global",
            )
            if of in "hb":
                for operation in ("min", "max"):
                    yield Form(
                        f"red.global.v{count}.{kind}.{operation}.noftz [$m],{{{values}}}; ld.global.u64 $z,[$m];",
                        "l",
                        "l" + of * 2,
                        90,
                        cell="global",
                    )
    yield Form("atom.global.v2.f32.add {$z,$w},[$m],{$b,$c};", "f", "lff", 90, cell="global")
    for order in ("relaxed", "acquire", "release", "acq_rel"):
        for scope in ("cta", "gpu", "sys"):
            yield Form(f"atom.{order}.{scope}.global.add.u32 $z,[$m],$b;", "r", "rr", cell="global")
            yield Form(f"atom.{order}.{scope}.shared.cas.b64 $z,[$m],$b,$c;", "l", "lll", cell="shared")
    for order in ("relaxed", "release"):
        yield Form(f"red.{order}.gpu.global.max.s64 [$m],$b; mov.b64 $z,$b;", "l", "ll", cell="global")


def of_parts() -> Iterator[Form]:
    """Collective operations of every second lane, and of the lanes of a value each."""
    part = "{.reg .pred p; .reg .u32 l; mov.u32 l,%laneid; and.b32 l,l,1; setp.eq.u32 p,l,0; mov.u32 $z,0; "
    for operation in ("add.u32", "min.s32", "max.u32", "xor.b32"):
        yield Form(f"{part}@p redux.sync.{operation} $z,$a,0x55555555;}}", "r", "r")
    for mode in ("up", "down", "bfly", "idx"):
        yield Form(f"{part}@p shfl.sync.{mode}.b32 $z,$a,2,0x1f,0x55555555;}}", "r", "r")
    yield Form(f"{part}@p match.any.sync.b32 $z,$a,0x55555555;}}", "r", "r")
    yield Form(
        f"{part}.reg .pred q; setp.lt.s32 q,$a,$b; @p vote.sync.ballot.b32 $z,q,0x55555555;}}", "r", "rr"
    )
    yield Form(
        "{.reg .u32 m; match.any.sync.b32 m,$a,-1; redux.sync.add.u32 $z,$b,m; mov.b32 $w,m;}", "r", "rr"
    )


def _small(source: str, to: str, make: str) -> str:
    """Two small whole numbers in a word, of the bits of another."""
    return (
        f"and.b32 i,{source},15; bfe.u32 j,{source},8,4; sub.s32 i,i,7; sub.s32 j,j,7; cvt.rn.f32.s32 f,i; "
        f"cvt.rn.f32.s32 g,j; {make.format(to=to)} "
    )


def products() -> Iterator[Form]:
    """Of matrices of floats of all kinds whose elements are small whole numbers, so that no sum is rounded."""
    pairs = {
        "f16": ("cvt.rn.f16x2.f32 {to},g,f;", "m16n8k16", 80),
        "bf16": ("cvt.rn.bf16x2.f32 {to},g,f;", "m16n8k16", 80),
        "tf32": ("cvt.rna.tf32.f32 {to},f;", "m16n8k8", 80),
        "e4m3": ("cvt.rn.satfinite.e4m3x2.f32 h,g,f; mov.b32 {to},{{h,h}};", "m16n8k32", 89),
        "e5m2": ("cvt.rn.satfinite.e5m2x2.f32 h,g,f; mov.b32 {to},{{h,h}};", "m16n8k32", 89),
    }
    head = "{.reg .s32 i,j; .reg .f32 f,g,c,d; .reg .b16 h; .reg .b32 p,q,r,s; "
    for kind, (make, shape, since) in pairs.items():
        made = "".join(
            _small(of, to, make) for of, to in (("$a", "p"), ("$b", "q"), ("$c", "r"), ("$e", "s"))
        )
        yield Form(
            f"{head}{made}cvt.rn.f32.s32 c,i; cvt.rn.f32.s32 d,j; mov.f32 f,c; mov.f32 g,d; "
            f"mma.sync.aligned.{shape}.row.col.f32.{kind}.{kind}.f32 {{f,g,c,d}},{{p,q,r,s}},{{s,p}},{{f,g,c,d}}; "
            "add.f32 f,f,g; mov.f32 $z,f; fma.rn.f32 c,c,0f41000000,d; mov.b32 $w,c;}",
            "f",
            "rrrr",
            since,
        )


FAMILIES = (loads, copies, vectors, of_parts, products)
"""They came after the others: forms are known by their place."""
