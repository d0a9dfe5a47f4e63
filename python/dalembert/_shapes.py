"""Shapes, for the inertia and the looks of bodies: objects of the file format."""

from __future__ import annotations

from typing import Any, Union

Number = Union[float, str]


def box(x: Number, y: Number, z: Number) -> dict[str, Any]:
    """A box with these edges."""
    return {"box": [x, y, z]}


def sphere(radius: Number) -> dict[str, Any]:
    """A solid sphere."""
    return {"sphere": radius}


def cylinder(radius: Number, length: Number, axis: str | None = None) -> dict[str, Any]:
    """A solid cylinder; axis: x, y or z (the default), for the inertia."""
    return {"cylinder": [radius, length], **({"axis": axis} if axis is not None else {})}


def rod(length: Number, axis: str | None = None) -> dict[str, Any]:
    """A slender rod along x (the default), y or z, for the inertia."""
    return {"rod": length, **({"axis": axis} if axis is not None else {})}


def disk(radius: Number, axis: str | None = None) -> dict[str, Any]:
    """A thin disk about x, y or z (the default), for the inertia."""
    return {"disk": radius, **({"axis": axis} if axis is not None else {})}
