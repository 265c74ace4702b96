"""One client, in process or over HTTP: the same handles and the same answers."""

import asyncio
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from inspect import isfunction
from pathlib import Path

import httpx
import pytest

from dse import AsyncClient, Client, Sweep
from dse.async_client import AsyncSweep
from dse.errors import GpuNotFound, InputError, ServerError, SpaceNotFound
from dse.requests.gpus import GpuFile
from dse.requests.spaces import SpaceFiles
from dse.requests.specs import restore_space
from dse.runners.base import Evaluate
from dse.runners.inline import InlineRunner
from dse.service.http import HttpService
from dse.store import FilterError, Store, SweepExists, SweepNotFound, SweepQuery, TrialQuery
from search_spaces import SpaceError, load_space
from simcore import CompileError, LaunchError, UnknownGpu
from testing.documented_spaces import write_documented
from testing.serving import serving

GPUS = ["a100-80gb", "h100-sxm"]
VALID_POINTS = 96
GPU = """name: ours
base: h100-sxm
label: {value: derived, unit: text, source: "the H100 with fewer SMs"}
sms: {value: 120, unit: SMs, source: "our machine room"}
"""


REFUSED_GPUS = [
    ("h200", GPU, "'h200' is a GPU of this installation; choose another name"),
    ("mine", GPU, "name: is 'ours'; write the file's own name, 'mine'"),
    ("ours", GPU.replace("base: h100-sxm", "base: ../h100-sxm"), "no GPU named '../h100-sxm'"),
    ("ours", GPU.replace("base: h100-sxm", "base: [1]"), "derives from no known GPU; add `base:`"),
    ("ours", GPU.replace("sms", "sm"), "sm: no such field; did you mean 'sms'"),
    (
        "ours",
        GPU.replace('source: "our machine room"', "source: "),
        "sms: has no source; say where 120 comes from",
    ),
    ("ours", GPU.replace("unit: SMs", "unit: clusters"), "sms: unit is 'clusters'; give it in 'SMs'"),
    ("ours", GPU.replace("120", "0"), "sms: 0 is not possible; must be greater than"),
    ("ours", GPU + "a: &a [1]\nb: *a\n", "has an alias or is nested too deeply"),
    ("ours", "a: [[[[[]]]]]\n", "has an alias or is nested too deeply"),
    ("ours", "[" * 5000, "nest"),  # libyaml may end its own search for brackets first
    ("ours", "sms: }", "is not valid YAML"),
]


@pytest.fixture(params=["in process", "over HTTP"])
def client(request: pytest.FixtureRequest, tmp_path: Path, quick: Evaluate) -> Iterator[Client]:
    if request.param == "in process":
        yield Client(tmp_path / "home", partial(InlineRunner, quick), tracking=False)
        return
    with serving(Store.open(tmp_path / "dse.db"), quick) as served:
        yield Client(served.url)


@pytest.fixture
def swept(client: Client, space_file: Path) -> Sweep:
    return client.submit(space_file, GPUS, id="swept").wait()


def test_a_sweep_runs_to_its_end(swept: Sweep) -> None:
    status = swept.status()
    assert (swept.id, status.state, status.name, status.gpus) == ("swept", "finished", "scale", tuple(GPUS))
    assert status.counts.done == status.total == 2 * VALID_POINTS
    assert status.counts.failures == {"CycleLimitExceeded": 64}
    assert not swept.is_running


