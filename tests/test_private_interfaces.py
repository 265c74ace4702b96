"""What we use of other packages though they do not promise it, by name: an upgrade that takes it away fails here.

`pyproject.toml` bounds these packages at the next release of theirs. To raise a bound, run this file with the new
release.
"""

import inspect
from importlib import import_module
from operator import attrgetter
from typing import Any

import numpy as np
import pytest

from dse.tracking.sqlite_file import WRITTEN


def private(package: str, module: str, name: str, used_by: str) -> Any:
    """A module's attribute, dotted for an attribute of an attribute."""
    try:
        return attrgetter(name)(import_module(module))
    except (ImportError, AttributeError) as error:
        pytest.fail(
            f"{package} has no {module}.{name} any more, which {used_by} uses: {error}", pytrace=False
        )


def test_ray_says_which_servers_it_started_and_can_be_silenced() -> None:
    used_by = "dse/runners/cluster/instance.py"
    assert private("ray", "ray._private.worker", "_worker_logs_enabled", used_by) in (True, False)
    assert private("ray", "ray._private.worker", "_global_node", used_by) is None
    assert callable(private("ray", "ray._private.node", "Node.dead_processes", used_by))


def test_ray_tells_its_workers_which_node_they_are_on() -> None:
    used_by = "dse/isolation/confinement.py"
    variables = private("ray", "ray._private.ray_constants", "RAY_INTERNAL_FLAGS", used_by)
    assert "RAY_RAYLET_PID" in variables


def test_optuna_computes_hypervolumes() -> None:
    used_by = "dse/answers/front.py"
    volume = private("optuna", "optuna._hypervolume", "compute_hypervolume", used_by)
    assert volume(np.array([[0.0, 0.0]]), np.array([2.0, 3.0]), assume_pareto=True) == 6


def test_numba_asks_locators_where_to_cache() -> None:
    used_by = "simcore/core/jit/cache.py"
    locators = private("numba", "numba.core.caching", "CacheImpl._locator_classes", used_by)
    locator = private("numba", "numba.core.caching", "_CacheLocator", used_by)
    questions = {"from_function", "get_cache_path", "get_source_stamp", "get_disambiguator"}
    assert questions <= set(dir(locator))
    assert all(issubclass(known, locator) for known in locators)


def test_numba_compiles_without_reference_counts_and_inlines_by_force() -> None:
    used_by = "simcore/core/jit/__init__.py"
    flags = private("numba", "numba.core.compiler", "Flags", used_by)()
    assert {"nrt", "forceinline", "no_cfunc_wrapper", "no_cpython_wrapper"} <= set(dir(flags))
    options = private("numba", "numba.core.cpu", "CPUTargetOptions", used_by)
    assert {"_nrt", "forceinline", "no_cfunc_wrapper", "no_cpython_wrapper"} <= set(dir(options))


def test_numba_lets_a_pass_choose_the_library_that_a_function_is_compiled_into() -> None:
    used_by = "simcore/core/jit/linking.py"
    library = private("numba", "numba.core.codegen", "JITCodeLibrary", used_by)
    steps = {"_optimize_functions", "_optimize_final_module", "finalize"}
    assert steps | {"_finalize_dynamic_globals", "get_pointer_to_function", "codegen"} <= set(dir(library))
    assert "_linking_libraries" in inspect.getsource(library.finalize)
    assert "_finalized" in inspect.getsource(library._ensure_finalized)
    assert "state.library is None" in inspect.getsource(
        private("numba", "numba.core.typed_passes", "BaseNativeLowering.run_pass", used_by)
    )
    private("numba", "numba.core.untyped_passes", "IRProcessing", used_by)
    private("numba", "numba.core.codegen", "CPUCodegen._module_pass_manager", used_by)


def test_numba_says_where_a_compiled_function_lies_and_asks_with_which_types_it_is_called() -> None:
    used_by = "simcore/core/jit/units.py"
    assert "library" in private("numba", "numba.core.compiler", "CompileResult", used_by)._fields
    private("numba", "numba.core.callconv", "CPUCallConv.call_function", used_by)
    called = private("numba", "numba.core.types", "Dispatcher.get_call_type", "simcore/core/jit/widening.py")
    assert "dispatcher.get_call_template(args, kws)" in inspect.getsource(called)


def test_numba_takes_arrays_apart_and_lets_types_be_added() -> None:
    for used_by, module, names in (
        ("simcore/core/jit/reference.py", "numba.core.cgutils", "alloca_once_value gep_inbounds"),
        ("simcore/core/jit/arrays.py", "numba.core.cgutils", "gep_inbounds pack_array unpack_tuple"),
        ("simcore/core/jit/arrays.py", "numba.np.arrayobj", "make_array"),
        ("simcore/core/jit/arrays.py", "numba.core.imputils", "lower_builtin lower_getattr"),
        (
            "simcore/core/jit/arrays.py",
            "numba.core.typing.templates",
            "AbstractTemplate AttributeTemplate infer_getattr infer_global signature",
        ),
    ):
        for name in names.split():
            assert callable(private("numba", module, name, used_by))


def test_fastapi_knows_the_parameters_of_a_route() -> None:
    used_by = "dse/api/request_guard.py"
    dependant = private("fastapi", "fastapi.dependencies.models", "Dependant", used_by)
    assert {"query_params", "dependencies"} <= set(inspect.signature(dependant).parameters)
    assert "dependant" in dir(private("fastapi", "fastapi.routing", "APIRoute", used_by)("/", lambda: None))


def test_mlflow_changes_a_run_in_one_request() -> None:
    used_by = "dse/tracking/client_runs.py"
    store = private("mlflow", "mlflow.store.tracking.rest_store", "RestStore", used_by)
    assert {"run_id", "run_status", "end_time"} <= set(inspect.signature(store.update_run_info).parameters)
    client = private("mlflow", "mlflow", "MlflowClient", used_by)("http://127.0.0.1:1")
    assert hasattr(client._tracking_client, "store")


def test_mlflow_asks_a_server_with_the_credentials_of_its_client() -> None:
    used_by = "dse/tracking/client_runs.py"
    ask = private("mlflow", "mlflow.utils.rest_utils", "http_request", used_by)
    assert list(inspect.signature(ask).parameters)[:3] == ["host_creds", "endpoint", "method"]
    assert "raise_on_status" in inspect.signature(ask).parameters


def test_mlflow_keeps_runs_in_tables_that_we_write() -> None:
    used_by = "dse/tracking/sqlite_file.py"
    for name, written in WRITTEN.items():
        model = "".join(word.capitalize() for word in name.removesuffix("s").split("_"))
        module = "mlflow.store.tracking.dbmodels.models"
        columns = private("mlflow", module, f"Sql{model}.__table__", used_by).columns
        assert written <= set(columns.keys())
    store = private("mlflow", "mlflow.store.tracking.sqlalchemy_store", "SqlAlchemyStore", used_by)
    assert list(inspect.signature(store).parameters)[:2] == ["db_uri", "default_artifact_root"]
