"""Expressions of each type: templates whose holes name the types of their operands."""

from random import Random
from typing import NamedTuple

TYPES = {
    "u": "unsigned",
    "i": "int",
    "U": "unsigned long long",
    "I": "long long",
    "f": "float",
    "d": "double",
    "b": "bool",
}
"""The letters that holes name types by."""

_INTEGERS = (
    "sum({t},{t}) difference({t},{t}) product({t},{t}) ({t} & {t}) ({t} | {t}) ({t} ^ {t}) (~{t}) "
    "({b}?{t}:{t}) min({t},{t}) max({t},{t}) sum({t},product({t},{t})) difference(difference({t},{t}),{t})"
)
_COMPARED = "({t} < {t}) ({t} <= {t}) ({t} == {t}) ({t} != {t}) ({t} >= {t})"
_FLOATS = "({b}?{t}:{t}) (-{t})"

_ANYWHERE = {
    "u": f"""
        {_INTEGERS.replace("{t}", "{u}")}
        ({{u}} << ({{u}} & 31)) ({{u}} >> ({{u}} & 31)) ({{u}} / ({{u}} | 1)) ({{u}} % ({{u}} | 1))
        __umulhi({{u}},{{u}})
        __popc({{u}}) __clz({{i}}) __ffs({{i}}) __brev({{u}}) __byte_perm({{u}},{{u}},({{u}}&0x7777))
        (({{u}}*2654435761u)>>13)
        __funnelshift_l({{u}},{{u}},{{u}}) __funnelshift_r({{u}},{{u}},{{u}}) __popcll({{U}}) __clzll({{I}})
        __ffsll({{I}})
        (unsigned)({{U}}>>32) (unsigned){{U}} (unsigned){{i}} (unsigned)(unsigned_char){{u}}
        (unsigned)(unsigned_short){{i}}
        __float2uint_rz({{f}}) __double2uint_rz({{d}}) __usad({{u}},{{u}},{{u}}) __uhadd({{u}},{{u}})
        (unsigned){{b}} ({{u}}/7u) ({{u}}%13u)
        __vadd2({{u}},{{u}}) __vsub2({{u}},{{u}}) __vmaxu2({{u}},{{u}}) __vmins2({{u}},{{u}})
        __vadd4({{u}},{{u}}) __vabsdiffu4({{u}},{{u}})
        __vcmpgtu2({{u}},{{u}}) __vavgu4({{u}},{{u}}) (({{b}}?1u:0u)+({{b}}?2u:0u)+({{b}}?4u:0u))
    """,
    "i": f"""
        {_INTEGERS.replace("{t}", "{i}")}
        ({{i}} >> ({{u}} & 31)) (int)((unsigned){{i}}<<({{u}}&31)) __mulhi({{i}},{{i}}) (int)(short){{i}}
        (int)(signed_char){{u}}
        ({{i}} / (({{i}} | 1) & 0xfffff)) ({{i}} % (({{i}} | 1) & 0xffff)) (int){{u}} (int){{I}}
        __float2int_rz({{f}}) __float2int_rn({{f}})
        __double2int_rn({{d}}) abs({{i}}>>1) ({{i}}/-13) __dp4a({{i}},{{i}},{{i}}) (int)({{i}}&{{u}})
    """,
    "U": f"""
        {_INTEGERS.replace("{t}", "{U}")}
        ({{U}} << ({{u}} & 63)) ({{U}} >> ({{u}} & 63)) __umul64hi({{U}},{{U}}) (unsigned_long_long){{u}}
        (unsigned_long_long){{I}}
        ((unsigned_long_long){{u}}*{{u}}) ((unsigned_long_long){{u}}*{{u}}+{{U}})
        ((unsigned_long_long){{u}}<<32|{{u}}) __brevll({{U}})
        ({{U}} / ({{U}} | 1)) ({{U}} % ({{u}} | 1ull)) __double2ull_rz({{d}}) __float2ull_rz({{f}})
        ({{U}}+{{b}}) ({{U}}*1000003ull+{{U}})
        high_half({{U}},{{U}},{{U}}) sum_above({{U}},{{U}},{{U}},{{U}})
    """,
    "I": f"""
        {_INTEGERS.replace("{t}", "{I}")}
        ({{I}} >> ({{u}} & 63)) __mul64hi({{I}},{{I}}) (long_long){{i}} (long_long){{U}}
        ((long_long){{i}}*{{i}}) sum((long_long){{i}}*{{i}},{{I}})
        ({{I}} / (({{I}} | 1) & 0xffffffffffll)) llabs({{I}}>>1) __double2ll_rn({{d}}) __float2ll_rz({{f}})
        difference({{I}},(long_long){{i}})
    """,
    "f": f"""
        {_FLOATS.replace("{t}", "{f}")}
        __fadd_rn({{f}},{{f}}) __fsub_rn({{f}},{{f}}) __fmul_rn({{f}},{{f}}) __fmaf_rn({{f}},{{f}},{{f}})
        __fdiv_rn({{f}},{{f}}) __fsqrt_rn({{f}})
        fminf({{f}},{{f}}) fmaxf({{f}},{{f}}) fabsf({{f}}) rintf({{f}}) floorf({{f}}) ceilf({{f}})
        truncf({{f}})
        (float){{u}} (float){{i}} (float){{U}} (float){{I}} (float){{d}} (float)(signed_char){{u}}
        (float)(unsigned_char)({{u}}>>8)
    """,
    "d": f"""
        {_FLOATS.replace("{t}", "{d}")}
        __dadd_rn({{d}},{{d}}) __dsub_rn({{d}},{{d}}) __dmul_rn({{d}},{{d}}) __fma_rn({{d}},{{d}},{{d}})
        __ddiv_rn({{d}},{{d}}) __dsqrt_rn({{d}})
        fmin({{d}},{{d}}) fmax({{d}},{{d}}) fabs({{d}}) rint({{d}}) floor({{d}}) (double){{u}} (double){{i}}
        (double){{U}} (double){{I}} (double){{f}}
    """,
    "b": f"""
        {" ".join(_COMPARED.replace("{t}", "{" + t + "}") for t in "uiUIfd")}
        ({{b}}&&{{b}}) ({{b}}||{{b}}) (!{{b}}) ({{b}}!={{b}}) (({{u}}&1)!=0) (({{U}}&{{U}})==0)
    """,
}

