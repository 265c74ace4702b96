"""Profiles are complete and sourced; names, overrides and bad files give messages that help."""

import pickle
import re
from pathlib import Path

import pytest
import yaml

from simcore.errors import SimcoreError, UnknownGpu
from simcore.gpu import Gpu
from simcore.gpu_overrides import split_gpus
from simcore.gpu_profiles import PROFILES, gpu_names, load_gpu, read_profile, with_overrides
from simcore.gpu_rates import fp16_tensor_tflops, fp32_tflops, fp64_tflops, stated_dram_gb_per_s

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", gpu_names())
def test_every_number_of_every_profile_has_unit_and_source(name: str) -> None:
    gpu = load_gpu(name)
    assert gpu.name == name
    for field in Gpu.model_fields:
        assert gpu.unit(field)
        assert gpu.source(field) not in ("", "override")


@pytest.mark.parametrize("name", gpu_names())
def test_profiles_are_consistent(name: str) -> None:
    gpu = load_gpu(name)
    assert gpu.shared_bytes_per_block_optin + gpu.shared_reserved_bytes_per_block == gpu.shared_bytes_per_sm
    assert gpu.shared_carveouts_bytes == tuple(sorted(gpu.shared_carveouts_bytes))
    assert gpu.shared_carveouts_bytes[-1] == gpu.shared_bytes_per_sm < gpu.l1_and_shared_bytes_per_sm
    assert gpu.shared_latency < gpu.l1_hit_latency < gpu.l2_latency < gpu.dram_latency


@pytest.mark.parametrize("path", sorted(PROFILES.glob("*.yaml")), ids=lambda path: path.stem)
def test_a_file_states_its_numbers_in_the_order_of_the_fields(path: Path) -> None:
    stated = [field for field in yaml.safe_load(path.read_text()) if field != "base"]
    assert stated == [field for field in Gpu.model_fields if field in stated]


def test_the_programs_that_sources_name_are_here() -> None:
    h200 = load_gpu("h200")
    named = {
        name for field in Gpu.model_fields for name in re.findall(r"benchmarks/[\w/.]+", h200.source(field))
    }
    assert len(named) > 20
    assert not {name for name in named if not list(ROOT.glob(f"{name.rstrip('.')}*"))}


def test_what_is_still_to_be_measured_is_listed() -> None:
    text = (ROOT / "docs" / "simulator.md").read_text()
    section = text.split("### Still to be measured")[1].split("\n#")[0]
    listed = section.split("have no measurement")[1].split("\n\n")[0]
    sources = {field: load_gpu("h200").source(field) for field in Gpu.model_fields}
    assert not [field for field, source in sources.items() if "prototype" in source]
    assert set(re.findall(r"`(\w+)`", listed)) == {
        f for f, source in sources.items() if source.startswith(("not measured", "an assumption"))
    }


def test_labels_say_what_was_measured() -> None:
    labels = {name: load_gpu(name).label for name in gpu_names()}
    assert {name for name, label in labels.items() if label == "calibrated"} == {"h200", "h100-sxm"}
    measured = load_gpu("h200").architecture
    for name, label in labels.items():
        if label != "calibrated":
            assert (label == "derived") == (load_gpu(name).architecture == measured), name


# CUDA Programming Guide 13.4, technical specifications: warps, blocks, shared KiB an SM and a block, L1 KiB.
LIMITS = {
    "sm_80": (64, 32, 164, 163, 192),
    "sm_86": (48, 16, 100, 99, 128),
    "sm_89": (48, 24, 100, 99, 128),
    "sm_90": (64, 32, 228, 227, 256),
    "sm_100": (64, 32, 228, 227, 256),
    "sm_120": (48, 24, 100, 99, 128),
}
# FP32 TFLOPS as NVIDIA's data sheets have them: two for each FMA, SMs and clock together.
TERAFLOPS = {
    "a10": 31.2,
    "a100-40gb": 19.5,
    "a100-80gb": 19.5,
    "h100-pcie": 51,
    "h100-sxm": 67,
    "h200": 67,
    "l4": 30.3,
    "l40s": 91.6,
    "rtx-a4000": 19.2,
    "rtx-a6000": 38.7,
    "rtx3090": 35.6,
    "rtx4090": 82.6,
    "rtx5090": 104.8,
}


