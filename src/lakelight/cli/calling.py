"""How this command line was called, so that the commands that sentences name can be typed as they stand."""

import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

NAME = "lakelight"


def called_as(program: str, environment: Mapping[str, str], folder: Path) -> str:
    """The words that call this command line from `folder` again.

    Args:
        program: What the system says was called: the first of the arguments.
    """
    file = Path(program)
    if file.name != NAME or len(file.parts) == 1:
        return NAME
    on_path = shutil.which(NAME, path=environment.get("PATH", ""))
    absolute = folder / file
    if on_path and Path(on_path).resolve() == absolute.resolve():
        return NAME
    shown = absolute.relative_to(folder) if absolute.is_relative_to(folder) else absolute
    return shlex.quote(str(shown))
