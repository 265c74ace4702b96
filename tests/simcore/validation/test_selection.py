"""Which measurements are predicted: by family, stride, size and half of a split."""

from pathlib import Path

import numpy as np
import pytest

from simcore.validation import (
    MeasurementError,
    Selection,
    pair,
    read_measurements,
    read_split,
)
from testing.measured_files import CATALOG, SAMPLES


def test_a_selection_is_by_family_stride_and_size() -> None:
    measurements = read_measurements(CATALOG).measurements
    chosen = Selection(frozenset({"dot"}), every=10).choose(measurements)
    assert {m.family for m in chosen} == {"dot"}
    assert len(chosen) == 10
    limit = float(np.median([m.warp_instructions or 0 for m in measurements]))
    small = Selection(most_instructions=limit).choose(measurements)
    assert max(m.warp_instructions or 0 for m in small) <= limit
    with pytest.raises(MeasurementError, match="the families measured are: dot, fma_chain, rsqrt_chain"):
        Selection(frozenset({"dott"})).choose(measurements)


def test_a_split_file_names_the_families_of_a_half(tmp_path: Path) -> None:
    path = tmp_path / "split.yaml"
    path.write_text("calibration: [a]\nvalidation: [b, c]\n")
    assert read_split(path, "validation") == {"b", "c"}
    with pytest.raises(MeasurementError, match="has no list `test`"):
        read_split(path, "test")


def test_measurements_without_code_need_a_space() -> None:
    with pytest.raises(MeasurementError, match=r"kernel_tuner_cache\.json: .*as --space"):
        pair(read_measurements(SAMPLES / "kernel_tuner_cache.json").measurements, None)
