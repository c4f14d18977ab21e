# SPDX-License-Identifier: BSD-3-Clause
"""Assemble stiffness, mass and forces of flexforge in DOLFINx; compare with its own forms.

``python3 compare.py FOLDER``: the folder has a library ``NAME.so`` for every element, made as the
README says. Runs with DOLFINx 0.5, and with 0.10 and later.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import dolfinx
import numpy as np
import ufl
from dolfinx import fem, mesh
from mpi4py import MPI

YOUNG, POISSON, DENSITY, THICKNESS = 2e11, 0.3, 7800.0, 0.02
LAME = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON))
SHEAR = YOUNG / (2 * (1 + POISSON))
OLD = not hasattr(fem, "form_cpp_class")
#: Cell, degree of the element, and degrees its stiffness and mass are integrated for.
ELEMENTS = {
    "tri3_plane_strain": ("triangle", 1, 2, 2),
    "tri6_plane_strain": ("triangle", 2, 2, 4),
    "quad4_plane_strain": ("quadrilateral", 1, 3, 3),
    "quad9_plane_strain": ("quadrilateral", 2, 5, 5),
    "tet4": ("tetrahedron", 1, 2, 2),
    "tet10": ("tetrahedron", 2, 2, 4),
    "hex8": ("hexahedron", 1, 3, 3),
    "hex27": ("hexahedron", 2, 5, 5),
}


def vector_space(domain, degree: int):
    """Return the Lagrange space of displacements."""
    if OLD:
        return fem.VectorFunctionSpace(domain, ("Lagrange", degree))
    return fem.functionspace(domain, ("Lagrange", degree, (domain.geometry.dim,)))


def bend(domain) -> None:
    """Move the points of a mesh smoothly, so that no two cells are alike."""
    x = domain.geometry.x
    flat = domain.geometry.dim
    x[:, :flat] += 0.05 * np.sin(2 * x[:, [1, 2, 0]] + x + 1)[:, :flat]


def block(cell: str, degree: int):
    """Return a mesh of bent cells, or of straight simplices, whose geometry has the degree."""
    kind = getattr(mesh.CellType, cell)
    if cell in ("triangle", "quadrilateral"):
        domain = mesh.create_unit_square(MPI.COMM_SELF, 5, 4, kind)
    else:
        domain = mesh.create_unit_cube(MPI.COMM_SELF, 3, 2, 2, kind)
    simplex = cell in ("triangle", "tetrahedron")
    if degree == 1 or simplex:
        bend(domain)
    if degree == 2:
        domain = raised(domain, cell)
        if not simplex:
            bend(domain)
    return domain


def raised(domain, cell: str):
    """Return a mesh with the same cells and a node in the middle of every edge, face and cell."""
    flat = domain.geometry.dim
    space = vector_space(domain, 2)
    points = space.tabulate_dof_coordinates()[:, :flat].copy()
    count = domain.topology.index_map(domain.topology.dim).size_local
    cells = np.array([space.dofmap.cell_dofs(k) for k in range(count)], dtype=np.int64)
    if OLD:
        element = ufl.VectorElement("Lagrange", cell, 2)
        return mesh.create_mesh(MPI.COMM_SELF, cells, points, ufl.Mesh(element))
    import basix.ufl

    element = basix.ufl.element("Lagrange", cell, 2, shape=(flat,))
    return mesh.create_mesh(MPI.COMM_SELF, cells, ufl.Mesh(element), points)


def custom(space, library: ctypes.CDLL, term: str, constants: list[float], given=None):
    """Return a form whose integral over cells is a kernel of flexforge.

    It is linear and reads the displacements ``given``, or bilinear and reads none.
    """
    domain = space.mesh
    kernel = ctypes.cast(getattr(library, f"tabulate_tensor_{term}"), ctypes.c_void_p).value
    values = [fem.Constant(domain, np.array(constants))._cpp_object]
    spaces = [space._cpp_object] * (2 if given is None else 1)
    coefficients = [] if given is None else [given._cpp_object]
    if OLD:
        integrals = {fem.IntegralType.cell: ([(-1, kernel)], None)}
        return dolfinx.cpp.fem.Form_float64(spaces, integrals, coefficients, values, False, None)
    cells = np.arange(domain.topology.index_map(domain.topology.dim).size_local, dtype=np.int32)
    read = np.arange(len(coefficients), dtype=np.int8)
    integrals = {fem.IntegralType.cell: [(0, kernel, cells, read)]}
    form = fem.form_cpp_class(np.float64)
    made = form(spaces, integrals, coefficients, values, False, [], mesh=domain._cpp_object)
    return fem.Form(made)


def matrix(form) -> np.ndarray:
    """Return an assembled matrix, dense."""
    if OLD:
        from dolfinx.fem import petsc

        assembled = petsc.assemble_matrix(form)
        assembled.assemble()
        return assembled[:, :]
    return fem.assemble_matrix(form).to_dense()


def displacements(space):
    """Return a smooth field of displacements."""
    field = fem.Function(space)
    flat = space.mesh.geometry.dim
    field.interpolate(lambda x: 1e-3 * np.cos(3 * x[:flat] + np.arange(flat)[:, None]))
    return field


def vector(form) -> np.ndarray:
    """Return an assembled vector."""
    if OLD:
        from dolfinx.fem import petsc

        return petsc.assemble_vector(form).array.copy()
    return fem.assemble_vector(form).array.copy()


def own(space, stiffness_degree: int, mass_degree: int) -> tuple[np.ndarray, np.ndarray]:
    """Return stiffness and mass by DOLFINx: plane strain in the plane, of a thickness."""
    u, v = ufl.TrialFunction(space), ufl.TestFunction(space)
    flat = space.mesh.geometry.dim
    strain, other = ufl.sym(ufl.grad(u)), ufl.sym(ufl.grad(v))
    stress = LAME * ufl.tr(strain) * ufl.Identity(flat) + 2 * SHEAR * strain
    thickness = THICKNESS if flat == 2 else 1.0
    first = ufl.dx(metadata={"quadrature_degree": stiffness_degree})
    second = ufl.dx(metadata={"quadrature_degree": mass_degree})
    forms = (
        thickness * ufl.inner(stress, other) * first,
        thickness * DENSITY * ufl.inner(u, v) * second,
    )
    stiffness, mass = (matrix(fem.form(form, dtype=np.float64)) for form in forms)
    return stiffness, mass


def main(folder: Path) -> int:
    """Compare every element and return 1 if one differs."""
    worst = 0.0
    for name, (cell, degree, *exact) in ELEMENTS.items():
        library = ctypes.CDLL(str((folder / f"{name}.so").resolve()))
        space = vector_space(block(cell, degree), degree)
        thickness = [THICKNESS] if cell in ("triangle", "quadrilateral") else []
        elastic = [YOUNG, POISSON, *thickness]
        field = displacements(space)
        ours = (
            matrix(custom(space, library, f"{name}_stiffness", elastic)),
            matrix(custom(space, library, f"{name}_mass", [DENSITY, *thickness])),
            vector(custom(space, library, f"{name}_stiffness_action", elastic, field)),
        )
        stiffness, mass = own(space, *exact)
        theirs = (stiffness, mass, stiffness @ field.x.array)
        differences = [abs(a - b).max() / abs(b).max() for a, b in zip(ours, theirs, strict=True)]
        worst = max(worst, *differences)
        print(
            f"{name:18} {len(mass):5d} unknowns, difference of the stiffness "
            f"{differences[0]:.1e}, of the mass {differences[1]:.1e}, of the forces "
            f"{differences[2]:.1e}"
        )
    print(f"DOLFINx {dolfinx.__version__}: {worst:.1e} is the largest difference")
    return int(not worst < 1e-12)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
