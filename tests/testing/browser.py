"""A real Chromium, without a window and without the internet."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, sync_playwright

__all__ = ["Page", "open_browser"]

_NAMES = ("chromium", "chromium-browser", "google-chrome")
#: Schemes and hosts of what a page may load.
_NEARBY = ("http://127.0.0.1:", "data:", "blob:")


@contextmanager
def open_browser(width: int = 1600, height: int = 1000) -> Iterator[Page]:
    """An empty page; skips the test on a machine without Chromium."""
    program = next((path for path in map(shutil.which, _NAMES) if path), None)
    if program is None:
        pytest.skip(f"there is no browser: none of {', '.join(_NAMES)}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": height})
        page.set_default_timeout(60_000)
        page.route(lambda url: not url.startswith(_NEARBY), lambda route: route.abort())
        yield page
        browser.close()
