"""What people call the parts of a GPU that are not modelled, by the opcodes that use them."""

from collections.abc import Iterable

from simcore.machine_code.sass import Instruction

_OPCODES = {
    "this operation on an asynchronous barrier (mbarrier)": "SYNCS ARRIVES ATOMS.ARRIVE",
    "this fence": "FENCE",
    "wgmma": "HGMMA IGMMA QGMMA BGMMA WARPGROUP",
    "TMA (bulk copies between global and shared memory)": "UTMA UBLKCP UBLKRED UBLKPF",
    "tensor memory (tcgen05)": "UTC LDTM STTM LDT STT UTCBAR FENCE_TMEM",
    "texture access": "TEX TLD TMML TXD TXQ TXA UTEX",
    "surface access": "SULD SUST SUATOM SURED SUQUERY",
    "cooperation in a thread block cluster": "UCGABAR STAS REDAS MAPA UGETNEXTWORKID",
    "setmaxnreg": "USETMAXREG",
    "1-bit matrix multiplication": "BMMA MOVM.U4TO8",
    "sparse matrix multiplication": "HMMA.SP IMMA.SP QMMA.SP",
    "block-scaled matrix multiplication": "QMMA.SF OMMA",
    "multiplication of matrices of 4-bit or 6-bit floats": "QMMA",
    "ldmatrix or stmatrix of 8-bit and narrower elements": "LDSM.8 LDSM.U6 LDSM.U4 STSM.8",
    "conversion to or from scale factors (UE8M0)": "F2FP.E8 F2FP.SATFINITE.E8 F2FP.BF16.E8",
    "redux.sync of floats": "CREDUX.MIN.F32 CREDUX.MAX.F32 CREDUX.MINABS.F32 CREDUX.MAXABS.F32",
    "multimem (one address on several GPUs)": "LDGMC REDMC STGMC",
    "a 128-bit exchange": "ATOMG.E.EXCH.128 ATOM.E.EXCH.128",
}
_PREFIXES = {prefix: feature for feature, prefixes in _OPCODES.items() for prefix in prefixes.split()}

_FUNCTIONS = {
    "vprintf": "printf",
    "malloc": "malloc in a kernel",
    "free": "free in a kernel",
    "cudaLaunchDeviceV2": "dynamic parallelism",
    "cudaGetParameterBufferV2": "dynamic parallelism",
}


_SPECIAL_REGISTER = "SR_"


def feature_of_instruction(instruction: Instruction) -> str | None:
    """The part of a GPU that an instruction uses, if that has a name of its own."""
    register = next((o.text for o in instruction.operands if o.text.startswith(_SPECIAL_REGISTER)), None)
    if register:
        return f"the special register {register}"
    name = instruction.name
    return next((feature for prefix, feature in _PREFIXES.items() if name.startswith(prefix)), None)


_GRID_WORKSPACE = {"sm_8": (0x8C, 0x90), "sm_9": (0x44, 0x48), "sm_1": (0x254, 0x258)}
"""Where the driver leaves the address of a cooperative launch's workspace in constant bank 0, by architecture."""


def reads_grid_workspace(instructions: Iterable[Instruction], architecture: str) -> bool:
    """Whether a kernel asks for what only a cooperative launch has, as `grid.sync()` does before it traps."""
    places = _GRID_WORKSPACE[architecture[:4]]
    operands = (operand for instruction in instructions for operand in instruction.operands)
    return any(o.kind == "constant" and o.index == 0 and o.value in places for o in operands)


def feature_of_function(symbol: str) -> str:
    """What a function of the driver is for."""
    if symbol.startswith("cuda") and symbol not in _FUNCTIONS:
        return f"dynamic parallelism ({symbol})"
    return _FUNCTIONS.get(symbol, symbol)