def test_trials_are_asked_with_filters_orders_and_limits(swept: Sweep, tmp_path: Path) -> None:
    every = swept.trials()
    assert len(every) == 2 * VALID_POINTS
    assert [(trial.gpu, trial.point_index) for trial in every] == sorted(
        (trial.gpu, trial.point_index) for trial in every
    )
    fastest = swept.trials("gpu = 'h100-sxm' and state = 'complete'", "metrics.time_us", 3)
    assert [trial.time_us for trial in fastest] == sorted(trial.time_us or 0 for trial in fastest)
    assert swept.best()["h100-sxm"] == fastest[0] == swept.winners()[1].trial
    assert fastest[0].parameters == {"unroll": 8, "width": 4, "block_size": 512, "register_cap": None}
    assert swept.speedup(fastest[0]) == pytest.approx((10 + 7 - 1 + 1) / (10 - 4 + 64 / 512))
    assert swept.best("a100-80gb", "params.unroll = 16")["a100-80gb"].parameters["unroll"] == 16
    frame = swept.to_dataframe()
    assert len(frame[frame["state"] == "failed"]) == 64
    assert dict(frame.groupby("register_cap").size()) == {"none": VALID_POINTS, "32": VALID_POINTS}
    frame.to_parquet(tmp_path / "trials.parquet")


def test_a_token_without_a_server_is_refused() -> None:
    with pytest.raises(InputError, match="a token is for a server"):
        Client(token="dse_x")


def test_the_best_of_several_workloads_is_asked_of_one(client: Client, space_file: Path) -> None:
    space_file.write_text(space_file.read_text() + "workload: width\n")
    sweep = client.submit(space_file, GPUS, id="several").wait()
    with pytest.raises(InputError, match="has 3 workloads, so a GPU has no one best trial: `winners`"):
        sweep.best()
    assert sweep.best(filter="params.width = 4")["h100-sxm"].parameters["width"] == 4
    assert {best.workload["width"] for best in sweep.winners()} == {1, 4}  # of 2 all failed


def test_the_verbs_are_there_for_asyncio(client: Client, space_file: Path) -> None:
    async def ask() -> None:
        ours = AsyncClient(client.where, client._start_runner, tracking=False)
        sweep, again = await asyncio.gather(
            ours.submit(space_file, GPUS[1], id="ours"), ours.submit(space_file, GPUS[1], id="ours")
        )
        assert (await sweep.wait()).id == again.id == "ours"
        (status,) = [status async for status in sweep.follow()]
        assert (status.state, status.done, status.failed) == ("finished", status.total, 32)
        best, trials = await asyncio.gather(sweep.best(), sweep.trials(limit=3))
        assert (best["h100-sxm"].parameters["unroll"], len(trials)) == (8, 3)
        assert (await sweep.speedup(best["h100-sxm"]) or 0) > 1
        assert sweep.sync.plot.progress().data
        assert [each.id for each in await ours.sweeps()] == ["ours"]
        with pytest.raises(SweepNotFound):
            await ours.sweep("nobody")

    asyncio.run(ask())


@pytest.mark.parametrize(("sync", "ours"), [(Sweep, AsyncSweep), (Client, AsyncClient)])
def test_no_verb_is_missing_for_asyncio(sync: type, ours: type) -> None:
    verbs = {name for name, value in vars(sync).items() if isfunction(value) and not name.startswith("_")}
    assert verbs - {"records"} <= set(dir(ours)), "`records` reads lazily; `trials` and `rows` answer"


def test_the_answer_has_ties_and_a_portable_variant(client: Client, swept: Sweep) -> None:
    first, second = swept.winners()
    assert (first.gpu, first.label, first.complete) == ("a100-80gb", "calibrated", 64)
    assert first.common.startswith("unroll 8; width 4; block_size ")
    limit = (first.time_us or 0) * (1 + first.tolerance)
    ties = swept.trials(f"gpu = 'a100-80gb' and metrics.time_us <= {limit}")
    assert swept.trials(first.filter) == ties
    assert first.ties == second.ties == len(ties) > 1
    portable = swept.portable({"a100-80gb": 0.25, "h100-sxm": 0.75}, within=0.1)
    assert portable.mean.parameters == second.trial.parameters
    assert (portable.mean.ratios, portable.smallest) == ((1.0, 1.0), portable.sets[0])
    matrix = portable._repr_html_()
    assert matrix.count("<tr>") == 1 + 2 + 2
    assert "<td>+0.0%</td>" in matrix
    with pytest.raises(InputError, match="add up to 1"):
        swept.portable({"h100-sxm": 0.75})
    with pytest.raises(InputError, match="a front needs several objectives"):
        swept.front()
    assert repr(swept) == "Sweep('swept', 'scale', finished: 192 of 192 trials)"
    assert repr(first.trial).startswith(f"Trial({first.trial.number}, 'a100-80gb', {{'unroll': 8")
    assert swept._repr_html_().count("<tr>") == 1 + 2
    assert f"<td>{first.ties} of 64</td>" in first._repr_html_()
    assert "<td>register_cap</td>" in first.trial._repr_html_()
    variants = {each.place: each for each in client.service.variants(swept.id)}
    assert len(variants) == first.complete + second.complete
    assert variants[first.trial.place].score == first.time_us


