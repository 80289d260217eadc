"""The generated pages are those that the schema and the models give."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_scenario_reference_is_not_stale() -> None:
    check = subprocess.run([sys.executable, ROOT / "docs" / "make_reference.py", "--check"], check=False)
    assert check.returncode == 0, "run: python docs/make_reference.py"


def test_the_pages_of_the_models_are_not_stale() -> None:
    check = subprocess.run([sys.executable, ROOT / "docs" / "make_models.py", "--check"], check=False)
    assert check.returncode == 0, "run: python docs/make_models.py"