@pytest.mark.parametrize("name", gpu_names())
def test_limits_are_those_of_the_architecture(name: str) -> None:
    gpu = load_gpu(name)
    sizes = (gpu.shared_bytes_per_sm, gpu.shared_bytes_per_block_optin, gpu.l1_and_shared_bytes_per_sm)
    kib = (size // 1024 for size in sizes)
    assert (gpu.max_warps_per_sm, gpu.max_blocks_per_sm, *kib) == LIMITS[gpu.architecture]


@pytest.mark.parametrize("name", TERAFLOPS)
def test_pipes_sms_and_clock_make_the_data_sheets_arithmetic(name: str) -> None:
    gpu = load_gpu(name)
    assert fp32_tflops(gpu) == pytest.approx(TERAFLOPS[name], rel=0.015)


@pytest.mark.parametrize("name", gpu_names())
def test_a_streaming_kernel_achieves_most_of_the_data_sheets_bandwidth(name: str) -> None:
    stated = stated_dram_gb_per_s(load_gpu(name))
    assert stated
    assert 0.84 * stated < load_gpu(name).dram_gb_per_s < stated
    assert stated_dram_gb_per_s(load_gpu(name, sms=1)) is None


@pytest.mark.parametrize("name", gpu_names())
def test_an_sm_alone_is_no_slower(name: str) -> None:
    gpu = load_gpu(name)
    assert gpu.l2_bytes_per_cycle_one_sm >= gpu.l2_bytes_per_cycle_per_sm
    assert gpu.l2_write_bytes_per_cycle_one_sm >= gpu.l2_write_bytes_per_cycle_per_sm
    assert gpu.dram_bytes_per_cycle_one_sm * gpu.clock_mhz * 1e-3 * gpu.sms > gpu.dram_gb_per_s


def test_a_profile_says_where_its_numbers_come_from() -> None:
    h100 = load_gpu("h100-sxm")
    assert h100.source("shuffle_latency").startswith("as the h200: ")
    assert h100.source("l2_bytes") == "NVIDIA H100 white paper: 50 MB"


def test_overrides_change_value_source_label_and_digest_alone() -> None:
    base = load_gpu("h200")
    changed = load_gpu("h200", schedulers_per_sm=8)
    assert changed.schedulers_per_sm == 8
    assert changed.source("schedulers_per_sm") == "override"
    assert changed.source("sms") == base.source("sms")
    assert changed.label == "what if"
    assert changed.digest() != base.digest()
    assert load_gpu(changed, schedulers_per_sm=4, label="calibrated").digest() == base.digest()


def test_a_profile_is_accepted_as_it_is_and_survives_pickling() -> None:
    gpu = load_gpu("b200", l2_latency=300)
    assert load_gpu(gpu) is gpu
    copy = pickle.loads(pickle.dumps(gpu))
    assert copy == gpu
    assert copy.source("l2_latency") == "override"


def test_an_unknown_gpu_lists_the_names_and_suggests_the_closest() -> None:
    with pytest.raises(
        UnknownGpu,
        match=r"'h100'; did you mean 'h100-sxm' or 'h100-pcie'\? \(there are a10, a100-40gb, a100-80gb, b200",
    ):
        load_gpu("h100")


def test_an_unknown_field_suggests_the_closest() -> None:
    with pytest.raises(UnknownGpu, match="no field 'l2_byte'; did you mean 'l2_bytes'"):
        load_gpu("h200", l2_byte=1)
    with pytest.raises(UnknownGpu, match="'dram_bandwidth'; did you mean 'dram_gb_per_s'"):  # by its meaning
        load_gpu("h200", dram_bandwidth=1)
    with pytest.raises(UnknownGpu, match=r"no field 'shape'; simcore/gpus/h200\.yaml lists every field"):
        load_gpu("h200").source("shape")


def test_an_override_out_of_range_names_field_and_value() -> None:
    with pytest.raises(SimcoreError, match="sms: -3 is not possible; must be greater than 0"):
        load_gpu("h200", sms=-3)


def test_a_gpu_in_words_is_the_profile_with_these_numbers() -> None:
    gpu = load_gpu("h100-sxm, sms=144,l2_bytes=100MB,dram_gb_per_s=4e3")
    assert (gpu.sms, gpu.l2_bytes, gpu.dram_gb_per_s) == (144, 100 << 20, 4000)
    assert (gpu.name, gpu.label) == ("h100-sxm", "what if")
    assert gpu.digest() == load_gpu("h100-sxm", sms=144, l2_bytes=100 << 20, dram_gb_per_s=4000).digest()


def test_the_words_for_a_gpu_are_always_the_same() -> None:
    assert with_overrides("h100-sxm,l2_bytes=104857600,sms=144", {}) == "h100-sxm,sms=144,l2_bytes=100MB"
    assert with_overrides("h100-sxm,sms=144", {"sms": 132, "l2_bytes": 50 << 20}) == "h100-sxm"
    assert load_gpu("h100-sxm,sms=132") is load_gpu("h100-sxm")
    assert split_gpus("h100-sxm,sms=144, l2_bytes=100MB,b200") == ["h100-sxm,sms=144,l2_bytes=100MB", "b200"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("h100-sxm,sm=144", "no field 'sm'; did you mean 'sms'"),
        ("h100-sxm,sms=0", "sms: 0 is not possible; must be greater than 0"),
        ("h100-sxm,schedulers_per_sm=3.5", "schedulers_per_sm: 3.5 is not possible; must be a valid integer"),
        ("h100-sxm,l2_bytes=5XB", "'XB' is no unit of l2_bytes; use KB, MB, GB or plain bytes"),
        ("h100-sxm,clock_mhz=2GHz", "'GHz' is no unit of clock_mhz; give it in MHz"),
        ("h100-sxm,sms=many", "sms=many: is not a number; give it in SMs"),
        ("h100-sxm,sms=", "'sms=' is not an override; write FIELD=VALUE"),
        ("h100-sxm,sms=1,sms=2", "sms is set twice"),
        ("h100-sxm,label=mine", "label is not a single number"),
        ("h100-sxm,clock_mhz=1e999", "clock_mhz: inf is not possible"),
    ],
)
def test_words_that_name_no_gpu_are_refused(text: str, message: str) -> None:
    with pytest.raises(SimcoreError, match=re.escape(message)):
        load_gpu(text)


