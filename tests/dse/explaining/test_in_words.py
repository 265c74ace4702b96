"""An explanation and a difference as a notebook or a script prints them."""

from pathlib import Path

from dse import Client
from dse.runners.inline import InlineRunner
from search_spaces import Value

ONE: dict[str, list[Value]] = {"width": [1], "block_size": [64], "register_cap": [None], "unroll": [1, 4]}


def test_they_print_what_the_command_line_shows(tmp_path: Path, space_file: Path) -> None:
    client = Client(tmp_path, InlineRunner, tracking=False)
    sweep = client.submit(space_file, "h100-sxm", parameters=ONE).wait()
    first, second = (trial.number for trial in sweep.trials())
    found, changed = sweep.explain(second), sweep.diff(first, second)
    assert repr(found).startswith(f"Explanation(Trial({second}, 'h100-sxm'")
    assert len(repr(found)) < 160
    for part in (found.hot_spots[0].text, found.occupancy[0], found.trial.advice[0]):
        assert part in str(found)
    head = f"trial {first} -> trial {second} on h100-sxm: unroll 1 -> 4"
    assert repr(changed) == f"Difference({head!r}, {changed.ratio:.3g}x the time)"
    assert str(changed).splitlines()[0] == head
    assert all(reason.text in str(changed) for reason in changed.reasons)
    assert "<td>warp_instructions</td>" in changed._repr_html_()
    html = found._repr_html_()
    for part in (found.hot_spots[0].place, found.hot_spots[0].waits_for, "blocks per SM"):
        assert part in html
    code = sweep.sass(second)
    assert repr(code) == f"MachineCode({found.trial!r}, {len(code.instructions)} instructions)"
    assert code._repr_html_().count("<tr>") == 1 + len(code.instructions)
    assert "<td>EXIT</td>" in code._repr_html_().replace(" ;", "")
