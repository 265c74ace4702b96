"""Forms of instructions on integers and bits."""

from collections.abc import Iterator

from benchmarks.simulator.instruction_forms.forms import INTEGERS, Form, carrier, letter, optional

_WORDS = ("u16", "s16", "u32", "s32", "u64", "s64")


def arithmetic() -> Iterator[Form]:
    """Of all widths."""
    for kind in _WORDS:
        of = letter(kind)
        for operation in ("add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"):
            yield Form(f"{operation}.{kind} $z,$a,$b;", of, of * 2)
        for operation in ("mad.lo", "mad.hi", "sad"):
            yield Form(f"{operation}.{kind} $z,$a,$b,$c;", of, of * 3)
        if kind[1:] != "64":
            wide = "r" if kind[1:] == "16" else "l"
            yield Form(f"mul.wide.{kind} $z,$a,$b;", wide, of * 2)
            yield Form(f"mad.wide.{kind} $z,$a,$b,$c;", wide, of * 2 + wide)
        if kind[0] == "s":
            for operation in ("abs", "neg"):
                yield Form(f"{operation}.{kind} $z,$a;", of, of)
    for operation in ("add", "sub"):
        yield Form(f"{operation}.sat.s32 $z,$a,$b;", "r", "rr")
    yield Form("mad.hi.sat.s32 $z,$a,$b,$c;", "r", "rrr")
    for kind in ("u32", "s32"):
        for half in ("lo", "hi"):
            yield Form(f"mul24.{half}.{kind} $z,$a,$b;", "r", "rr")
            yield Form(f"mad24.{half}.{kind} $z,$a,$b,$c;", "r", "rrr")
    yield Form("mad24.hi.sat.s32 $z,$a,$b,$c;", "r", "rrr")
    for operation in ("min", "max"):
        for kind in ("u16x2", "s16x2"):
            yield Form(f"{operation}.{kind} $z,$a,$b;", "r", "rr", 90)
        for kind in ("s16x2", "s32"):
            yield Form(f"{operation}.relu.{kind} $z,$a,$b;", "r", "rr", 90)
    yield Form("add.u16x2 $z,$a,$b;", "r", "rr", 90)
    yield Form("add.s16x2 $z,$a,$b;", "r", "rr", 90)


def carries() -> Iterator[Form]:
    """Sums and products in parts."""
    for kind, of in (("u32", "r"), ("s32", "r"), ("u64", "l"), ("s64", "l")):
        yield Form(
            f"{{.reg .{kind} t; add.cc.{kind} t,$a,$b; addc.cc.{kind} $z,$c,$e; addc.u32 $w,0,0;}}",
            of,
            of * 4,
        )
        yield Form(
            f"{{.reg .{kind} t; sub.cc.{kind} t,$a,$b; subc.cc.{kind} $z,$c,$e; addc.u32 $w,0,0;}}",
            of,
            of * 4,
        )
        for first, second in (("lo", "hi"), ("hi", "lo"), ("lo", "lo"), ("hi", "hi")):
            yield Form(
                f"{{.reg .{kind} t; mad.{first}.cc.{kind} t,$a,$b,$c; madc.{second}.cc.{kind} $z,$a,$c,$e; "
                "addc.u32 $w,0,0;}",
                of,
                of * 4,
            )


def bits() -> Iterator[Form]:
    """Counts, fields, shifts, permutations, logic."""
    for size, of in ((32, "r"), (64, "l")):
        for operation in ("popc", "clz"):
            yield Form(f"{operation}.b{size} $z,$a;", "r", of)
        yield Form(f"brev.b{size} $z,$a;", of, of)
        yield Form(f"bfi.b{size} $z,$a,$b,$c,$e;", of, of * 2 + "rr")
        for sign in "us":
            yield Form(f"bfe.{sign}{size} $z,$a,$b,$c;", of, of + "rr")
            for more in optional(".shiftamt"):
                yield Form(f"bfind{more}.{sign}{size} $z,$a;", "r", of)
    yield Form("fns.b32 $z,$a,$b,$c;", "r", "rrr")
    for mode in ("clamp", "wrap"):
        for sign in "us":
            yield Form(f"szext.{mode}.{sign}32 $z,$a,$b;", "r", "rr")
        yield Form(f"bmsk.{mode}.b32 $z,$a,$b;", "r", "rr")
        for way in "lr":
            yield Form(f"shf.{way}.{mode}.b32 $z,$a,$b,$c;", "r", "rrr")
    for kind in _WORDS:
        of = letter(kind)
        yield Form(f"shr.{kind} $z,$a,$b;", of, of + "r")
        if kind[0] == "u":
            yield Form(f"shl.b{kind[1:]} $z,$a,$b;", of, of + "r")
            for operation in ("and", "or", "xor"):
                yield Form(f"{operation}.b{kind[1:]} $z,$a,$b;", of, of * 2)
            for operation in ("not", "cnot"):
                yield Form(f"{operation}.b{kind[1:]} $z,$a;", of, of)
    for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        yield Form(f"prmt.b32{mode} $z,$a,$b,$c;", "r", "rrr")
    for table in (0x1A, 0x96, 0xE8, 0xCA, 0x01, 0x7F):
        yield Form(f"lop3.b32 $z,$a,$b,$c,{table:#x};", "r", "rrr")
    for joined in ("or", "and"):
        yield Form(
            f"{{.reg .pred p,q; setp.gt.s32 q,$c,5; lop3.{joined}.b32 $z|p,$a,$b,$c,0x6c,q; selp.u32 $w,1,0,p;}}",
            "r",
            "rrr",
        )


