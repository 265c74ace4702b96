"""The files that deploy the service: pinned, without secrets, without privileges, closed to the outside.

`docker/check.sh` builds the image and runs it, which takes minutes; these read the files.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "docker" / "Dockerfile"
COMPOSE = ROOT / "docker" / "compose.yaml"
KUBERNETES = ROOT / "docker" / "kuberay.yaml"

SECRETS = ("POSTGRES_PASSWORD", "DSE_ADMIN_TOKEN", "RAY_AUTH_TOKEN")
VARIABLES_WITH_SECRETS = (*SECRETS, "PGPASSWORD", "DSE_DATABASE", "MLFLOW_BACKEND_STORE_URI")
OUR_IMAGE = "cuda-dse:"


def program(name: str) -> str:
    """The path of a program, of this environment or of the machine; skips the test that lacks it."""
    found = shutil.which(name, path=os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])))
    return found or pytest.skip(f"{name} is not installed")


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile as pairs of an instruction and its arguments, continued lines joined."""
    lines = [line for line in DOCKERFILE.read_text().splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in joined.splitlines() if line.strip()]


def final_stage() -> list[tuple[str, str]]:
    """The instructions after the last FROM: what the image is."""
    every = instructions()
    last = max(index for index, (name, _) in enumerate(every) if name == "FROM")
    return every[last + 1 :]


def services() -> dict[str, dict[str, Any]]:
    """The compose file's services, anchors and merges resolved."""
    return dict(yaml.safe_load(COMPOSE.read_text())["services"])


def manifests() -> list[dict[str, Any]]:
    """The Kubernetes objects."""
    return [document for document in yaml.safe_load_all(KUBERNETES.read_text()) if document]


def pod_specs() -> list[tuple[str, dict[str, Any]]]:
    """Every pod template's specification, with the name of the object that it is part of."""
    found = []
    for manifest in manifests():
        name, spec = manifest["metadata"]["name"], manifest.get("spec", {})
        groups = [spec, spec.get("headGroupSpec", {}), *spec.get("workerGroupSpecs", [])]
        found += [(name, group["template"]["spec"]) for group in groups if "template" in group]
    return found


def is_pinned(image: str) -> bool:
    """Whether an image names a version rather than whatever is newest."""
    name = re.sub(r"\$\{\w+:-([^}]+)\}", r"\1", image)
    return ":" in name and not name.endswith(":latest")


def test_hadolint_finds_nothing() -> None:
    run = subprocess.run([program("hadolint"), DOCKERFILE], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


def test_every_base_is_pinned() -> None:
    arguments = dict(text.split("=", 1) for name, text in instructions() if name == "ARG")
    stages = set()
    for base, _, stage in (
        re.match(r"(\S+)( AS (\S+))?", text).groups()  # type: ignore[union-attr]
        for name, text in instructions()
        if name == "FROM"
    ):
        image = re.sub(r"\$\{(\w+)\}", lambda match: arguments[match.group(1)], base)
        assert image in stages or is_pinned(image), f"{image} names no version"
        stages.add(stage)


def test_the_image_runs_as_a_numbered_user_who_is_not_root() -> None:
    user = [text for name, text in final_stage() if name == "USER"][-1]
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user)


def test_the_image_has_a_health_check() -> None:
    assert any(name == "HEALTHCHECK" for name, _ in final_stage())


def test_the_image_holds_no_secret() -> None:
    for name, text in instructions():
        if name in ("ENV", "ARG"):
            assert not re.search(r"PASSWORD|SECRET|TOKEN|KEY", text), text


def test_what_the_image_copies_is_let_through_and_nothing_else() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    let_through = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    copied = {
        source
        for name, text in instructions()
        if name == "COPY" and not text.startswith("--from")
        for source in text.split()[:-1]
    }
    assert "*" in ignored
    assert let_through == copied


@pytest.mark.parametrize("name", services())
def test_services_are_pinned_healthy_confined_and_limited(name: str) -> None:
    service = services()[name]
    assert is_pinned(service["image"])
    assert "healthcheck" in service or (service["image"].startswith(OUR_IMAGE) and name == "api")
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "mem_limit" in service
    assert service["restart"] == "unless-stopped"
    assert service.get("user") != "root"