def test_a_sweep_is_extended_stopped_resumed_and_deleted(client: Client, space_file: Path) -> None:
    sweep = client.submit(space_file, GPUS[:1], trials=20).wait()
    assert sweep.resume(trials=30).wait().status().counts.done == 30
    before = {trial.point_index for trial in sweep.trials()}
    extended = sweep.extend(gpu=GPUS[1]).wait()
    assert extended.status().counts.done == 60
    assert {trial.point_index for trial in extended.trials(f"gpu = '{GPUS[0]}'")} == before
    assert set(extended.best()) == set(GPUS) == set(extended.spec.gpus)
    sweep.stop()
    assert sweep.status().state == "finished"
    assert sweep.resume().wait().status().state == "finished"
    sweep.delete()
    assert client.sweeps() == []
    with pytest.raises(SweepNotFound, match=f"no sweep {sweep.id}"):
        sweep.status()


def test_the_same_id_is_the_same_sweep_and_another_question_is_refused(
    client: Client, swept: Sweep, space_file: Path
) -> None:
    assert client.submit(space_file, GPUS, id="swept").status().counts.done == 2 * VALID_POINTS
    with pytest.raises(SweepExists, match=r"swept exists with a different request \(different seed\)"):
        client.submit(space_file, GPUS, id="swept", seed=3)
    assert len(client.sweeps()) == 1


def test_progress_is_followed_to_the_end(client: Client, space_file: Path) -> None:
    steps = list(client.submit(space_file, GPUS).follow())
    assert steps[-1].done == steps[-1].total == 2 * VALID_POINTS
    assert [step.done for step in steps] == sorted(step.done for step in steps)
    assert len(steps[-1].best) == 2


def test_spaces_and_gpus_are_listed(client: Client, space_file: Path) -> None:
    saved = client.upload_space(space_file, "ours")
    assert (saved.name, saved.kernel, saved.points) == ("ours", "scale", VALID_POINTS)
    assert client.submit("ours", GPUS[:1], trials=2).wait().status().name == "scale"
    spaces = {space.name: space for space in client.spaces()}
    assert spaces["rsqrt_chain"].origin == "catalog"
    assert spaces["rsqrt_chain"].points
    assert spaces["ours"] == saved
    assert {"a100-80gb", "h100-sxm", "b200"} <= {gpu.name for gpu in client.gpus()}


def test_a_space_comes_back_as_it_was_uploaded(client: Client, space_file: Path, tmp_path: Path) -> None:
    source = space_file.parent / "kernel.cu"
    (space_file.parent / "detail").mkdir()
    (space_file.parent / "detail/scale.cuh").write_text("// nothing\n")
    source.write_text('#include "detail/scale.cuh"\n' + source.read_text())
    client.upload_space(space_file, "ours")
    there = client.download_space("ours", tmp_path / "back")
    for name in ("space.yaml", "kernel.cu", "detail/scale.cuh"):
        assert (there.parent / name).read_text() == (space_file.parent / name).read_text()
    with pytest.raises(InputError, match=r"space\.yaml exists"):
        client.download_space("ours", tmp_path / "back")
    assert client.download_space("dot", tmp_path / "dot").is_file()
    client.delete_space("ours")
    for forbidden in ("ours", "nobody"):
        with pytest.raises(SpaceNotFound, match=f"no space '{forbidden}'"):
            client.delete_space(forbidden)
        with pytest.raises(SpaceNotFound):
            client.download_space(forbidden, tmp_path / "no")
    with pytest.raises(InputError, match="a catalog space"):
        client.delete_space("dot")