def comparisons() -> Iterator[Form]:
    """And conversions of one width to another."""
    for kind in _WORDS:
        of = letter(kind)
        for comparison in ("eq", "ne", "lt", "le", "gt", "ge") + (
            ("lo", "ls", "hi", "hs") if kind[0] == "u" else ()
        ):
            yield Form(
                f"{{.reg .pred p,q,r; setp.ne.u32 r,$c,0; setp.{comparison}.xor.{kind} p|q,$a,$b,r; "
                "selp.u32 $z,1,0,p; selp.u32 $w,1,0,q;}",
                "r",
                of * 2 + "r",
            )
            yield Form(f"set.{comparison}.f32.{kind} $z,$a,$b;", "f", of * 2)
    for source in INTEGERS:
        for to in INTEGERS:
            for more in optional(".sat") if _may_exceed(source, to) else ("",):
                yield Form(f"cvt{more}.{to}.{source} $z,$a;", carrier(to), carrier(source))
    for to in ("u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"):
        has_more = to[1:] != "16"
        yield Form(
            f"cvt.pack.sat.{to}.s32{'.b32' * has_more} $z,$a,$b{',$c' * has_more};",
            "r",
            "rrr" if has_more else "rr",
        )


def of_bytes() -> Iterator[Form]:
    """Dot products, and video instructions."""
    for a in "us":
        for b in "us":
            yield Form(f"dp4a.{a}32.{b}32 $z,$a,$b,$c;", "r", "rrr")
            for half in ("lo", "hi"):
                yield Form(f"dp2a.{half}.{a}32.{b}32 $z,$a,$b,$c;", "r", "rrr")
    for to, a, b in (("u32", "u32", "u32"), ("s32", "s32", "s32"), ("s32", "u32", "s32")):
        for more in optional(".sat"):
            for operation in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
                yield Form(f"{operation}.{to}.{a}.{b}{more} $z,$a,$b;", "r", "rr")
                yield Form(f"{operation}.{to}.{a}.{b}{more} $z,$a.b1,$b.h1;", "r", "rr")
                yield Form(f"{operation}.{to}.{a}.{b}{more}.add $z,$a.h0,$b.b3,$c;", "r", "rrr")
                yield Form(f"{operation}.{to}.{a}.{b}{more} $z.b2,$a,$b,$c;", "r", "rrr")
            for mode in ("clamp", "wrap"):
                for way in ("vshl", "vshr"):
                    yield Form(f"{way}.{to}.{a}.u32{more}.{mode} $z,$a.h1,$b.b0;", "r", "rr")
    for more in ("", ".po", ".shr7", ".shr15", ".sat"):
        yield Form(f"vmad.u32.u32.u32{more} $z,$a.h0,$b.h1,$c;", "r", "rrr")
        if more != ".po":
            yield Form(f"vmad.s32.s32.s32{more} $z,$a.b3,$b,$c;", "r", "rrr")
    for comparison in ("eq", "ne", "lt", "le", "gt", "ge"):
        yield Form(f"vset.u32.s32.{comparison} $z,$a.b0,$b.h1;", "r", "rr")
    for lanes in "24":
        for to, of in (("u32", "u32"), ("s32", "s32")):
            for operation in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"):
                for more in optional(".sat") if operation != "vavrg" else ("",):
                    yield Form(f"{operation}{lanes}.{to}.{of}.{of}{more} $z,$a,$b,$c;", "r", "rrr")
            yield Form(f"vadd{lanes}.{to}.{of}.{of}.add $z,$a,$b,$c;", "r", "rrr")
            yield Form(f"vabsdiff{lanes}.{to}.{of}.{of}.add $z,$a,$b,$c;", "r", "rrr")
            for comparison in ("eq", "lt", "ge"):
                yield Form(f"vset{lanes}.{of}.{of}.{comparison} $z,$a,$b,$c;", "r", "rrr")


def _may_exceed(source: str, to: str) -> bool:
    """Whether a value of one type may be none of another."""
    if source[0] == to[0]:
        return int(source[1:]) > int(to[1:])
    return to[0] == "u" or int(source[1:]) >= int(to[1:])
