"""The names of architectures, as the compiler takes them: `sm_90`, `sm_90a`."""


def sm_version(architecture: str) -> int:
    """The compute capability as a number: 90 of `sm_90` and of `sm_90a`."""
    return int(architecture.removeprefix("sm_").rstrip("af"))
