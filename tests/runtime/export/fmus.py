# SPDX-License-Identifier: BSD-3-Clause
"""FMUs called by FMPy, for the tests of exports."""

from __future__ import annotations

from pathlib import Path

import fmpy
import numpy as np
from flexforge.runtime.export.fmu import fmu
from flexforge.runtime.export.platforms import FLAGS, here
from flexforge.runtime.export.solver import Solver
from fmpy.fmi2 import FMU2Model, FMU2Slave
from fmpy.fmi3 import FMU3Model, FMU3Slave


def quick_fmu(solver: Solver, version: int) -> bytes:
    """Return an FMU for here, not optimized: that takes ten times as long as what is run of it."""
    flags = tuple(flag.replace("-O3", "-O0") for flag in FLAGS)
    return fmu(solver, version, [here()], flags)


def unpacked(solver: Solver, version: int, path: Path) -> Path:
    """Write an FMU that is compiled quickly, and unpack it beside its path, which is returned."""
    path.write_bytes(quick_fmu(solver, version))
    fmpy.extract(str(path), unzipdir=str(path.with_suffix("")))
    return path


class Instance:
    """An instance of an FMU by FMPy, the same for both versions and both kinds."""

    def __init__(
        self, version: int, path: Path, *, exchange: bool = False, logging: bool = False
    ) -> None:
        description = fmpy.read_model_description(str(path))
        kinds = {(2, False): FMU2Slave, (2, True): FMU2Model,
                 (3, False): FMU3Slave, (3, True): FMU3Model}  # fmt: skip
        part = description.modelExchange if exchange else description.coSimulation
        token = description.guid if version == 2 else description.instantiationToken
        self.numbers = {one.name: one.valueReference for one in description.modelVariables}
        self.probes = [one.name for one in description.modelVariables if one.causality == "output"]
        self.version = version
        self.fmu = kinds[version, exchange](
            guid=token,
            unzipDirectory=str(path.with_suffix("")),
            instanceName="one",
            modelIdentifier=part.modelIdentifier,
        )
        self.fmu.instantiate(loggingOn=logging)

    def begin(self, time: float = 0.0, **inputs: float) -> Instance:
        """Initialize it with inputs."""
        if self.version == 2:
            self.fmu.setupExperiment(startTime=time)
            self.fmu.enterInitializationMode()
        else:
            self.fmu.enterInitializationMode(startTime=time)
        for name, value in inputs.items():
            self.set(name, value)
        self.fmu.exitInitializationMode()
        return self

    def set(self, name: str, value: float) -> None:
        """Set a variable."""
        put = self.fmu.setReal if self.version == 2 else self.fmu.setFloat64
        put([self.numbers[name]], [value])

    def get(self, *names: str) -> np.ndarray:
        """Return values of variables."""
        fetch = self.fmu.getReal if self.version == 2 else self.fmu.getFloat64
        return np.array(fetch([self.numbers[name] for name in names]))

    def outputs(self) -> np.ndarray:
        """Return the values of the probes."""
        return self.get(*self.probes)

    def step(self, time: float, length: float) -> None:
        """Take a communication step."""
        self.fmu.doStep(currentCommunicationPoint=time, communicationStepSize=length)

    def keep(self) -> object:
        """Return the whole state."""
        return self.fmu.getFMUstate() if self.version == 2 else self.fmu.getFMUState()

    def restore(self, state: object) -> None:
        """Set the whole state."""
        (self.fmu.setFMUstate if self.version == 2 else self.fmu.setFMUState)(state)

    def write(self, state: object) -> bytes:
        """Return a state as bytes."""
        serialize = "serializeFMUstate" if self.version == 2 else "serializeFMUState"
        return getattr(self.fmu, serialize)(state)

    def read(self, data: bytes) -> object:
        """Return a state from bytes."""
        deserialize = "deSerializeFMUstate" if self.version == 2 else "deserializeFMUState"
        return getattr(self.fmu, deserialize)(data)

    def slope(self, unknown: list[str], known: list[str], seed: list[float]) -> np.ndarray:
        """Return the derivative of unknown variables in a direction of known ones."""
        numbers = [[self.numbers[name] for name in names] for names in (unknown, known)]
        more = () if self.version == 2 else (len(unknown),)
        return np.array(self.fmu.getDirectionalDerivative(*numbers, seed, *more))