def test_a_gpu_of_ones_own_is_stored_and_named(client: Client, space_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "ours.yaml"
    path.write_text(GPU)
    saved = client.upload_gpu(path)
    assert (saved.name, saved.words, saved.sms, saved.label) == ("ours", "h100-sxm,sms=120", 120, "what if")
    assert saved in client.gpus()
    assert client.download_gpu("ours") == GPU
    sweep = client.submit(space_file, ["ours", "ours,sms=100", "b200"], trials=3).wait()
    assert sweep.status().gpus == ("ours", "ours,sms=100", "b200")
    assert [trial.gpu for trial in sweep.trials(order_by="number")] == ["ours", "ours,sms=100", "b200"]
    client.delete_gpu("ours")
    assert sweep.spec.machine("ours,sms=100") == "h100-sxm,sms=100"
    with pytest.raises(GpuNotFound, match=r"no uploaded GPU 'ours' \(there are none\)"):
        client.delete_gpu("ours")
    with pytest.raises(UnknownGpu, match="no GPU named 'ours'"):
        client.submit(space_file, ["ours"])


def test_a_sweep_knows_a_gpu_by_its_name(client: Client, space_file: Path) -> None:
    sweep = client.submit(space_file, ["big:h100-sxm,sms=144", "h100-sxm"], id="named").wait()
    plain = client.submit(space_file, "h100-sxm,sms=144", id="plain").wait()
    times = {trial.point_index: trial.time_us for trial in plain.trials()}
    named = sweep.trials("gpu = 'big'")
    assert {trial.point_index: trial.time_us for trial in named} == times
    assert {trial.source for trial in plain.trials()} == {"known"}  # another name, the same machine
    assert set(sweep.best()) == {"big", "h100-sxm"}
    page = client.service.trial_page("plain", TrialQuery(after=("h100-sxm,sms=144", named[-2].point_index)))
    assert [trial.point_index for trial in page.items] == [named[-1].point_index]
    with pytest.raises(InputError, match="big is h100-sxm,sms=144 in this sweep, not h100-sxm,sms=150"):
        sweep.extend(gpu="big:h100-sxm,sms=150")
    sweep.extend(gpu=["big:h100-sxm,sms=144", "small:h100-sxm,sms=66"]).wait()
    assert sweep.status().gpus == ("big", "h100-sxm", "small")
    assert sweep.spec.described_gpus == "big (h100-sxm,sms=144), h100-sxm, small (h100-sxm,sms=66)"


@pytest.mark.parametrize(
    ("gpu", "message"),
    [
        (["h200:h100-sxm"], "'h200' is a GPU of this installation"),
        (["a b:h100-sxm"], "a GPU's name has at most 40 letters"),
        (["a:h100-sxm,sms=2", "a:h100-sxm,sms=3"], "a: names two GPUs, h100-sxm,sms=2 and h100-sxm,sms=3"),
        (["a:h100-sxm,sms=0"], "sms: 0 is not possible"),
        (
            ["h100-sxm,sms=120,l2_bytes=20MB,clock_mhz=1500,dram_gb_per_s=2000,l2_ways=8"],
            "longer than 64 characters; give it a name",
        ),
    ],
)
def test_a_name_that_no_gpu_can_have_is_refused(
    client: Client, space_file: Path, gpu: list[str], message: str
) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        client.submit(space_file, gpu)


def test_a_profile_that_cannot_be_stored_is_refused(client: Client) -> None:
    for name, text, message in REFUSED_GPUS:
        with pytest.raises(InputError, match=re.escape(message)):
            client.service.save_gpu(name, GpuFile(yaml=text))


@pytest.mark.parametrize("section", ["Types", "Machine code"])
def test_files_of_numbers_and_machine_code_travel_with_a_space(
    client: Client, tmp_path: Path, section: str
) -> None:
    folder = write_documented(section, tmp_path / "written")
    space = load_space(folder)
    (name,) = space.files
    client.upload_space(folder, "ours")
    copy = client.download_space("ours", tmp_path / "copy")
    assert (copy.parent / name).read_bytes() == (folder / name).read_bytes()
    assert load_space(copy).digest() == space.digest()
    sweep = client.submit("ours").wait()
    assert sweep.status().counts.done == space.count()
    assert sweep.status().name == space.name
    assert restore_space(sweep.spec).files == space.files


def test_a_space_cannot_be_written_outside_of_its_folder(space_file: Path, tmp_path: Path) -> None:
    honest = SpaceFiles.of(load_space(space_file))
    for name in ("../kernel.cu", "/tmp/kernel.cu"):
        with pytest.raises(InputError, match="refusing this space"):
            honest.model_copy(update={"source_file": name}).write(tmp_path / "in")
    assert not (tmp_path / "in").exists()


def test_a_priority_is_changed(client: Client, space_file: Path) -> None:
    sweep = client.submit(space_file, GPUS[:1], trials=20)
    sweep.prioritize(4)
    assert sweep.wait().status().priority == 4
    with pytest.raises(InputError, match="priority"):
        sweep.prioritize(11)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"gpu": ["h100"]}, UnknownGpu, "h100-"),
        ({"parameters": {"unrol": [1]}}, SpaceError, "did you mean unroll"),
        ({"parameters": {"unroll": [1], "width": [2]}}, SpaceError, "no point satisfies"),
        ({"parameters": {"unroll": []}}, InputError, "parameters.unroll"),
        ({"trials": 0}, InputError, "at least 1"),
        ({"timeout": -1}, InputError, "positive number"),
        ({"timeout": float("nan")}, InputError, "timeout_s"),
        ({"sampler": "tpee"}, InputError, "did you mean 'tpe'"),
        ({"space": "rsqrt_chian"}, InputError, "rsqrt_chain"),
        ({"priority": 11}, InputError, "priority"),
        ({"id": "no spaces please"}, Exception, "no spaces please"),
    ],
)
def test_bad_requests_are_refused_alike(
    client: Client, space_file: Path, change: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        client.submit(**{"space": space_file, **change})  # type: ignore[arg-type]
    assert client.sweeps() == []


def test_an_objective_is_a_number_among_the_results(client: Client, space_file: Path) -> None:
    text = space_file.read_text()
    for objective in ("minimize regime", "minimize tim_us"):
        space_file.write_text(re.sub(r"objectives:.*", f"objectives: [{objective}]", text))
        with pytest.raises(InputError, match="unknown metric"):
            client.submit(space_file)


def test_a_kernel_that_does_not_compile_or_fit_is_refused(client: Client, space_file: Path) -> None:
    source = space_file.parent / "kernel.cu"
    text = source.read_text()
    source.write_text(text.replace("blockIdx.x *", "blockIdx.x * oops"))
    with pytest.raises(CompileError, match=r"kernel\.cu\(4\).*oops"):
        client.submit(space_file)
    source.write_text(text)
    space_file.write_text(space_file.read_text().replace("  - {name: n, type: int32, value: n}\n", ""))
    with pytest.raises(LaunchError, match="takes 3 arguments, not 2"):
        client.submit(space_file)


def test_filters_that_cannot_be_read_are_refused(swept: Sweep) -> None:
    with pytest.raises(FilterError, match="expected a number"):
        swept.trials("time_us <")


def test_following_goes_on_when_a_proxy_has_no_server_for_a_moment(
    tmp_path: Path, space_file: Path, quick: Evaluate
) -> None:
    answers = iter([502, 503])

    class Proxy(httpx.HTTPTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            status = next(answers, None) if request.url.path.endswith("/events") else None
            return httpx.Response(status) if status else super().handle_request(request)

    with serving(Store.open(tmp_path / "dse.db"), quick) as served:
        service = HttpService(served.url)
        service._http._transport = Proxy()
        sweep = Client(served.url).submit(space_file, GPUS).id
        assert [status.state for status in service.follow(sweep)][-1] == "finished"


def test_pages_of_a_running_sweep_hold_each_trial_once(client: Client, swept: Sweep) -> None:
    whole = [(trial.gpu, trial.point_index) for trial in swept.trials()]
    pages, after = [], None
    while page := client.service.trial_page(swept.id, TrialQuery(limit=17, after=after)).items:
        pages += [trial.place for trial in page]
        after = page[-1].place
    assert pages == whole
    with pytest.raises(InputError, match="after"):
        client.service.trial_page(swept.id, TrialQuery(order_by="number", limit=17, after=after))


def test_sweeps_are_listed_by_what_they_are(client: Client, space_file: Path) -> None:
    for number in range(3):
        client.submit(space_file, GPUS[:1], trials=2, seed=number, id=f"sweep-{number}").wait()
    assert [sweep.id for sweep in client.sweeps()] == ["sweep-2", "sweep-1", "sweep-0"]
    assert [sweep.id for sweep in client.sweeps("finished", "scale", limit=2, newest_first=False)] == [
        *("sweep-0", "sweep-1"),
    ]
    assert client.sweeps(["queued", "running"]) == client.sweeps(name="dot") == []
    page = client.service.sweep_page(SweepQuery(limit=1, offset=1))
    assert ([status.id for status in page.items], page.offset, page.total) == (["sweep-1"], 1, 3)


def test_an_address_without_its_scheme_is_no_folder() -> None:
    with pytest.raises(InputError, match=r"http://127\.0\.0\.1:8000"):
        Client("127.0.0.1:8000")


def test_a_server_that_is_not_there_is_named(unused_port: int) -> None:
    service = HttpService(f"http://127.0.0.1:{unused_port}", patience_s=0.3)
    with pytest.raises(ServerError, match=rf"127\.0\.0\.1:{unused_port} cannot be reached"):
        service.gpus()


@pytest.mark.parametrize(
    "wrong", [{"trials": "5"}, {"timeout": "60"}, {"seed": "1"}, {"trials": True}], ids=lambda each: str(each)
)
def test_a_number_in_quotes_is_not_one(client: Client, wrong: dict[str, object]) -> None:
    with pytest.raises(InputError, match=r"(trials|timeout_s|seed): ('\d+'|True) is not a number"):
        client.submit("dot", **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"gpu": 100}, r"gpu: 100 is no list; write one such as \['h100-sxm', 'b200'\]"),
        ({"objectives": 1}, r"objectives: 1 is no list; write one such as \['maximize gflops'\]"),
        ({"parameters": {"unroll": 4}}, r"parameters\.unroll: 4 is no list; write one such as \[1, 2, 4\]"),
        ({"parameters": {"unroll": "1,2"}}, r"parameters\.unroll: '1,2' is no list"),
        (
            {"parameters": ["unroll"]},
            r"parameters: \['unroll'\] is no dict, such as \{'unroll': \[1, 2, 4\]\}",
        ),
    ],
    ids=str,
)
def test_what_is_no_list_is_refused_with_an_example(
    client: Client, wrong: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        client.submit("dot", **wrong)  # type: ignore[arg-type]


def test_what_a_sweep_does_not_have_is_refused(swept: Sweep) -> None:
    with pytest.raises(InputError, match=r"sweep \S+ has no GPU h100; did you mean 'h100-sxm'\?"):
        swept.best("h100")
    with pytest.raises(InputError, match="'best' is no trial; give its number, as `dse results"):
        swept.explain("best")  # type: ignore[arg-type]


def test_a_program_that_ends_says_that_its_sweep_is_stopped(tmp_path: Path) -> None:
    program = f"""
from dse import Client
sweep = Client({str(tmp_path)!r}, tracking=False).submit("dot", gpu="h100-sxm")
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert re.search(
        r"sweep 1 is stopped, since the program ends: \d+ of 96 trials are done; `sweep.wait\(\)` waits for all "
        "of them, `dse resume 1` completes it",
        ended.stderr,
    )
    assert Client(tmp_path, tracking=False).sweep(1).status().state == "stopped"