@pytest.mark.parametrize("name", services())
def test_services_publish_on_loopback_alone(name: str) -> None:
    for port in services()[name].get("ports", ()):
        assert port.startswith("127.0.0.1:")


def test_what_is_published_needs_no_more_than_two_services() -> None:
    assert {name for name, service in services().items() if "ports" in service} == {"api", "mlflow"}
    outside = {name for name, service in services().items() if "outside" in service["networks"]}
    assert outside == {"api", "mlflow"}
    assert yaml.safe_load(COMPOSE.read_text())["networks"]["inside"] == {"internal": True}


@pytest.mark.parametrize("name", services())
def test_secrets_come_from_the_environment(name: str) -> None:
    environment = services()[name].get("environment", {})
    for variable in environment.keys() & {*SECRETS, "PGPASSWORD"}:
        assert re.fullmatch(r"\$\{\w+:\?[^}]+\}", environment[variable]), variable
    for variable, value in environment.items():
        assert not re.search(r"://[^/@]*:[^/@]*@", str(value)), f"{variable} holds a password"


@pytest.mark.parametrize("name", ["ray-head", "worker"])
def test_ray_nodes_know_only_the_secret_that_they_share(name: str) -> None:
    assert services()[name]["environment"].keys() == {"RAY_AUTH_MODE", "RAY_AUTH_TOKEN"}


def test_services_wait_for_what_they_need_to_be_healthy() -> None:
    for name, service in services().items():
        for needed, how in service.get("depends_on", {}).items():
            assert how == {"condition": "service_healthy"}, f"{name} waits for {needed}"


def test_the_example_names_every_variable_and_gives_no_secret() -> None:
    text = (ROOT / "docker" / "example.env").read_text()
    example = dict(re.findall(r"^#?([A-Z_]+)=(.*)$", text, re.MULTILINE))
    used = dict(re.findall(r"\$\{([A-Z_]+):[-?]([^}]*)\}", COMPOSE.read_text()))
    assert example.keys() == used.keys()
    assert {name for name, value in example.items() if not value} == set(SECRETS)
    assert all(used[name] == value for name, value in example.items() if value)


def test_docker_compose_accepts_the_file() -> None:
    run = subprocess.run(
        [program("docker-compose"), "--file", COMPOSE, "config", "--format", "json"],
        env={"PATH": "/usr/bin"} | dict.fromkeys(SECRETS, "secret"),
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["services"].keys() == services().keys()


@pytest.mark.parametrize(("name", "pod"), pod_specs())
def test_pods_are_pinned_confined_and_limited(name: str, pod: dict[str, Any]) -> None:
    assert pod["securityContext"]["runAsNonRoot"] is True
    for container in pod["containers"]:
        assert is_pinned(container["image"]), name
        assert container["securityContext"]["allowPrivilegeEscalation"] is False
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert {"cpu", "memory"} <= container["resources"]["requests"].keys()
        assert "memory" in container["resources"]["limits"]
        assert "readinessProbe" in container


def test_kubernetes_secrets_are_only_referred_to() -> None:
    assert not [manifest for manifest in manifests() if manifest["kind"] == "Secret"]
    for name, pod in pod_specs():
        for container in pod["containers"]:
            for variable in container.get("env", ()):
                if variable["name"] in VARIABLES_WITH_SECRETS:
                    assert "secretKeyRef" in variable["valueFrom"], f"{name}: {variable['name']}"


def test_every_volume_that_is_mounted_is_declared() -> None:
    claims = {m["metadata"]["name"] for m in manifests() if m["kind"] == "PersistentVolumeClaim"}
    for name, pod in pod_specs():
        declared = {volume["name"]: volume for volume in pod.get("volumes", ())}
        for container in pod["containers"]:
            for mount in container.get("volumeMounts", ()):
                assert mount["name"] in declared, f"{name} mounts {mount['name']}"
        for volume in declared.values():
            if "persistentVolumeClaim" in volume:
                assert volume["persistentVolumeClaim"]["claimName"] in claims


def test_the_manifest_runs_the_versions_that_the_project_does() -> None:
    images = {container["image"] for _, pod in pod_specs() for container in pod["containers"]}
    assert len(images) == 1, "Ray wants the same Python and libraries on every node"
