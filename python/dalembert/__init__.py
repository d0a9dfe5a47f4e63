"""dalembert: constrained mechanical systems on Lie groups.

    import dalembert
    result = dalembert.simulate("heavy_top", t_end=1, h=1e-3)
    print(result["top.position"])

`load` or `Model` make models, `simulate` runs them, `Simulation` runs them step by step. Guide: docs/user/python.md.
"""

from __future__ import annotations

from ._analysis import Equilibrium, Linear, Modes, linearize, modes, static
from ._batch import Batch, batch
from ._core import (
    ArgumentError,
    CallbackError,
    CheckError,
    ConvergenceError,
    Error,
    FileError,
    InitialError,
    ModelError,
    OptionError,
    RedundantError,
    SnapshotError,
    version,
)
from ._ensemble import Ensemble, Study, ensemble, study
from ._gradient import Gradient, Sensitivity, gradient, value_and_grad
from ._model import Model, builtin, load, methods, option_table, parse
from ._result import Result, Stats, Table, read, simulate
from ._shapes import box, cylinder, disk, rod, sphere
from ._simulation import Event, Simulation
from ._system import System

__version__ = version()

__all__ = [
    "ArgumentError",
    "Batch",
    "CallbackError",
    "CheckError",
    "ConvergenceError",
    "Ensemble",
    "Equilibrium",
    "Error",
    "Event",
    "FileError",
    "Gradient",
    "InitialError",
    "Linear",
    "Model",
    "ModelError",
    "Modes",
    "OptionError",
    "RedundantError",
    "Result",
    "Sensitivity",
    "Simulation",
    "SnapshotError",
    "Stats",
    "Study",
    "System",
    "Table",
    "batch",
    "box",
    "builtin",
    "cylinder",
    "disk",
    "ensemble",
    "gradient",
    "linearize",
    "load",
    "methods",
    "modes",
    "option_table",
    "parse",
    "read",
    "rod",
    "simulate",
    "sphere",
    "static",
    "study",
    "value_and_grad",
    "version",
]
