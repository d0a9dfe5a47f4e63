"""Methods of Model that add elements, one for each type of the file format.

Written by tools/python_elements.py from the schema of model files: do not edit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Number = Union[float, str]
    Vector = Union[Sequence[Number], npt.NDArray[np.float64]]
    Object = Union[Number, Sequence[Any], Mapping[str, Any], npt.NDArray[np.float64]]
    Function = Union[Number, Mapping[str, Any]]
    Law = Union[str, Callable[..., float]]
    Motion = Union[Number, Mapping[str, Any], Callable[[float], Sequence[float]]]


class Elements:
    """What a model can be built of. Keys that are not given have the defaults of the file format."""

    def _add(self, kind: str, element: dict[str, Any]) -> None:
        raise NotImplementedError

    def body(
        self,
        name: str,
        *,
        type: str | None = None,
        in_: str | None = None,
        mass: Number | None = None,
        shape: Object | None = None,
        density: Number | None = None,
        position: Vector | None = None,
        velocity: Vector | None = None,
        inertia: Object | None = None,
        com: Vector | None = None,
        sequence: str | None = None,
        rotation: Object | None = None,
        angular_velocity: Object | None = None,
        angular_velocity_world: Vector | None = None,
    ) -> None:
        """A rigid body.

        type: coordinates
        in_: a body before it, or a joint (its frame A), in whose axes its position and rotation are; default:
            the world
        mass: or a density
        shape: what it looks like: one shape or a list
        density: instead of mass, com and inertia: these are those of the shapes
        position: initial: origin of the body frame, world
        velocity: initial: of the origin, world axes
        inertia: about the centre of mass, body axes
        com: centre of mass in the body frame
        sequence: cardan: axes of the three rotations
        rotation: initial: body to world
        angular_velocity: initial, body axes; a number: about z
        angular_velocity_world: the same in world axes
        """
        self._add(
            "bodies",
            {
                "name": name,
                "type": type,
                "in": in_,
                "mass": mass,
                "shape": shape,
                "density": density,
                "position": position,
                "velocity": velocity,
                "inertia": inertia,
                "com": com,
                "sequence": sequence,
                "rotation": rotation,
                "angular_velocity": angular_velocity,
                "angular_velocity_world": angular_velocity_world,
            },
        )

    def point(
        self,
        name: str,
        *,
        mass: Number,
        in_: str | None = None,
        shape: Object | None = None,
        position: Vector | None = None,
        velocity: Vector | None = None,
    ) -> None:
        """A point mass.

        mass: its mass
        in_: a body before it, or a joint (its frame A), in whose axes its position and rotation are; default:
            the world
        shape: what it looks like: one shape or a list
        position: initial: origin of the body frame, world
        velocity: initial: of the origin, world axes
        """
        self._add(
            "bodies",
            {
                "name": name,
                "type": "point",
                "mass": mass,
                "in": in_,
                "shape": shape,
                "position": position,
                "velocity": velocity,
            },
        )

    def flexible(
        self,
        name: str,
        *,
        in_: str | None = None,
        shape: Object | None = None,
        beam: Object | None = None,
        modes: Object | None = None,
        flexible: Object | None = None,
        modes_file: str | None = None,
        position: Vector | None = None,
        velocity: Vector | None = None,
        rotation: Object | None = None,
        angular_velocity: Object | None = None,
        angular_velocity_world: Vector | None = None,
        modal: Vector | None = None,
        modal_velocity: Vector | None = None,
    ) -> None:
        """A flexible body: a frame and modal coordinates. Its interface nodes are bodies for joints, forces
        and outputs: those of a beam `rod` are `rod/A` (at x = 0), `rod/B` (at its other end) and its
        stations.

        in_: a body before it, or a joint (its frame A), in whose axes its position and rotation are; default:
            the world
        shape: what it looks like beside its nodes, in the frame of the body
        beam: a straight beam along the x axis of the frame
        modes: instead of it: shapes from elsewhere
        flexible: or a finite element body that is reduced
        modes_file: or the JSON or HDF5 file that has these, relative to that of the model
        position: initial: origin of the body frame, world
        velocity: initial: of the origin, world axes
        rotation: initial: body to world
        angular_velocity: initial, body axes; a number: about z
        angular_velocity_world: the same in world axes
        modal: initial modal coordinates; default zero
        modal_velocity: and their velocities
        """
        self._add(
            "bodies",
            {
                "name": name,
                "type": "flexible",
                "in": in_,
                "shape": shape,
                "beam": beam,
                "modes": modes,
                "flexible": flexible,
                "modes_file": modes_file,
                "position": position,
                "velocity": velocity,
                "rotation": rotation,
                "angular_velocity": angular_velocity,
                "angular_velocity_world": angular_velocity_world,
                "modal": modal,
                "modal_velocity": modal_velocity,
            },
        )

    def beam(
        self,
        name: str,
        *,
        section: Object,
        from_: Vector | None = None,
        to: Vector | None = None,
        points: Object | None = None,
        arc: Object | None = None,
        helix: Object | None = None,
        tangent: Vector | None = None,
        axis_2: Vector | None = None,
        twist: Number | None = None,
        elements: Number | None = None,
        order: Number | None = None,
        fourth_order: bool | None = None,
        consistent: bool | None = None,
        start: Object | None = None,
        end: Object | None = None,
        velocity: Vector | None = None,
        angular_velocity: Vector | None = None,
        loads: Object | None = None,
        slides: Object | None = None,
        colour: Object | None = None,
    ) -> None:
        """A geometrically exact beam: large displacements and rotations. Section axes: x along it, y and z
        across. It is straight (from, to), a spline (points), an arc or a helix. Its places are bodies:
        "blade@0.7".

        section: its section, or several at equal distances
        from_: where it starts; default the origin
        to: a straight beam: where it ends
        points: or points of a spline
        arc: or an arc from `from` on
        helix: or a helix from `from` on
        tangent: of an arc: its direction at the start
        axis_2: direction of the section axis y at the start, towards the centre of an arc or helix; default:
            so that z is near that of the world
        twist: of the section, from the start to the end
        elements: how many
        order: of an element: 2 to 8; 1: two nodes and constant strain
        fourth_order: of order 1: the section law of order four
        consistent: consistent mass instead of a share for each node, for frequencies
        start: what its start is joined to
        end: the same of its end
        velocity: initial: of its start, world axes
        angular_velocity: initial: of the whole, world axes
        loads: loads per length
        slides: bodies that slide along it: beads, trolleys, guides
        colour: on pages
        """
        self._add(
            "beams",
            {
                "name": name,
                "type": "beam",
                "section": section,
                "from": from_,
                "to": to,
                "points": points,
                "arc": arc,
                "helix": helix,
                "tangent": tangent,
                "axis_2": axis_2,
                "twist": twist,
                "elements": elements,
                "order": order,
                "fourth_order": fourth_order,
                "consistent": consistent,
                "start": start,
                "end": end,
                "velocity": velocity,
                "angular_velocity": angular_velocity,
                "loads": loads,
                "slides": slides,
                "colour": colour,
            },
        )

    def spherical(
        self,
        name: str,
        *,
        release: Number | None = None,
        active: bool | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
    ) -> None:
        """Both frames have the same origin.

        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "spherical",
                "release": release,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
            },
        )

    def revolute(
        self,
        name: str,
        *,
        release: Number | None = None,
        active: bool | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
    ) -> None:
        """B turns about the z axis of A.

        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "revolute",
                "release": release,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
            },
        )

    def universal(
        self,
        name: str,
        *,
        release: Number | None = None,
        active: bool | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
    ) -> None:
        """Same origin, the x axis of A normal to the y axis of B.

        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "universal",
                "release": release,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
            },
        )

    def prismatic(
        self,
        name: str,
        *,
        release: Number | None = None,
        active: bool | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
    ) -> None:
        """B slides along the z axis of A.

        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "prismatic",
                "release": release,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
            },
        )

    def cylindrical(
        self,
        name: str,
        *,
        release: Number | None = None,
        active: bool | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
    ) -> None:
        """B slides along and turns about the z axis of A.

        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "cylindrical",
                "release": release,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
            },
        )

    def planar(
        self,
        name: str,
        *,
        release: Number | None = None,
        active: bool | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
    ) -> None:
        """B moves in the x-y plane of A and turns about its z axis.

        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "planar",
                "release": release,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
            },
        )

    def fixed(
        self,
        name: str,
        *,
        release: Number | None = None,
        active: bool | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
    ) -> None:
        """Both frames are the same.

        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "fixed",
                "release": release,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
            },
        )

    def point_on_line(
        self,
        name: str,
        *,
        release: Number | None = None,
        active: bool | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
    ) -> None:
        """The origin of B stays on the z axis of A.

        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "point_on_line",
                "release": release,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
            },
        )

    def point_on_plane(
        self,
        name: str,
        *,
        release: Number | None = None,
        active: bool | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
    ) -> None:
        """The origin of B stays in the x-y plane of A.

        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "point_on_plane",
                "release": release,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
            },
        )

    def orientation(
        self,
        name: str,
        *,
        release: Number | None = None,
        active: bool | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
    ) -> None:
        """The axes of B stay parallel to those of A.

        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "orientation",
                "release": release,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
            },
        )

    def parallel_axes(
        self,
        name: str,
        *,
        release: Number | None = None,
        active: bool | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
    ) -> None:
        """The z axes of A and B stay parallel.

        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "parallel_axes",
                "release": release,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
            },
        )

    def planar_revolute(
        self,
        name: str,
        *,
        release: Number | None = None,
        active: bool | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
    ) -> None:
        """Bodies in the x-y plane: both frames have the same origin.

        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "planar_revolute",
                "release": release,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
            },
        )

    def planar_prismatic(
        self,
        name: str,
        *,
        release: Number | None = None,
        active: bool | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
    ) -> None:
        """Bodies in the x-y plane: B slides along the x axis of A.

        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "planar_prismatic",
                "release": release,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
            },
        )

    def planar_fixed(
        self,
        name: str,
        *,
        release: Number | None = None,
        active: bool | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
    ) -> None:
        """Bodies in the x-y plane: both frames are the same.

        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "planar_fixed",
                "release": release,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
            },
        )

    def knife_edge(
        self,
        name: str,
        *,
        release: Number | None = None,
        active: bool | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
    ) -> None:
        """The origin of B does not move along its y axis.

        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "knife_edge",
                "release": release,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
            },
        )

    def screw(
        self,
        name: str,
        *,
        pitch: Number,
        release: Number | None = None,
        active: bool | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
    ) -> None:
        """Turns about and slides along z: displacement = pitch/(2 pi) angle.

        pitch: displacement per turn, not zero
        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "screw",
                "pitch": pitch,
                "release": release,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
            },
        )

    def distance(
        self,
        name: str,
        *,
        release: Number | None = None,
        active: bool | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
        length: Number | None = None,
    ) -> None:
        """Two points keep their distance.

        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        length: default: the initial distance
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "distance",
                "release": release,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
                "length": length,
            },
        )

    def generic(
        self,
        name: str,
        *,
        locked: Object,
        release: Number | None = None,
        active: bool | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
    ) -> None:
        """Holds the directions in `locked`, in the axes of frame A.

        locked: what is held
        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "generic",
                "locked": locked,
                "release": release,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
            },
        )

    def motion(
        self,
        name: str,
        *,
        function: Motion,
        release: Number | None = None,
        active: bool | None = None,
        joint: str | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
        coordinate: str | None = None,
    ) -> None:
        """A coordinate follows a function of time.

        function: its value over time
        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        joint: take bodies, frames and coordinate from this joint
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        coordinate: which coordinate
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "motion",
                "function": function,
                "release": release,
                "active": active,
                "joint": joint,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
                "coordinate": coordinate,
            },
        )

    def gear(
        self,
        name: str,
        *,
        joint_1: str,
        joint_2: str,
        ratio: Vector,
        release: Number | None = None,
        active: bool | None = None,
        coordinate_1: str | None = None,
        coordinate_2: str | None = None,
        joint_3: str | None = None,
        coordinate_3: str | None = None,
        ratio_3: Number | None = None,
        torques_only: bool | None = None,
    ) -> None:
        """ratio[0] c_1 + ratio[1] c_2 = constant, for coordinates of two joints; with a third + ratio_3 c_3.

        joint_1: first joint
        joint_2: second joint
        ratio: factors of the two coordinates
        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        coordinate_1: of the first joint
        coordinate_2: of the second joint
        joint_3: third joint, as of a planetary gear
        coordinate_3: of the third joint
        ratio_3: factor of its coordinate
        torques_only: no tooth forces on the bearings
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "gear",
                "joint_1": joint_1,
                "joint_2": joint_2,
                "ratio": ratio,
                "release": release,
                "active": active,
                "coordinate_1": coordinate_1,
                "coordinate_2": coordinate_2,
                "joint_3": joint_3,
                "coordinate_3": coordinate_3,
                "ratio_3": ratio_3,
                "torques_only": torques_only,
            },
        )

    def rolling_disk(
        self,
        name: str,
        *,
        radius: Number,
        release: Number | None = None,
        active: bool | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
    ) -> None:
        """A disk about z of frame B rolls without slip on the x-y plane of A.

        radius: of the wheel
        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "rolling_disk",
                "radius": radius,
                "release": release,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
            },
        )

    def rolling_sphere(
        self,
        name: str,
        *,
        radius: Number,
        release: Number | None = None,
        active: bool | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
    ) -> None:
        """A sphere around frame B rolls without slip on the x-y plane of A.

        radius: of the wheel
        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "rolling_sphere",
                "radius": radius,
                "release": release,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
            },
        )

    def wheel(
        self,
        name: str,
        *,
        radius: Number,
        release: Number | None = None,
        active: bool | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
    ) -> None:
        """The velocity rows of rolling_disk alone; its height is held elsewhere.

        radius: of the wheel
        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "wheel",
                "radius": radius,
                "release": release,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
            },
        )

    def pfaffian(
        self,
        name: str,
        *,
        bodies: Object,
        rows: Object,
        release: Number | None = None,
        active: bool | None = None,
    ) -> None:
        """Rows A v + b = 0 in the velocities of one or two bodies.

        bodies: names of the bodies, one or two
        rows: 6 coefficients per body, then b if it is not zero; expressions may use t and the positions x1,
            y1, z1, x2, y2, z2
        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "pfaffian",
                "bodies": bodies,
                "rows": rows,
                "release": release,
                "active": active,
            },
        )

    def contact(
        self,
        name: str,
        *,
        release: Number | None = None,
        active: bool | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
        shape: Object | None = None,
        radius: Number | None = None,
        length: Number | None = None,
        size: Vector | None = None,
        shape_a: Object | None = None,
        radius_a: Number | None = None,
        length_a: Number | None = None,
        size_a: Vector | None = None,
        curve_x: Function | None = None,
        curve_y: Function | None = None,
        curve_range: Vector | None = None,
        restitution: Number | None = None,
        mu: Number | None = None,
        mu_s: Number | None = None,
    ) -> None:
        """A shape of B and one of A, or its x-y plane, do not enter each other: they touch, slide, stick and
        lift.

        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        shape: of B, around its frame; disk, capsule and cylinder along z. A point is a sphere with radius 0;
            mesh: the vertices of the mesh that is the shape of the body; curve: an outline in its x-y plane
        radius: of sphere, disk, capsule, cylinder
        length: of a capsule, between the centres of its ends; of a cylinder, between its faces
        size: of a box: its edges
        shape_a: of A, around its frame; plane: x-y
        radius_a: of the shape of A
        length_a: of the shape of A
        size_a: of the shape of A
        curve_x: of a curve: x in frame B as a function of its parameter. What is to the right of its way is
            free: an outline goes counterclockwise
        curve_y: y likewise
        curve_range: where its parameter begins and ends (default: 0 and 1); an outline that ends where it
            began is closed
        restitution: velocity after an impact to that before
        mu: coefficient of friction
        mu_s: the same while it sticks, at least mu (default: mu)
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "contact",
                "release": release,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
                "shape": shape,
                "radius": radius,
                "length": length,
                "size": size,
                "shape_a": shape_a,
                "radius_a": radius_a,
                "length_a": length_a,
                "size_a": size_a,
                "curve_x": curve_x,
                "curve_y": curve_y,
                "curve_range": curve_range,
                "restitution": restitution,
                "mu": mu,
                "mu_s": mu_s,
            },
        )

    def sphere_contact(
        self,
        name: str,
        *,
        radius_a: Number,
        release: Number | None = None,
        active: bool | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
        radius: Number | None = None,
        hollow: bool | None = None,
        restitution: Number | None = None,
        mu: Number | None = None,
        mu_s: Number | None = None,
    ) -> None:
        """Spheres around both frames that do not enter each other, or one in a hollow one.

        radius_a: of A
        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        radius: of B
        hollow: A is hollow, B inside it
        restitution: velocity after an impact to that before
        mu: coefficient of friction
        mu_s: the same while it sticks, at least mu (default: mu)
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "sphere_contact",
                "radius_a": radius_a,
                "release": release,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
                "radius": radius,
                "hollow": hollow,
                "restitution": restitution,
                "mu": mu,
                "mu_s": mu_s,
            },
        )

    def rope(
        self,
        name: str,
        *,
        release: Number | None = None,
        active: bool | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
        length: Number | None = None,
        restitution: Number | None = None,
    ) -> None:
        """Two points are at most a length apart.

        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        length: default: the initial distance
        restitution: velocity after an impact to that before
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "rope",
                "release": release,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
                "length": length,
                "restitution": restitution,
            },
        )

    def limit(
        self,
        name: str,
        *,
        limits: Vector,
        release: Number | None = None,
        active: bool | None = None,
        joint: str | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
        coordinate: str | None = None,
        restitution: Number | None = None,
    ) -> None:
        """A coordinate stays between two limits; turns are counted.

        limits: lower and upper; beyond +-1e9: none
        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        joint: take bodies, frames and coordinate from this joint
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        coordinate: which coordinate
        restitution: velocity after an impact to that before
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "limit",
                "limits": limits,
                "release": release,
                "active": active,
                "joint": joint,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
                "coordinate": coordinate,
                "restitution": restitution,
            },
        )

    def clutch(
        self,
        name: str,
        *,
        release: Number | None = None,
        active: bool | None = None,
        joint: str | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
        coordinate: str | None = None,
    ) -> None:
        """One way: a coordinate may only grow.

        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        joint: take bodies, frames and coordinate from this joint
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        coordinate: which coordinate
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "clutch",
                "release": release,
                "active": active,
                "joint": joint,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
                "coordinate": coordinate,
            },
        )

    def ratchet(
        self,
        name: str,
        *,
        pitch: Number,
        release: Number | None = None,
        active: bool | None = None,
        joint: str | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
        coordinate: str | None = None,
        restitution: Number | None = None,
    ) -> None:
        """One way with teeth: a coordinate goes back to the last tooth passed at most.

        pitch: from tooth to tooth
        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        joint: take bodies, frames and coordinate from this joint
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        coordinate: which coordinate
        restitution: velocity after an impact to that before
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "ratchet",
                "pitch": pitch,
                "release": release,
                "active": active,
                "joint": joint,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
                "coordinate": coordinate,
                "restitution": restitution,
            },
        )

    def brake(
        self,
        name: str,
        *,
        release: Number | None = None,
        active: bool | None = None,
        joint: str | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
        coordinate: str | None = None,
        limit: Number | None = None,
        mu: Number | None = None,
        mu_s: Number | None = None,
        radius: Number | None = None,
    ) -> None:
        """Dry friction along a coordinate: it sticks until its limit is reached.

        release: at this time the joint opens, and holds nothing from then on
        active: false: open until an event closes it
        joint: take bodies, frames and coordinate from this joint
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        coordinate: which coordinate; of a spherical joint none: all of its rotation
        limit: largest friction
        mu: with `joint`: mu radius times its reaction force is added to the limit
        mu_s: likewise while it sticks; default: mu
        radius: lever of the reaction, for rotations
        """
        self._add(
            "joints",
            {
                "name": name,
                "type": "brake",
                "release": release,
                "active": active,
                "joint": joint,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
                "coordinate": coordinate,
                "limit": limit,
                "mu": mu,
                "mu_s": mu_s,
                "radius": radius,
            },
        )

    def actuator(
        self,
        name: str,
        *,
        function: Function,
        active: Object | None = None,
        joint: str | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
        coordinate: str | None = None,
    ) -> None:
        """function(t) along a coordinate.

        function: positive: increases the coordinate
        active: acts from and to these times only; false: not until an event
        joint: take bodies, frames and coordinate from this joint
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        coordinate: which coordinate
        """
        self._add(
            "forces",
            {
                "name": name,
                "type": "actuator",
                "function": function,
                "active": active,
                "joint": joint,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
                "coordinate": coordinate,
            },
        )

    def armature(
        self,
        name: str,
        *,
        inertia: Number,
        active: Object | None = None,
        joint: str | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
        coordinate: str | None = None,
    ) -> None:
        """Inertia on a coordinate alone, -inertia c'': the rotor of a geared motor.

        inertia: of the rotor, as seen from the coordinate: times the square of its gear ratio
        active: acts from and to these times only; false: not until an event
        joint: take bodies, frames and coordinate from this joint
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        coordinate: which coordinate
        """
        self._add(
            "forces",
            {
                "name": name,
                "type": "armature",
                "inertia": inertia,
                "active": active,
                "joint": joint,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
                "coordinate": coordinate,
            },
        )

    def belt(
        self,
        name: str,
        *,
        radius_a: Number,
        radius: Number,
        teeth: Number,
        stiffness: Number,
        active: Object | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
        damping: Number | None = None,
        tension: Number | None = None,
    ) -> None:
        """A toothed belt around two wheels with parallel axes: two spans that pull, and that bearings carry.
        Value: the difference of their tensions, positive where A drives B as z of A turns.

        radius_a: pitch radius of the wheel around z of frame A
        radius: of that around z of frame B
        teeth: of the wheel of B; the belt stretches by less than half a pitch
        stiffness: of a span
        active: acts from and to these times only; false: not until an event
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        damping: likewise
        tension: of both spans at the initial pose
        """
        self._add(
            "forces",
            {
                "name": name,
                "type": "belt",
                "radius_a": radius_a,
                "radius": radius,
                "teeth": teeth,
                "stiffness": stiffness,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
                "damping": damping,
                "tension": tension,
            },
        )

    def bushing(
        self,
        name: str,
        *,
        stiffness: Vector,
        active: Object | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
        damping: Vector | None = None,
    ) -> None:
        """Six springs along and about the axes of frame A.

        stiffness: three translations, three rotations
        active: acts from and to these times only; false: not until an event
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        damping: likewise
        """
        self._add(
            "forces",
            {
                "name": name,
                "type": "bushing",
                "stiffness": stiffness,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
                "damping": damping,
            },
        )

    def cartesian(
        self,
        name: str,
        *,
        stiffness: Vector,
        active: Object | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
        damping: Vector | None = None,
        reference: Vector | None = None,
    ) -> None:
        """Springs and dampers along the axes of the world, by components of p_B - p_A.

        stiffness: along x, y, z of the world
        active: acts from and to these times only; false: not until an event
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        damping: likewise
        reference: p_B - p_A at rest
        """
        self._add(
            "forces",
            {
                "name": name,
                "type": "cartesian",
                "stiffness": stiffness,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
                "damping": damping,
                "reference": reference,
            },
        )

    def contact_force(
        self,
        name: str,
        *,
        stiffness: Number,
        active: Object | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
        exponent: Number | None = None,
        restitution: Number | None = None,
        mu: Number | None = None,
        slip: Number | None = None,
        bristle: Number | None = None,
        bristle_damping: Number | None = None,
        least_speed: Number | None = None,
        shape: Object | None = None,
        radius: Number | None = None,
        length: Number | None = None,
        size: Vector | None = None,
        shape_a: Object | None = None,
        radius_a: Number | None = None,
        length_a: Number | None = None,
        size_a: Vector | None = None,
        curve_x: Function | None = None,
        curve_y: Function | None = None,
        curve_range: Vector | None = None,
    ) -> None:
        """Shapes press each other apart by a compliant law with restitution and friction.

        stiffness: k
        active: acts from and to these times only; false: not until an event
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        exponent: n: 1.5 is Hertz' law, 1 linear
        restitution: velocity after an impact to that before; for 0 use a joint of type contact
        mu: coefficient of friction
        slip: sliding speed at which friction is 0.7 of mu F
        bristle: instead of slip: stiffness with which friction holds up to mu F
        bristle_damping: damping while it holds
        least_speed: slower approach is damped like this one (default: 0.01 of the size per second)
        shape: as of the joint contact, but for disk
        radius: of sphere, capsule, cylinder
        length: of capsule, cylinder
        size: of a box: its edges
        shape_a: of A, around its frame; plane: x-y
        radius_a: of the shape of A
        length_a: of the shape of A
        size_a: of the shape of A
        curve_x: of a curve: x in frame B as a function of its parameter. What is to the right of its way is
            free: an outline goes counterclockwise
        curve_y: y likewise
        curve_range: where its parameter begins and ends (default: 0 and 1); an outline that ends where it
            began is closed
        """
        self._add(
            "forces",
            {
                "name": name,
                "type": "contact",
                "stiffness": stiffness,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
                "exponent": exponent,
                "restitution": restitution,
                "mu": mu,
                "slip": slip,
                "bristle": bristle,
                "bristle_damping": bristle_damping,
                "least_speed": least_speed,
                "shape": shape,
                "radius": radius,
                "length": length,
                "size": size,
                "shape_a": shape_a,
                "radius_a": radius_a,
                "length_a": length_a,
                "size_a": size_a,
                "curve_x": curve_x,
                "curve_y": curve_y,
                "curve_range": curve_range,
            },
        )

    def delay(
        self,
        name: str,
        *,
        time: Number,
        value: Law,
        inputs: Object | None = None,
    ) -> None:
        """No force but what `value` was `time` ago, as an input "name.state" of laws, states and delays.

        time: the delay
        value: what is delayed: expression of t, of the inputs and of variables
        inputs: inputs by name
        """
        self._add(
            "forces",
            {
                "name": name,
                "type": "delay",
                "time": time,
                "value": value,
                "inputs": inputs,
            },
        )

    def drag(
        self,
        name: str,
        *,
        body: str,
        active: Object | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        in_: str | None = None,
        frame: Object | None = None,
        damping: Number | None = None,
        quadratic: Number | None = None,
    ) -> None:
        """-(damping + quadratic |v|) v at a point with velocity v.

        body: the body
        active: acts from and to these times only; false: not until an event
        point: where, in the world at the initial pose
        axis: z axis of the frame, world
        x_axis: x axis of the frame, world
        y_axis: y axis of the frame, world
        in_: the body, or the joint (its frame A), in whose axes point and axes are, at the initial pose;
            default: the world
        frame: where, in the axes of the body; default: its own frame
        damping: linear in the velocity
        quadratic: in its square
        """
        self._add(
            "forces",
            {
                "name": name,
                "type": "drag",
                "body": body,
                "active": active,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "in": in_,
                "frame": frame,
                "damping": damping,
                "quadratic": quadratic,
            },
        )

    def force(
        self,
        name: str,
        *,
        body: str,
        vector: Vector,
        active: Object | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        in_: str | None = None,
        frame: Object | None = None,
        follower: bool | None = None,
        function: Function | None = None,
    ) -> None:
        """A force on a body.

        body: the body
        vector: what acts
        active: acts from and to these times only; false: not until an event
        point: where, in the world at the initial pose
        axis: z axis of the frame, world
        x_axis: x axis of the frame, world
        y_axis: y axis of the frame, world
        in_: the body, or the joint (its frame A), in whose axes point and axes are, at the initial pose;
            default: the world
        frame: where, in the axes of the body; default: its own frame
        follower: in the axes of the frame instead of the world
        function: factor over time
        """
        self._add(
            "forces",
            {
                "name": name,
                "type": "force",
                "body": body,
                "vector": vector,
                "active": active,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "in": in_,
                "frame": frame,
                "follower": follower,
                "function": function,
            },
        )

    def torque(
        self,
        name: str,
        *,
        body: str,
        vector: Vector,
        active: Object | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        in_: str | None = None,
        frame: Object | None = None,
        follower: bool | None = None,
        function: Function | None = None,
    ) -> None:
        """A torque on a body.

        body: the body
        vector: what acts
        active: acts from and to these times only; false: not until an event
        point: where, in the world at the initial pose
        axis: z axis of the frame, world
        x_axis: x axis of the frame, world
        y_axis: y axis of the frame, world
        in_: the body, or the joint (its frame A), in whose axes point and axes are, at the initial pose;
            default: the world
        frame: where, in the axes of the body; default: its own frame
        follower: in the axes of the frame instead of the world
        function: factor over time
        """
        self._add(
            "forces",
            {
                "name": name,
                "type": "torque",
                "body": body,
                "vector": vector,
                "active": active,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "in": in_,
                "frame": frame,
                "follower": follower,
                "function": function,
            },
        )

    def friction(
        self,
        name: str,
        *,
        joint: str,
        mu: Number,
        slip: Number,
        active: Object | None = None,
        coordinate: str | None = None,
        radius: Number | None = None,
    ) -> None:
        """Regularised Coulomb friction in a joint: mu radius N tanh(c'/slip), N its reaction force.

        joint: the joint, whose bodies, frames and coordinate it has
        mu: coefficient of friction
        slip: velocity at which friction is nearly full
        active: acts from and to these times only; false: not until an event
        coordinate: which coordinate
        radius: lever of the friction, for rotations
        """
        self._add(
            "forces",
            {
                "name": name,
                "type": "friction",
                "joint": joint,
                "mu": mu,
                "slip": slip,
                "active": active,
                "coordinate": coordinate,
                "radius": radius,
            },
        )

    def law(
        self,
        name: str,
        *,
        value: Law,
        active: Object | None = None,
        joint: str | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
        coordinate: str | None = None,
        inputs: Object | None = None,
    ) -> None:
        """An expression of time and of inputs, along a coordinate (positive: increases it).

        value: expression of t, of the inputs and of variables
        active: acts from and to these times only; false: not until an event
        joint: take bodies, frames and coordinate from this joint
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        coordinate: which coordinate
        inputs: inputs by name
        """
        self._add(
            "forces",
            {
                "name": name,
                "type": "law",
                "value": value,
                "active": active,
                "joint": joint,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
                "coordinate": coordinate,
                "inputs": inputs,
            },
        )

    def mesh(
        self,
        name: str,
        *,
        radius_a: Number,
        radius: Number,
        teeth: Number,
        pressure_angle: Number,
        stiffness: Number,
        active: Object | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
        internal: bool | None = None,
        damping: Number | None = None,
        backlash: Number | None = None,
    ) -> None:
        """Teeth of two wheels with parallel axes: stiffness, backlash, and forces along the line of action,
        which bearings carry. Value: the tangential force of A on B, positive where A drives B as z of A
        turns.

        radius_a: pitch radius of the wheel around z of frame A
        radius: of that around z of frame B
        teeth: of the wheel of B
        pressure_angle: of the line of action with the tangent, as `20 deg`
        stiffness: of the teeth, along the pitch circle
        active: acts from and to these times only; false: not until an event
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        internal: A is a ring, B inside
        damping: likewise, while they touch
        backlash: play along the pitch circle; at first in its middle
        """
        self._add(
            "forces",
            {
                "name": name,
                "type": "mesh",
                "radius_a": radius_a,
                "radius": radius,
                "teeth": teeth,
                "pressure_angle": pressure_angle,
                "stiffness": stiffness,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
                "internal": internal,
                "damping": damping,
                "backlash": backlash,
            },
        )

    def pd(
        self,
        name: str,
        *,
        function: Function,
        active: Object | None = None,
        joint: str | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
        coordinate: str | None = None,
        stiffness: Number | None = None,
        damping: Number | None = None,
    ) -> None:
        """-stiffness (c - f(t)) - damping (c' - f'(t)) along a coordinate c.

        function: the desired value
        active: acts from and to these times only; false: not until an event
        joint: take bodies, frames and coordinate from this joint
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        coordinate: which coordinate
        stiffness: gain
        damping: gain of the rate
        """
        self._add(
            "forces",
            {
                "name": name,
                "type": "pd",
                "function": function,
                "active": active,
                "joint": joint,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
                "coordinate": coordinate,
                "stiffness": stiffness,
                "damping": damping,
            },
        )

    def pid(
        self,
        name: str,
        *,
        integral: Number,
        function: Function,
        active: Object | None = None,
        joint: str | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
        coordinate: str | None = None,
        stiffness: Number | None = None,
        damping: Number | None = None,
    ) -> None:
        """-stiffness (c - f(t)) - damping (c' - f'(t)) - integral s along a coordinate c, s the integral of c
        - f from the start on.

        integral: gain of the integral
        function: the desired value
        active: acts from and to these times only; false: not until an event
        joint: take bodies, frames and coordinate from this joint
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        coordinate: which coordinate
        stiffness: gain
        damping: gain of the rate
        """
        self._add(
            "forces",
            {
                "name": name,
                "type": "pid",
                "integral": integral,
                "function": function,
                "active": active,
                "joint": joint,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
                "coordinate": coordinate,
                "stiffness": stiffness,
                "damping": damping,
            },
        )

    def rack(
        self,
        name: str,
        *,
        radius: Number,
        teeth: Number,
        pressure_angle: Number,
        stiffness: Number,
        active: Object | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
        damping: Number | None = None,
        backlash: Number | None = None,
    ) -> None:
        """A rack on A and its pinion on B: teeth along x of frame A, pointing along y of A to the pinion,
        which turns about z of frame B, parallel to z of A. Value: the force of the rack on the pinion along x
        of A.

        radius: pitch radius of the pinion around z of frame B
        teeth: of the pinion
        pressure_angle: of the line of action with the tangent, as `20 deg`
        stiffness: of the teeth, along the pitch circle
        active: acts from and to these times only; false: not until an event
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        damping: likewise, while they touch
        backlash: play along the pitch circle; at first in its middle
        """
        self._add(
            "forces",
            {
                "name": name,
                "type": "rack",
                "radius": radius,
                "teeth": teeth,
                "pressure_angle": pressure_angle,
                "stiffness": stiffness,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
                "damping": damping,
                "backlash": backlash,
            },
        )

    def rail(
        self,
        name: str,
        *,
        radius: Number,
        cone: Number,
        radius_a: Number,
        stiffness: Number,
        creep: Vector,
        active: Object | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
        damping: Number | None = None,
        mu: Number | None = None,
        least_speed: Number | None = None,
    ) -> None:
        """A wheel on a rail: a cone around z of frame B (outwards) on a cylinder along x of frame A, whose
        top is the origin of A; creep forces of the linear theory.

        radius: of the wheel at the origin of frame B; it shrinks along z of B
        cone: angle of the tread with the axle; tan: conicity
        radius_a: of the head of the rail, across
        stiffness: of the contact
        creep: force per creepage along, across, of spin, and moment of spin: G a b C_11, C_22, (ab)^(1/2)
            C_23, ab C_33
        active: acts from and to these times only; false: not until an event
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        damping: likewise
        mu: creep forces are at most mu N; default: no limit
        least_speed: creepage is taken of at least this speed; default: 0.03 of the radius per second
        """
        self._add(
            "forces",
            {
                "name": name,
                "type": "rail",
                "radius": radius,
                "cone": cone,
                "radius_a": radius_a,
                "stiffness": stiffness,
                "creep": creep,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
                "damping": damping,
                "mu": mu,
                "least_speed": least_speed,
            },
        )

    def spring(
        self,
        name: str,
        *,
        active: Object | None = None,
        joint: str | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
        coordinate: str | None = None,
        stiffness: Number | None = None,
        cubic: Number | None = None,
        damping: Number | None = None,
        characteristic: Function | None = None,
        reference: Number | None = None,
        function: Function | None = None,
    ) -> None:
        """Stiffness e + cubic e^3 + characteristic(e) + damping e', e = coordinate - reference.

        active: acts from and to these times only; false: not until an event
        joint: take bodies, frames and coordinate from this joint
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        coordinate: default: length
        stiffness: linear
        cubic: cubic
        damping: linear
        characteristic: of the elongation
        reference: coordinate at rest
        function: coordinate at rest over time, instead of reference
        """
        self._add(
            "forces",
            {
                "name": name,
                "type": "spring",
                "active": active,
                "joint": joint,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
                "coordinate": coordinate,
                "stiffness": stiffness,
                "cubic": cubic,
                "damping": damping,
                "characteristic": characteristic,
                "reference": reference,
                "function": function,
            },
        )

    def state(
        self,
        name: str,
        *,
        value: Law,
        initial: Number | None = None,
        inputs: Object | None = None,
    ) -> None:
        """No force but a state x of its own, x' = value, as an input of laws and states.

        value: its rate: expression of t, of the inputs and of variables
        initial: x at the start
        inputs: inputs by name
        """
        self._add(
            "forces",
            {
                "name": name,
                "type": "state",
                "value": value,
                "initial": initial,
                "inputs": inputs,
            },
        )

    def tyre(
        self,
        name: str,
        *,
        radius: Number,
        stiffness: Number,
        slip_stiffness: Vector,
        active: Object | None = None,
        body_a: str | None = None,
        body_b: str | None = None,
        point: Vector | None = None,
        axis: Vector | None = None,
        x_axis: Vector | None = None,
        y_axis: Vector | None = None,
        point_a: Vector | None = None,
        point_b: Vector | None = None,
        in_: str | None = None,
        frame_a: Object | None = None,
        frame_b: Object | None = None,
        damping: Number | None = None,
        law: Object | None = None,
        mu: Number | None = None,
        shape_factor: Number | None = None,
        curvature: Number | None = None,
        half_length: Number | None = None,
        camber_stiffness: Number | None = None,
        relaxation_length: Number | None = None,
        rollers: bool | None = None,
        roller_angle: Number | None = None,
        least_speed: Number | None = None,
    ) -> None:
        """A wheel that rolls on the x-y plane of frame A, with its axle along z of frame B: pressed by a
        spring, forces from slip.

        radius: of the wheel, around z of frame B
        stiffness: against the plane
        slip_stiffness: force per slip, along, and across per radian of slip angle
        active: acts from and to these times only; false: not until an event
        body_a: body A; the ground if missing
        body_b: body B; the ground if missing
        point: common origin of both frames, in the world at the initial pose; default: origin of body B
        axis: common z axis of both frames, world
        x_axis: common x axis, world (with axis: as near to it as possible)
        y_axis: common y axis, world (likewise)
        point_a: origin of frame A alone, world
        point_b: origin of frame B alone, world
        in_: the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose;
            default: the world
        frame_a: frame A in the axes of body A
        frame_b: frame B in the axes of body B
        damping: likewise
        law: linear; brush: cubic up to mu F_z; magic: sin(C atan(...)) mu F_z
        mu: of brush and magic: coefficient of friction
        shape_factor: C of magic
        curvature: E of magic
        half_length: of the patch: the side force acts a third of it behind
        camber_stiffness: force across per radian by which the wheel leans, to the side to which it leans
        relaxation_length: way over which the side force follows the slip angle; default: at once
        rollers: forces act along the rollers only: omni and mecanum wheels
        roller_angle: of the axes of the rollers on the ground with the rolling direction; 0: omni wheel
        least_speed: slip is taken of at least this speed; default: 0.03 of the radius per second
        """
        self._add(
            "forces",
            {
                "name": name,
                "type": "tyre",
                "radius": radius,
                "stiffness": stiffness,
                "slip_stiffness": slip_stiffness,
                "active": active,
                "body_a": body_a,
                "body_b": body_b,
                "point": point,
                "axis": axis,
                "x_axis": x_axis,
                "y_axis": y_axis,
                "point_a": point_a,
                "point_b": point_b,
                "in": in_,
                "frame_a": frame_a,
                "frame_b": frame_b,
                "damping": damping,
                "law": law,
                "mu": mu,
                "shape_factor": shape_factor,
                "curvature": curvature,
                "half_length": half_length,
                "camber_stiffness": camber_stiffness,
                "relaxation_length": relaxation_length,
                "rollers": rollers,
                "roller_angle": roller_angle,
                "least_speed": least_speed,
            },
        )
