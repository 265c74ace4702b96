"""Forms of instructions on floats."""

from collections.abc import Iterator

from benchmarks.simulator.instruction_forms.forms import INTEGERS, ROUNDINGS, Form, letter, optional

_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")


def arithmetic() -> Iterator[Form]:
    """Sums, products, quotients and roots of singles and doubles, in all roundings."""
    for rounding in ROUNDINGS:
        for more in optional(".ftz", ".sat"):
            for operation in ("add", "sub", "mul"):
                yield Form(f"{operation}.{rounding}{more}.f32 $z,$a,$b;", "f", "ff")
            yield Form(f"fma.{rounding}{more}.f32 $z,$a,$b,$c;", "f", "fff")
        for operation in ("add", "sub", "mul", "div"):
            yield Form(f"{operation}.{rounding}.f64 $z,$a,$b;", "d", "dd")
        yield Form(f"fma.{rounding}.f64 $z,$a,$b,$c;", "d", "ddd")
        for more in optional(".ftz"):
            yield Form(f"div.{rounding}{more}.f32 $z,$a,$b;", "f", "ff")
            for operation in ("rcp", "sqrt"):
                yield Form(f"{operation}.{rounding}{more}.f32 $z,$a;", "f", "f")
        for operation in ("rcp", "sqrt"):
            yield Form(f"{operation}.{rounding}.f64 $z,$a;", "d", "d")
    for kind in ("f32", "f64"):
        of = letter(kind)
        yield Form(f"copysign.{kind} $z,$a,$b;", of, of * 2)
        for test in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            yield Form(f"{{.reg .pred p; testp.{test}.{kind} p,$a; selp.u32 $z,1,0,p;}}", "r", of)


def approximations() -> Iterator[Form]:
    """Special functions. Singles are exact but for the tangent; the errors of the others are as PTX ISA states them."""
    for more in optional(".ftz"):
        for operation in ("full", "approx"):
            yield Form(f"div.{operation}{more}.f32 $z,$a,$b;", "f", "ff")
        for operation in ("rcp", "sqrt", "rsqrt", "ex2", "lg2"):
            yield Form(f"{operation}.approx{more}.f32 $z,$a;", "f", "f")
    yield Form("tanh.approx.f32 $z,$a;", "f", "f", relative=2**-10.987)
    yield Form("rcp.approx.ftz.f64 $z,$a;", "d", "d", relative=2**-19)
    for more in optional(".ftz"):
        yield Form(f"rsqrt.approx{more}.f64 $z,$a;", "d", "d", relative=2**-19)
    for kind, since, flush in (
        ("f16", 80, ""),
        ("f16x2", 80, ""),
        ("bf16", 90, ".ftz"),
        ("bf16x2", 90, ".ftz"),
    ):
        of, is_half = letter(kind), kind.startswith("f")
        yield Form(f"tanh.approx.{kind} $z,$a;", of, of, since, absolute=2**-10.987 if is_half else 2**-8)
        errors = (2**-9.9, 2**-25) if is_half else (2**-7, 0)  # the least half float is 2^-24
        yield Form(f"ex2.approx{flush}.{kind} $z,$a;", of, of, since, *errors)


def halves() -> Iterator[Form]:
    """Arithmetic of half floats and bfloat16s, alone and in pairs."""
    for kind in ("f16", "f16x2", "bf16", "bf16x2"):
        of, since = letter(kind), 90 if kind.startswith("b") else 80
        flushes = "" if kind.startswith("b") else ".ftz"
        for flush in optional(flushes) if flushes else ("",):
            for more in optional(".sat") if flushes else ("",):
                for operation in ("add", "sub", "mul"):
                    yield Form(f"{operation}.rn{flush}{more}.{kind} $z,$a,$b;", of, of * 2, since)
            for more in ("", ".relu", ".sat")[: 3 if flushes else 2]:
                yield Form(f"fma.rn{flush}{more}.{kind} $z,$a,$b,$c;", of, of * 3)
            for operation in ("min", "max"):
                for more in optional(".NaN", ".xorsign.abs"):
                    since = 86 if "xorsign" in more else 80
                    yield Form(f"{operation}{flush}{more}.{kind} $z,$a,$b;", of, of * 2, since)
            for operation in ("abs", "neg"):
                yield Form(f"{operation}{flush}.{kind} $z,$a;", of, of)
    for kind in ("f16", "bf16"):
        of, since = letter(kind), 90 if kind == "bf16" else 80
        for comparison in _COMPARISONS:
            yield Form(
                f"{{.reg .pred p; setp.{comparison}.{kind} p,$a,$b; selp.u32 $z,1,0,p;}}", "r", of * 2, since
            )
            yield Form(
                f"{{.reg .pred p,q; setp.{comparison}.{kind}x2 p|q,$a,$b; selp.u32 $z,1,0,p; selp.u32 $w,1,0,q;}}",
                "r",
                letter(f"{kind}x2") * 2,
                since,
            )
            yield Form(f"set.{comparison}.{kind}x2.{kind}x2 $z,$a,$b;", "r", letter(f"{kind}x2") * 2, since)


