# SPDX-License-Identifier: BSD-3-Clause
"""What cannot be cut into pieces is refused in one line, by its key."""

from __future__ import annotations

import flexforge as ff
import numpy as np
import pytest
from bent_rods import rod
from flexforge.codegen.errors import InputError
from flexforge.runtime.check import check_model
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.mesh import structured
from flexforge.runtime.substructures.build import in_pieces
from flexforge.runtime.system.construct import build_mesh

LINE = {"cell": "line2", "divisions": [2]}


def beams(frames, *points, corners=((0, 0, 0), (1, 0, 0)), element="euler_beam", **groups):
    """Return lines between points, two cells between neighbours unless the groups say which."""
    tables = rod(frames, 2, space=True)
    tables["bodies"][0] |= {"element": element, "cells": "all"}
    cells = np.array(points)
    where = np.array(corners, dtype=float)
    named = {"all": {"line2": np.arange(len(cells))}, "rod.xmin": [0], "rod.xmax": [1]}
    named |= {name: {"line2": rows} for name, rows in groups.items()}
    tables["mesh"] = ff.mesh_from_arrays(where, {"line2": cells}, named)
    return tables


Y = ((0, 0, 0), (1, 0, 0), (2, 1, 0), (2, -1, 0))
FOUR = ((0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0))


def strip(*groups, cells=(2, 1), **named):
    """Return a strip of two plane cells with its groups."""
    made = structured("quad4", [[0, 0], [1, 0], [1, 0.1], [0, 0.1]], list(cells))
    tables = rod(list(groups), 1, probes=[])
    mesh = {name: {"quad4": rows} for name, rows in named.items()} | {"rod.xmin": [0]}
    tables["mesh"] = ff.mesh_from_arrays(made.points[:, :2], {"quad4": made.blocks[0].nodes}, mesh)
    tables["bodies"] = [{"name": "strip", "element": "quad4", "material": "steel",
                         "thickness": 0.01, "frame": "rod"}]  # fmt: skip
    return tables


KINEMATICS = {"analysis": {"kind": "kinematics", "duration": 1.0, "steps": 2}, "probes": []}
INITIAL = {"initial": [{"velocity": [0, "0.01*x", 0]}]}
ACROSS = {"name": "far", "kind": "fixed", "links": ["ground", "rod"], "at": [[0, 0, 0], "rod"]}
REFUSED = {
    "links[0].frames: found 3 pieces; expected at most 2, the cells": rod(3, 2),
    "links[0].frames: found 0; expected a whole number": rod(0, 2),
    "links[0].frames: found a list of 1 values; expected": rod(["rod"], 2),
    "links[0].frames: found 'rod' twice": rod(["rod", "rod"], 2),
    "links[0].frames[1]: mesh.blocks: no group named 'tip'": rod(["rod", "tip"], 2),
    "links[0].frames: found several with kinematics": rod(2, 2) | KINEMATICS,
    "initial[0]: found displacements or velocities of bodies with links[0].frames":
        rod(2, 2) | INITIAL,
    "joints[0].at[1]: group 'rod' has nodes in several frames of link 'rod'":
        rod(2, 2, joints=[ACROSS]),
    "links[0].frames: found 2 with body 'rod' of bar2, whose nodes have no rotations":
        beams(2, [0, 1], [1, 2], corners=FOUR[:3], element="bar2"),
    "links[0].frames: found a branch of 3 beams at node 1":
        beams(2, [0, 1], [1, 2], [1, 3], corners=Y),
    "links[0].frames: found a closed ring of beams":
        beams(2, [0, 1], [1, 2], [2, 0], corners=Y[:3]),
    "links[0].frames: found beams with 4 ends": beams(2, [0, 1], [2, 3], corners=FOUR),
    "links[0].frames: group 'b' shares no node with group 'a'":
        beams(["a", "b"], [0, 1], [2, 3], corners=FOUR, a=[0], b=[1]),
    "links[0].frames: groups 'a' and 'b' both have cell 1": strip("a", "b", a=[0, 1], b=[1]),
    "links[0].frames: cell 2 of body 'strip' (and 0 more) is in none of the groups":
        strip("a", "b", cells=(3, 1), a=[0], b=[1]),
    "links[0].frames: found 2 with body 'strip' of quad4; expected beams, or a list of groups":
        strip(cells=(2, 1)) | {"links": [{"name": "rod", "frames": 2}]},
    "links[0].frames: group 'a' and group 'b' share node 4 alone, which leaves rotations open":
        strip("a", "b", cells=(2, 2), a=[0], b=[3]) | {"bodies": [
            {"name": k, "element": "quad4", "material": "steel", "thickness": 0.01,
             "frame": "rod", "cells": k} for k in "ab"]},
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_message(message):
    """One line that names the key, what was found and what is expected."""
    with pytest.raises(InputError) as error:
        check_model(model_from_dict(REFUSED[message]))
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_links_without_bodies_have_one_frame():
    """Nothing on the link bends."""
    tables = rod(2, 2)
    tables["links"].append({"name": "rigid", "frames": 2, "mass": 1.0, "inertia": [1.0]})
    with pytest.raises(InputError, match=r"links\[1\].frames: found it on link 'rigid', which"):
        check_model(model_from_dict(tables))


def test_cells_of_unequal_length_make_pieces_of_about_equal_length():
    """Cuts are at the nodes nearest to those of equal pieces, each with a cell at least."""
    ends = ((0, 0, 0), (0.1, 0, 0), (0.2, 0, 0), (1.0, 0, 0))
    for frames, cells in ((3, [[1], [2], [0]]), (2, [[1, 2], [0]])):
        spec = model_from_dict(beams(frames, [3, 2], [0, 1], [2, 1], corners=ends))
        cut, mesh = in_pieces(spec, build_mesh(spec))
        assert [mesh.groups[one.cells].cells[0].tolist() for one in cut.bodies] == cells
        assert in_pieces(cut, mesh) == (cut, mesh)


def test_check_tells_of_the_file():
    """Bodies and links as the file names them, with nodes and masses of whole bodies."""
    report, whole = (check_model(model_from_dict(rod(n, 8))) for n in (4, 1))
    (one,), (other,) = report.bodies, whole.bodies
    assert report.links == ("rod",) and report.groups == whole.groups
    assert (one.name, one.elements, one.nodes) == ("rod", 8, 9)
    assert one.mass == pytest.approx(other.mass, rel=1e-12)
    assert one.centre == pytest.approx(other.centre, rel=1e-12)


def test_pieces_may_be_shorter_than_thick():
    """Proportions are those of the whole body: a rod of 1 m, 0.2 m thick, in 8 pieces."""
    tables = rod(8, 8)
    tables["bodies"][0]["section"]["diameter"] = 0.2
    assert not check_model(model_from_dict(tables)).remarks
    tables["bodies"][0]["section"]["diameter"] = 20.0
    (remark,) = check_model(model_from_dict(tables)).remarks
    assert "more than the body 'rod' is long, 1 m" in remark
