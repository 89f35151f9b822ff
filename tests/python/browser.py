"""A headless Chromium for tests of pages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

CHROMIUM = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")
#: What a sandboxed machine without a screen and with little shared memory needs.
OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")

needs_chromium = pytest.mark.skipif(
    not (CHROMIUM and DRIVER),
    reason="chromium and chromedriver are not installed: apt-get install chromium chromium-driver",
)


@contextmanager
def chromium(width: int, height: int, *, reaches: str = "") -> Iterator[Chrome]:
    """Open a browser that reaches no network, or one address; it notes what scripts complain of."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for option in (
        *OPTIONS,
        "--host-resolver-rules=MAP * ~NOTFOUND" + (f" , EXCLUDE {reaches}" if reaches else ""),
        f"--window-size={width},{height}",
    ):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    # What is loaded into Python by a sanitizer has no business in the browser.
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    service = webdriver.ChromeService(executable_path=DRIVER, env=environment)
    driver = webdriver.Chrome(options=options, service=service)
    try:
        yield driver
    finally:
        driver.quit()


def complaints(driver: Chrome) -> list[str]:
    """Return what scripts threw, and what the page asked for and did not get."""
    return [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