def minima() -> Iterator[Form]:
    """Minima and maxima with and without NaN, magnitudes, comparisons, selections."""
    for operation in ("min", "max"):
        for more in optional(".ftz", ".NaN", ".xorsign.abs"):
            yield Form(f"{operation}{more}.f32 $z,$a,$b;", "f", "ff", 86 if "xorsign" in more else 80)
        yield Form(f"{operation}.f64 $z,$a,$b;", "d", "dd")
    for kind, more in (("f32", ""), ("f32", ".ftz"), ("f64", "")):
        of = letter(kind)
        for operation in ("abs", "neg"):
            yield Form(f"{operation}{more}.{kind} $z,$a;", of, of)
        for comparison in _COMPARISONS:
            yield Form(
                f"{{.reg .pred p; setp.{comparison}{more}.{kind} p,$a,$b; selp.u32 $z,1,0,p;}}", "r", of * 2
            )
            yield Form(f"set.{comparison}{more}.f32.{kind} $z,$a,$b;", "f", of * 2)
    for joined in ("and", "or", "xor"):
        yield Form(
            f"{{.reg .pred p,q,r; setp.ne.u32 r,$c,0; setp.lt.{joined}.f32 p|q,$a,$b,!r; selp.u32 $z,1,0,p; "
            "selp.u32 $w,1,0,q;}",
            "r",
            "ffr",
        )
        yield Form(f"{{.reg .pred r; setp.ne.u32 r,$c,0; set.geu.{joined}.s32.f32 $z,$a,$b,r;}}", "r", "ffr")
    for more in optional(".ftz"):
        yield Form(f"slct{more}.f32.f32 $z,$a,$b,$c;", "f", "fff")
    yield Form("slct.u64.s32 $z,$a,$b,$c;", "l", "llr")
    yield Form("slct.f64.f32 $z,$a,$b,$c;", "d", "ddf")


def conversions() -> Iterator[Form]:
    """Between floats and integers and among floats, in all roundings."""
    for kind in ("f32", "f64", "f16", "bf16"):
        of, since = letter(kind), 90 if kind == "bf16" else 80
        for integer in INTEGERS[2 * (kind == "bf16") :]:
            for rounding in ROUNDINGS:
                for more in optional(".ftz") if kind == "f32" else ("",):
                    yield Form(f"cvt.{rounding}i{more}.{integer}.{kind} $z,$a;", letter(integer), of, since)
                yield Form(f"cvt.{rounding}.{kind}.{integer} $z,$a;", of, letter(integer), since)
            if kind != "bf16":
                yield Form(f"cvt.rzi.sat.{integer}.{kind} $z,$a;", letter(integer), of)
                yield Form(f"cvt.rn.sat.{kind}.{integer} $z,$a;", of, letter(integer))
    for rounding in ROUNDINGS:
        for kind, more in (("f32", ""), ("f32", ".ftz"), ("f32", ".sat"), ("f64", ""), ("f16", "")):
            yield Form(f"cvt.{rounding}i{more}.{kind}.{kind} $z,$a;", letter(kind), letter(kind))
        for more in optional(".ftz", ".sat"):
            yield Form(f"cvt.{rounding}{more}.f32.f64 $z,$a;", "f", "d")
            yield Form(f"cvt.{rounding}{more}.f16.f32 $z,$a;", "h", "f")
        for more in optional(".sat"):
            yield Form(f"cvt.{rounding}{more}.f16.f64 $z,$a;", "h", "d")
    for more in optional(".ftz", ".sat"):
        yield Form(f"cvt{more}.f32.f16 $z,$a;", "f", "h")
        yield Form(f"cvt{more}.f64.f32 $z,$a;", "d", "f")
    yield Form("cvt.f64.f16 $z,$a;", "d", "h")
    yield Form("cvt.f32.bf16 $z,$a;", "f", "b", 90)
    yield Form("cvt.f64.bf16 $z,$a;", "d", "b", 90)
    for rounding in ("rn", "rz"):
        for more in optional(".relu"):
            yield Form(f"cvt.{rounding}{more}.bf16.f32 $z,$a;", "b", "f")
            yield Form(f"cvt.{rounding}{more}.f16.f32 $z,$a;", "h", "f")
            yield Form(f"cvt.{rounding}{more}.f16x2.f32 $z,$a,$b;", "r", "ff")
            yield Form(f"cvt.{rounding}{more}.bf16x2.f32 $z,$a,$b;", "r", "ff")
            yield Form(f"cvt.{rounding}{more}.tf32.f32 $z,$a;", "r", "f", 90)
    yield Form("cvt.rna.tf32.f32 $z,$a;", "r", "f")
    for narrow in ("e4m3x2", "e5m2x2"):
        for more in optional(".relu"):
            yield Form(f"cvt.rn.satfinite{more}.{narrow}.f32 $z,$a,$b;", "h", "ff", 89)
            yield Form(f"cvt.rn.satfinite{more}.{narrow}.f16x2 $z,$a;", "h", "x", 89)
            yield Form(f"cvt.rn{more}.f16x2.{narrow} $z,$a;", "r", "h", 89)
