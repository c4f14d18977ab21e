# SPDX-License-Identifier: BSD-3-Clause
"""The pages and their pictures, by the names of their files."""

from __future__ import annotations

from flexforge.codegen.study.pages.elements.cell_picture import cell_picture
from flexforge.codegen.study.pages.elements.facts import general, member, node_rows, orders, summary
from flexforge.codegen.study.pages.elements.families import KINDS, Family, families
from flexforge.codegen.study.pages.elements.formulas import formulas, functions, shown, softens
from flexforge.codegen.study.pages.elements.shape_picture import shape_picture
from flexforge.codegen.study.pages.elements.texts import USES
from flexforge.templates import render

_GREEK = ("$\\xi$", "$\\eta$", "$\\zeta$")


def pages() -> dict[str, str]:
    """Return all pages, the index and the pictures, by the names of their files."""
    known = families()
    found = {"README.md": _index(known)}
    for family in known:
        found |= page(family)
    return found


def page(family: Family) -> dict[str, str]:
    """Return the page of a family and its pictures.

    Parameters
    ----------
    family : Family
        The family.
    """
    element, pictures = family.first, {}
    drawn = family.kind != "lumped"
    own = drawn and family.cell == family.name
    if drawn:
        pictures[f"{family.name}.svg"] = cell_picture(element)
    if own:
        pictures[f"{family.name}-shape.svg"] = shape_picture(element)
    text = render(
        "study/element.md.jinja",
        title=family.name,
        use=USES[family.name],
        drawn=drawn,
        rows=general(element),
        nodes=node_rows(element) if element.dimension else [],
        axes=_GREEK[: element.dimension],
        orders=orders(family.cell),
        cell=family.cell,
        own=own,
        remark=_remark(family) if own else "",
        formulas=formulas(element) if own else "",
        members=[member(one) for one in family.members],
    )
    return {f"{family.name}.md": text, **pictures}


def _remark(family: Family) -> str:
    """Return a note on the formulas, unless they are all functions of the nodes."""
    element = family.first
    if family.kind == "shell":
        words = "Deflection w due to a displacement and the rotations of node 0"
        if element.cell == "quadrilateral":
            return f"{words}; rotations do not contribute."
        return (
            f"{words}, on the reference triangle; colors are relative to the largest value. The "
            "deflection gives inertia, loads and geometric stiffness; the stiffness follows from "
            "the rotations of the normals, which are a separate field."
        )
    if any(softens(f) for f in functions(element)):
        return (
            "For the deflection along y of a beam of length l; "
            "φ = 12 E I / (κ G A l²) is the ratio of shear to bending flexibility."
        )
    if family.name.endswith("beam"):
        return "For the deflection along y of a beam of length l."
    if len(shown(element)) < len(functions(element)):
        return "The first one of each kind of node."
    return ""


def _index(known: tuple[Family, ...]) -> str:
    kinds = [
        {"title": title, "rows": [summary(f) for f in known if f.kind == kind]}
        for kind, title in KINDS.items()
    ]
    revolved = [f.name for f in known if any(m.revolved for m in f.members)]
    return render("study/elements.md.jinja", kinds=kinds, revolved=revolved)
