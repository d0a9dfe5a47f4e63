"""Values of Python as the library wants them: numbers of JSON, assignments as text."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

def path_text(path: str | os.PathLike[str]) -> str:
    """A path as text."""
    text = os.fspath(path)
    if not isinstance(text, str):
        raise TypeError(f"a path is a text, not {type(text).__name__}")
    return text


def plain(value: Any, what: str) -> Any:
    """A value as JSON has it: numbers, texts, lists and objects of them; NumPy's become those of Python."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {str(k): plain(v, f"{what}.{k}") for k, v in value.items()}
    if hasattr(value, "tolist"):  # arrays and numbers of NumPy
        return plain(value.tolist(), what)
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [plain(v, f"{what}[{i}]") for i, v in enumerate(value)]
    raise TypeError(f"{what}: a number, a text, a list or an object expected, not {type(value).__name__}")


def assignment(name: str, value: Any) -> str:
    """name=value, as the library reads it back exactly."""
    if isinstance(value, bool):
        text = "yes" if value else "no"
    elif isinstance(value, (int, str)):
        text = str(value)
    elif isinstance(value, float):
        text = repr(value)
    elif hasattr(value, "tolist"):
        return assignment(name, value.tolist())
    elif isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        text = ",".join(repr(float(v)) for v in value)
    else:
        raise TypeError(f"{name}: a number or a text expected, not {type(value).__name__}")
    return f"{name}={text}"


def assignments(values: Mapping[str, Any]) -> list[str]:
    """Assignments for all that is not None."""
    return [assignment(name, value) for name, value in values.items() if value is not None]


def framed(page: str) -> str:
    """A page as notebooks show it beside other output: in a frame, with its scripts for itself."""
    import html

    return f'<iframe srcdoc="{html.escape(page, quote=True)}" style="width: 100%; height: 600px; border: 0"></iframe>'
