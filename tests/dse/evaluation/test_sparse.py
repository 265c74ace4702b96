"""Generated sparse matrices and graphs are what their description says."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.evaluation.sparse import array_of
from search_spaces import Space, parse_space
from search_spaces.contents import DataPart


@given(st.data(), st.sampled_from(["equal", "random", "power_law"]), st.integers(0, 5))
def test_rows_are_whole_ascending_and_of_their_number(data: st.DataObject, rows_are: str, seed: int) -> None:
    rows, columns = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 40))
    nonzeros = data.draw(st.integers(1, rows * columns))
    offsets, chosen = (
        array_of(DataPart(part, rows, columns, nonzeros, rows_are, seed)) for part in ("offsets", "columns")
    )
    assert (len(offsets), offsets[0], offsets[-1], len(chosen)) == (rows + 1, 0, nonzeros, nonzeros)
    for first, last in pairwise(offsets):
        row = chosen[first:last]
        assert (np.diff(row) > 0).all()
        assert not len(row) or (row[0] >= 0 and row[-1] < columns)
    if rows_are == "equal":
        assert np.ptp(np.diff(offsets)) <= 1


@pytest.mark.parametrize(("nodes_are", "most"), [("equal", 8), ("random", 30), ("power_law", 2000)])
def test_few_rows_of_a_power_law_have_many(nodes_are: str, most: int) -> None:
    offsets = array_of(DataPart("offsets", 2000, 2000, 16000, nodes_are, 0))
    degrees = np.sort(np.diff(offsets))
    assert degrees[-1] <= most
    assert (degrees[-1] > 300) == (nodes_are == "power_law")


def graph(nodes_are: str) -> Space:
    return parse_space(
        f"""
kernel: visit
parameters: {{block_size: [32]}}
gpu: [h200]
launch: {{grid: 1, block: block_size}}
data: {{web: {{kind: graph, nodes: 100, edges: 500, nodes_are: {nodes_are}}}}}
arguments:
  - {{name: offsets, type: int32, data: web.offsets}}
  - {{name: neighbours, type: uint16, data: web.neighbours}}
""",
        'extern "C" __global__ void visit(const int* offsets, const unsigned short* neighbours) {}',
    )


def test_a_graph_is_a_matrix_of_its_nodes() -> None:
    offsets, neighbours = graph("random").arguments({"block_size": 32})
    assert (offsets.elements, neighbours.elements) == (101, 500)
    assert offsets.data is not None
    assert (offsets.data.rows, offsets.data.columns, offsets.data.rows_are) == (100, 100, "random")
