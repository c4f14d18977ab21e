# SPDX-License-Identifier: BSD-3-Clause
"""Bodies with an energy on links: beside the same bodies in frames that are given, or in none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.outcome import Outcome
from flexforge.runtime.run import run_model
from numpy.typing import NDArray

SOFT = {"mu": 2e4, "lame": 4e4, "density": 1000.0}
PLATE = [[0, 0, 0], [1, 0, 0], [1, 0.3, 0], [0, 0.3, 0],
         [0, 0, 0.2], [1, 0, 0.2], [1, 0.3, 0.2], [0, 0.3, 0.2]]  # fmt: skip
TURN, FLY = np.array([3.0, -4.0, 8.0]), np.array([0.3, 0.1, -0.2])
SPIN = "4*smooth_step(t, 0, 0.15)"
CLAMPED = [{"group": "xmin"}]
DOWN = [{"kind": "gravity", "acceleration": [0, -9.81, 0]}]


def block(steps: int, duration: float = 0.2, **tables: Any) -> dict[str, Any]:
    """Return a soft block of three hex8 that bends far."""
    return {
        "mesh": {"block": {"cell": "hex8", "corners": PLATE, "divisions": [3, 1, 1]}},
        "bodies": [{"name": "body", "element": "hex8", "energy": "neo_hookean",
                    "parameters": SOFT}],
        "probes": [{"name": one, "group": "xmax", "quantity": "position", "component": one}
                   for one in "xyz"],
        "analysis": {"kind": "transient", "duration": duration, "steps": steps},
        "output": {"formats": ["csv"]},
    } | tables  # fmt: skip


def rod(steps: int, duration: float = 0.2, **tables: Any) -> dict[str, Any]:
    """Return a soft beam in the plane; its sections have inertia to notice."""
    return {
        "mesh": {"block": {"cell": "line2", "corners": [[0, 0], [1, 0]], "divisions": [4]}},
        "materials": {"rubber": {"young": 2e6, "poisson": 0.3, "density": 1200.0}},
        "bodies": [{"name": "body", "element": "simo_beam2_plane", "material": "rubber",
                    "section": {"area": 4e-4, "inertia_z": 1.3e-7, "shear_y": 0.85}}],
        "loads": DOWN,
        "probes": [{"name": one, "group": "xmax", "quantity": "position", "component": one}
                   for one in "xy"],
        "analysis": {"kind": "transient", "duration": duration, "steps": steps},
        "output": {"formats": ["csv"]},
    } | tables  # fmt: skip


def on_link(tables: dict[str, Any], **link: Any) -> dict[str, Any]:
    """Put the body of a model on a link."""
    bodies = [tables["bodies"][0] | {"frame": "arm"}]
    return tables | {"bodies": bodies, "links": [{"name": "arm"} | link]}


def run(tables: dict[str, Any], folder: Path) -> Outcome:
    """Run a model."""
    return run_model(model_from_dict(tables), output=folder, overwrite=True)


def course(tables: dict[str, Any], folder: Path) -> NDArray[np.float64]:
    """Return where the end of the body goes, (2 or 3, T)."""
    found = run(tables, folder).probes
    return np.array([found[one["name"]] for one in tables["probes"]])


def flying(kind: str, steps: int) -> dict[str, Any]:
    """A block thrown with a spin, pushed by forces along fixed axes."""
    push = {"kind": "force", "group": "xmax", "frame": "global", "total": [3.0, 2.0, 1.0],
            "amplitude": "sin(30*t)"}  # fmt: skip
    found = block(steps, loads=[push])
    begun = {"velocity": FLY.tolist(), "angular_velocity": TURN.tolist()}
    if kind == "link":
        return on_link(found, **begun)
    if kind == "free":
        return found | {"bodies": [found["bodies"][0] | {"frame": {"free": begun}}]}
    fields = [
        f"{FLY[i]} + ({TURN[(i + 1) % 3]})*{'xyz'[(i + 2) % 3]}"
        f" - ({TURN[(i + 2) % 3]})*{'xyz'[(i + 1) % 3]}"
        for i in range(3)
    ]
    return found | {"initial": [{"body": "body", "velocity": fields}]}


def swinging(kind: str, steps: int) -> dict[str, Any]:
    """A beam that falls from where it lies, pinned at one end."""
    if kind == "link":
        pin = {"name": "pin", "kind": "revolute", "links": ["ground", "arm"],
               "at": [[0, 0, 0], "xmin"]}  # fmt: skip
        return on_link(rod(steps)) | {"joints": [pin]}
    return rod(steps, supports=[{"group": "xmin", "components": ["x", "y"]}])


def driven(kind: str, steps: int, make: Any) -> dict[str, Any]:
    """A body that a motor begins to turn."""
    found = make(steps, supports=CLAMPED)
    if kind == "link":
        pin = {"name": "pin", "kind": "revolute", "links": ["ground", "arm"]}
        motor = {"name": "motor", "joint": "pin", "velocity": SPIN}
        return on_link(found) | {"joints": [pin], "drivers": [motor]}
    frame = {"axis": [0, 0, 1], "velocity": SPIN}
    return found | {"bodies": [found["bodies"][0] | {"frame": frame}]}


CASES = {
    "flying": flying,
    "swinging": swinging,
    "driven block": lambda kind, steps: driven(kind, steps, block),
    "driven beam": lambda kind, steps: driven(kind, steps, rod),
}


@pytest.mark.parametrize("case", CASES)
def test_on_a_link_or_not_the_motion_is_the_same(case: str, tmp_path: Path) -> None:
    """Displacements from a link and from fixed axes have the same motion but for the steps.

    Two methods of the second order: their difference falls by four where steps are halved.
    """
    apart = [
        np.abs(course(CASES[case]("link", n), tmp_path) - course(CASES[case]("", n), tmp_path))
        for n in (50, 100)
    ]
    coarse, fine = (one.max() for one in apart)
    assert fine < 1e-4
    assert coarse / fine == pytest.approx(4.0, rel=0.1)


def test_a_free_frame_of_an_energy_is_none(tmp_path: Path) -> None:
    """Displacements of any size need no axes that follow them: the motion is that from the mesh."""
    free, fixed = (course(flying(kind, 40), tmp_path) for kind in ("free", "fixed"))
    np.testing.assert_allclose(free, fixed, rtol=0, atol=1e-12)


@pytest.mark.parametrize("formalism", ["kane", "hamilton"])
def test_formalisms_do_not_know_of_the_energy(formalism: str, tmp_path: Path) -> None:
    """By independent speeds the steps are those with multipliers; momenta have others of h^2."""
    apart = []
    for steps in (50, 100):
        models = [swinging("link", steps) for _ in range(2)]
        models[1]["analysis"]["formalism"] = formalism
        usual, other = (course(one, tmp_path) for one in models)
        apart.append(np.abs(usual - other).max())
    if formalism == "kane":
        assert apart[1] < 1e-10
    else:
        assert apart[0] / apart[1] == pytest.approx(4.0, rel=0.15)


def test_momenta_of_a_flying_block_stay(tmp_path: Path) -> None:
    """By steps of momenta, to round-off, while it bends far."""
    model = flying("link", 100) | {"loads": []}
    model["analysis"]["formalism"] = "hamilton"
    found = run(model, tmp_path).figures
    assert found["largest displacement at the end"][0] > 0.03
    assert found["largest error of the momentum balance"] < 1e-13
    assert found["largest error of the angular momentum balance"] < 1e-13
    assert found["largest error of the energy balance"] < 1e-4


def test_tangents_on_links_are_derivatives_of_forces() -> None:
    """Central differences of the forces of a bent, moving, free block."""
    model = built(flying("link", 10))
    generator = np.random.default_rng(3)
    z = len(model.numbers)
    # Small enough that no cell is turned inside out, whichever basis the processor finds.
    q = model.moved(model.state(0.0, *still(model)).q, 0.02 * generator.normal(size=z))
    point = at(model, q, generator.normal(size=z), generator.normal(size=z))
    place = model.linearize(point).place.toarray()
    step = 1e-6
    for k in generator.integers(0, z, 12):
        unit = np.zeros(z)
        unit[k] = step
        ends = []
        for sign in (1.0, -1.0):
            out = np.zeros(z)
            model.residual(at(model, model.moved(q, sign * unit), point.z, point.rate), out)
            ends.append(out)
        slope = (ends[0] - ends[1]) / (2.0 * step)
        assert np.abs(slope - place[:, k]).max() < 1e-7 * np.abs(place).max()


def built(tables: dict[str, Any]) -> Any:
    """Return the equations of links of a model."""
    from flexforge.runtime.multibody.build import build_links
    from flexforge.runtime.system.construct import build_mesh, build_system
    from flexforge.runtime.system.initial import initial_state
    from flexforge.runtime.system.loads import Loads

    spec = model_from_dict(tables)
    places = build_system(spec, build_mesh(spec))
    return build_links(spec, places, Loads(spec, places), initial_state(spec, places)).model


def still(model: Any) -> tuple[Any, Any]:
    """Return frames and speeds of links at rest."""
    return model.parts.placements, np.zeros(len(model.numbers))


def at(model: Any, q: Any, z: Any, rate: Any) -> Any:
    """Return a point without multipliers."""
    from flexforge.runtime.transient.model import Point

    none = np.zeros(0)
    return Point(0.0, q, z, none, np.zeros(0, dtype=np.int64), rate, none)


def test_a_hanging_beam_vibrates_about_its_stretched_state(tmp_path: Path) -> None:
    """Modes begin at the equilibrium; of a stiff beam by the inertia about its pin."""
    pin = {"name": "pin", "kind": "revolute", "links": ["ground", "arm"],
           "at": [[0, 0, 0], "xmin"]}  # fmt: skip
    model = on_link(rod(10), placement={"angle": -0.5 * np.pi}) | {"joints": [pin]}
    model["materials"] = {"rubber": {"young": 2e11, "poisson": 0.3, "density": 1200.0}}
    model["bodies"][0]["section"] = {"area": 4e-4, "inertia_z": 1.3e-8, "shear_y": 0.85}
    found = run(
        model | {"analysis": {"kind": "modes", "count": 1}, "probes": []}, tmp_path
    ).figures["mode 1"][0]
    mass, sections = 1200.0 * 4e-4, 1200.0 * 1.3e-8
    slow = np.sqrt(0.5 * mass * 9.81 / (mass / 3.0 + sections))
    assert found == pytest.approx(slow / (2.0 * np.pi), rel=1e-5)


def shelled() -> dict[str, Any]:
    """A link with beams in space."""
    model = on_link(rod(10))
    model["mesh"]["block"]["corners"] = [[0, 0, 0], [1, 0, 0]]
    section = {"area": 4e-4, "inertia_y": 1e-7, "inertia_z": 1e-7, "torsion": 1e-7,
               "shear_y": 0.85, "shear_z": 0.85}  # fmt: skip
    model["bodies"][0] |= {"element": "simo_beam2", "section": section}
    return model


def hinged() -> dict[str, Any]:
    """A block whose hinge is where its nodes move in the link."""
    pin = {"name": "pin", "kind": "revolute", "links": ["ground", "arm"], "at": [[0, 0, 0], "xmin"]}
    return on_link(block(10)) | {"joints": [pin]}


def followed() -> dict[str, Any]:
    """A pressure that follows the faces of a block on a link."""
    load = {"kind": "pressure", "group": "xmax", "value": 10.0, "follows": True}
    return on_link(block(10)) | {"loads": [load]}


def pushed() -> dict[str, Any]:
    """A flying block with a force along its own axes, which it has not."""
    return flying("free", 10) | {"loads": [{"kind": "force", "group": "xmax", "total": [1, 0, 0]}]}


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (shelled(), r"body 'body': found simo_beam2 on a link"),
        (hinged(), r"joints\[0\]\.at\[1\]: found 'pin', which needs the rotation of nodes"),
        (followed(), r"loads: found one that follows body 'body' on a link"),
        (pushed(), r"loads\[0\]: found a force along axes of a body; 'body' has an energy"),
    ],
    ids=["beam in space", "hinge", "follower", "own axes"],
)
def test_what_is_not_there_is_refused(model: dict[str, Any], message: str, tmp_path: Path) -> None:
    """By name, before a step is taken."""
    with pytest.raises(InputError, match=message):
        run(model, tmp_path)


def test_a_block_turned_inside_out_ends_the_run(tmp_path: Path) -> None:
    """What was found before it stays; the law itself would not mind, as it knows squares alone."""
    load = {"kind": "force", "group": "xmax", "total": [-6e4, 0, 0], "amplitude": "t/0.05"}
    model = on_link(block(100, 0.1, supports=CLAMPED, loads=[load]))
    model["mesh"]["block"]["cell"] = "tet4"
    model["bodies"][0] |= {"element": "tet4", "energy": "st_venant_kirchhoff"}
    model |= {"joints": [{"name": "seat", "kind": "fixed", "links": ["ground", "arm"]}]}
    with pytest.raises(AnalysisError, match="elements that invert"):
        run(model, tmp_path)
    assert np.loadtxt(tmp_path / "probes.csv", delimiter=",", skiprows=1).shape[0] > 3


def test_a_hinge_holds_no_turn_of_a_node_without_rotation(tmp_path: Path) -> None:
    """Of a linear solid too: the moment would act on the frame that follows the link on average."""
    pin = {"name": "pin", "kind": "revolute", "links": ["ground", "arm"]}
    model = on_link(block(10)) | {"joints": [pin]}
    solid = {"name": "body", "element": "hex8", "material": "rubber", "frame": "arm"}
    model |= {"bodies": [solid], "materials": {"rubber": {"young": 5e4, "poisson": 0.3,
                                                          "density": 1000.0}}}  # fmt: skip
    with pytest.raises(InputError, match=r"joints\[0\]\.at\[1\]: 'pin' constrains a rotation"):
        run(model, tmp_path)