_ON_GPUS = {
    "u": """
        halves_fma({u},{u},{u}) halves_fma_relu({u},{u},{u}) halves_fma_sat({u},{u},{u}) halves_add({u},{u})
        halves_subtract({u},{u}) halves_multiply({u},{u}) halves_min({u},{u}) halves_max_nan({u},{u})
        halves_compared({u},{u}) halves_ordered({u},{u})
        half_fma({u},{u},{u}) bfloats_fma({u},{u},{u}) bfloats_fma_relu({u},{u},{u}) bfloats_max({u},{u})
        half_of({f}) bfloat_of({f}) halves_of({f},{f}) halves_of_relu({f},{f})
        bfloats_of({f},{f}) half_of_integer({i})
        pick_bytes({u},{u},{u}) pick_forward({u},{u},{u}) pick_edges({u},{u},{u})
        field({u},{u},{u}) with_field({u},{u},{u}) mask_of_bits({u},{u}) highest_bit({i}) highest_shift({u})
        shifted_left({u},{u},{u}) shifted_right({u},{u},{u}) majority({u},{u},{u})
        carried({u},{u},{u},{u}) borrowed({u},{u},{u},{u}) product_carried({u},{u},{u},{u})
        high_product({u},{u},{u}) dot_of_pairs({u},{u},{u})
        __viaddmax_s16x2({u},{u},{u}) __viaddmin_s16x2_relu({u},{u},{u})
        __vimin3_u16x2({u},{u},{u}) __vimax_s16x2_relu({u},{u}) __viaddmin_u32({u},{u},{u})
        __vmaxs4({u},{u}) __vaddss2({u},{u}) __vsubus4({u},{u}) __vneg2({u}) __vabs4({u}) __vseteq4({u},{u})
        clamp_to_8({i}) clamp_to_16({i}) packed_bytes({i},{i},{u}) ordered_and({f},{f},{u})
        called({u},{u}) recursive({u},{u}) __float_as_uint(fabsf({f})+1.0f)
    """,
    "i": """
        __dp2a_lo({i},{i},{i}) signed_field({i},{u},{u}) __viaddmin_s32_relu({i},{i},{i})
        __vimax3_s32({i},{i},{i}) __half2int({u}) extended({i},{u}) short_product({i},{i},{i})
        absolute_difference({i},{i},{i}) saturated_sum({i},{i}) saturated_difference({i},{i})
        dot_of_bytes({u},{i},{i}) halved({d})
    """,
    "f": """
        __fadd_rz({f},{f}) __fmul_ru({f},{f}) __fmaf_rd({f},{f},{f}) flushed_product({f},{f})
        flushed_fma({f},{f},{f}) smaller_or_nan({f},{f}) with_sign({f},{f})
        __saturatef({f}) value_of_half({u}) __int2float_rz({i}) __ull2float_ru({U}) __double2float_rd({d})
    """,
    "d": """
        __dadd_ru({d},{d}) __fma_rz({d},{d},{d}) trunc({d}) __ll2double_rd({I}) __drcp_rn({d})
    """,
    "b": "flushed_less({f},{f})",
}


def _split(templates: str) -> list[str]:
    """Templates are separated by spaces at the outermost level of parentheses."""
    found, depth, current = [], 0, ""
    for character in templates:
        depth += character == "("
        depth -= character == ")"
        if character.isspace() and depth == 0:
            found.append(current)
            current = ""
        else:
            current += character
    return [
        template.replace("_char", " char").replace("_short", " short").replace("_long", " long")
        for template in found
        if template
    ]


class Expressions(NamedTuple):
    """What expressions are made of.

    Attributes:
        templates: by type.
    """

    templates: dict[str, list[str]]

    @classmethod
    def of(cls, on_gpus_alone: bool) -> "Expressions":
        """All, or those that a host understands."""
        return cls(
            {
                t: _split(_ANYWHERE[t] + (_ON_GPUS.get(t, "") if on_gpus_alone else "") + " ")
                for t in _ANYWHERE
            }
        )

    def make(self, kind: str, depth: int, random: Random, names: dict[str, list[str]]) -> str:
        """A random expression of a type, over variables by type."""
        if depth == 0 or random.random() < 0.15:
            return self._leaf(kind, random, names)
        parts, rest = "", random.choice(self.templates[kind])
        while "{" in rest:
            before, _, rest = rest.partition("{")
            parts += before + self.make(rest[0], depth - 1, random, names)
            rest = rest[2:]
        return f"(({TYPES[kind]})({parts}{rest}))"

    @staticmethod
    def _leaf(kind: str, random: Random, names: dict[str, list[str]]) -> str:
        if kind == "b":
            return f"({random.choice(names['u'])} < {random.choice(names['u'])})"
        if kind in "fd" or random.random() < 0.8:
            return random.choice(names[kind])
        bits = 64 if kind in "UI" else 32
        value = random.choice(
            [random.getrandbits(bits), random.getrandbits(8), (1 << bits - 1) - 1, 1 << bits - 1]
        )
        return f"(({TYPES[kind]}){value}ull)"