def test_an_override_without_a_gpu_is_refused() -> None:
    with pytest.raises(SimcoreError, match="sms=144: no GPU before it; write such as h100-sxm,sms=144"):
        split_gpus("sms=144,b200")


def test_peak_rates_are_those_of_the_data_sheets() -> None:
    a100 = load_gpu("a100-80gb")
    assert [round(rate(a100), 1) for rate in (fp64_tflops, fp32_tflops, fp16_tensor_tflops)] == [
        9.7,
        19.5,
        311.9,
    ]


def _write(path: Path, **document: object) -> Path:
    path.write_text(yaml.safe_dump(document))
    return path


def test_a_profile_of_ones_own_can_derive_from_a_known_one(tmp_path: Path) -> None:
    label = {"value": "derived", "unit": "text", "source": "cut down H200"}
    sms = {"value": 66, "unit": "SMs", "source": "half of it"}
    gpu = read_profile(_write(tmp_path / "half.yaml", name="half", base="h200", label=label, sms=sms))
    assert (gpu.name, gpu.sms, gpu.l2_bytes) == ("half", 66, load_gpu("h200").l2_bytes)


def test_all_problems_of_a_file_are_reported_at_once(tmp_path: Path) -> None:
    path = _write(
        tmp_path / "bad.yaml",
        name="good",
        base="h200",
        sms={"value": 66, "unit": "cores", "source": "a guess"},
        clock_mhz={"value": 1000, "unit": "MHz"},
        l2_byte={"value": 1, "unit": "bytes", "source": "a guess"},
        l2_latency=200,
        dram_latency={"value": 500, "unit": "cycles", "source": "a guess", "note": "!"},
    )
    with pytest.raises(SimcoreError) as error:
        read_profile(path)
    for line in (
        "sms: unit is 'cores'; give it in 'SMs'",
        "clock_mhz: has no source; say where 1000 comes from",
        "l2_byte: no such field; did you mean 'l2_bytes'?",
        "l2_latency: has no value; write {value: ..., unit: cycles, source: ...}",
        "dram_latency: 'note' is not one of value, unit, source",
        "label: is missing",
        "name: is 'good'; write the file's own name, 'bad'",
    ):
        assert line in str(error.value)


def test_a_file_without_a_base_must_state_every_field(tmp_path: Path) -> None:
    with pytest.raises(SimcoreError) as error:
        read_profile(_write(tmp_path / "empty.yaml", name="empty"))
    assert str(error.value).count("is missing") == len(Gpu.model_fields) - 1


@pytest.mark.parametrize(
    ("text", "message"),
    [("a: [", "is not valid YAML"), ("- 1", "is not a GPU profile"), ("base: own", "cannot be its own base")],
)
def test_a_file_that_is_no_profile_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(text)
    with pytest.raises(SimcoreError, match=message):
        read_profile(path)
