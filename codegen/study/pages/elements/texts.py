# SPDX-License-Identifier: BSD-3-Clause
"""Recommended use and limits of each element, and node numbering of other programs.

The facts come from the tests (locking, shells, rods) and the table in benchmarks/README.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: Text by the name of the page.
USES: Mapping[str, str] = MappingProxyType(
    {
        "bar2": (
            "Trusses, ties and taut cables: stiff only along its axis, with mass in every "
            "direction. Exact at the nodes for forces at the nodes. It has no bending stiffness; "
            "its only lateral stiffness is the geometric stiffness of its tension."
        ),
        "bar3": (
            "Like bar2, for curved bars or loads along the axis: the strain is linear along a "
            "straight bar. It has no bending stiffness."
        ),
        "euler_beam": (
            "Slender beams and frames: the cubic deflection is exact at the nodes for loads at "
            "the nodes; twenty elements give the three lowest frequencies of a slender beam to "
            "0.01 %. All inertia terms include rotary inertia and torsion. Not for short beams or "
            "beams with soft webs, because it neglects shear deformation; straight only."
        ),
        "timoshenko_beam": (
            "Beams, including short ones, with shear deformation. Even slender beams do not lock, "
            "because the shape functions satisfy equilibrium without load; without shear it is "
            "euler_beam. Exact at the nodes for loads at the nodes. Straight only; warping of the "
            "section is neglected."
        ),
        "tri3": (
            "Filling gaps between quadrilaterals, and very fine meshes. Its strain is constant: it "
            "is far too stiff in bending, where slender triangles give a few per cent of the "
            "deflection, and it locks at Poisson's ratios near 0.5."
        ),
        "tri6": (
            "Automatic meshes of plane parts of any shape: third order in displacements, no "
            "locking in bending, and almost none at Poisson's ratios near 0.5."
        ),
        "quad4": (
            "Compact plane parts without much bending; one of the cheapest elements. One element "
            "over the height of a slender beam gives a tenth of its deflection, and it locks at "
            "Poisson's ratios near 0.5: use quad4i or quad4s instead."
        ),
        "quad8": (
            "Plane parts with bending and stress concentrations: third order in displacements, no "
            "locking in bending. Near Poisson's ratio 0.5 it is somewhat too stiff; quad8r is "
            "not."
        ),
        "quad9": (
            "Like quad8, with the full biquadratic space. Near Poisson's ratio 0.5 it is somewhat "
            "too stiff."
        ),
        "tet4": (
            "Only if no other mesh than linear tetrahedra is available. Its strain is constant: "
            "it is far too stiff in bending and locks at Poisson's ratios near 0.5. Prefer tet10."
        ),
        "tet10": (
            "Automatic meshes of solids of any shape: no locking in bending, little at Poisson's "
            "ratios near 0.5."
        ),
        "pyramid5": (
            "The transition from hexahedra to tetrahedra. It is as stiff in bending as the linear "
            "elements that it connects, and it locks at Poisson's ratios near 0.5."
        ),
        "wedge6": (
            "Layers of triangles, and gaps between hexahedra. Too stiff in bending; it locks at "
            "Poisson's ratios near 0.5."
        ),
        "wedge15": (
            "Layers of triangles in bending: no locking in bending, little at Poisson's ratios "
            "near 0.5. It connects hex20 and tet10."
        ),
        "hex8": (
            "Compact solids, and explicit or matrix-free analyses that need a cheap element of "
            "regular structure. One element over the height of a slender beam gives a tenth of "
            "its deflection or less, and it locks at Poisson's ratios near 0.5: use hex8i or "
            "hex8s instead."
        ),
        "hex20": (
            "Solids in bending and with stress concentrations: no locking in bending. Near "
            "Poisson's ratio 0.5 it is somewhat too stiff; hex20r is not."
        ),
        "hex27": (
            "Like hex20, with the full triquadratic space. Near Poisson's ratio 0.5 it is somewhat "
            "too stiff."
        ),
        "quad4i": (
            "quad4 with incompatible bending modes, condensed in the kernel (Taylor, Beresford and "
            "Wilson 1976): one element over the height of a beam bends correctly, and there is no "
            "locking at Poisson's ratios near 0.5. It has no matrix-free action of the stiffness."
        ),
        "quad4s": (
            "quad4 in plane strain with the volumetric strain averaged over the element: no "
            "locking at Poisson's ratios near 0.5. As stiff in bending as quad4; isotropic "
            "materials only."
        ),
        "quad8r": (
            "quad8 with 2 x 2 points for the stiffness: softer in bending, no locking at "
            "Poisson's ratios near 0.5, and fewer operations. One element alone has one motion "
            "without strain besides the rigid ones; two that share a side have none."
        ),
        "quad8rm": (
            "quad8r whose mass and body loads have the 2 x 2 points of its stiffness as well, as "
            "CPS8R and CPE8R of CalculiX have. Its mass is singular: it is for statics, modes and "
            "implicit steps of bodies in prescribed frames."
        ),
        "hex8i": (
            "hex8 with incompatible bending modes, condensed in the kernel (Taylor, Beresford and "
            "Wilson 1976): one element over the height of a beam bends correctly, and there is no "
            "locking at Poisson's ratios near 0.5. It has no matrix-free action of the stiffness."
        ),
        "hex8s": (
            "hex8 with the volumetric strain averaged over the element: no locking at Poisson's "
            "ratios near 0.5. As stiff in bending as hex8; isotropic materials only."
        ),
        "hex20r": (
            "hex20 with 2 x 2 x 2 points for the stiffness: softer in bending, no locking at "
            "Poisson's ratios near 0.5, and fewer operations. One element alone has six motions "
            "without strain besides the rigid ones; a row, one cell wide, keeps three, two by two "
            "have none."
        ),
        "hex20rm": (
            "hex20r whose mass and body loads have the 2 x 2 x 2 points of its stiffness as well, "
            "as C3D20R of CalculiX has: its frequencies and displacements, to the last digit. Its "
            "mass is singular: it is for statics, modes and implicit steps of bodies in prescribed "
            "frames."
        ),
        "tri6f": (
            "tri6 with the 6 points of its mass for the stiffness as well: for elements with "
            "curved sides, which are softer with 3 points. With straight sides it equals tri6, "
            "with more operations. It gives frequencies from above, but not more accurate ones "
            "(docs/kernels.md, Quadrature)."
        ),
        "tet10f": (
            "tet10 with the 14 points of its mass for the stiffness as well: for elements with "
            "curved sides, which are softer with 4 points. With straight sides it equals tet10, "
            "with more operations. It gives frequencies from above, but not more accurate ones "
            "(docs/kernels.md, Quadrature)."
        ),
        "dkt3": (
            "Thin plates and shells of any shape, flat triangles in space, homogeneous or "
            "laminated: no shear locking, because there is no shear deformation. The membrane "
            "strain is constant: for narrow shells bent in their plane use dkt3d or mitc4. Not "
            "for thick plates, because it neglects shear."
        ),
        "dkt3d": (
            "dkt3 with drilling rotations, which bend its sides in the plane (Felippa's optimal "
            "triangle): webs, strips and plates bent in their plane, even with one cell over the "
            "width. Not for thin curved shells, where it is too stiff unless cells are smaller "
            "than the square root of radius times thickness: use mitc4 or dkt3 instead."
        ),
        "mitc4": (
            "Thin and moderately thick plates and shells, homogeneous or laminated: the "
            "assumed transverse shear strains of Dvorkin and Bathe prevent locking of thin plates, "
            "and the assumed membrane strain that of narrow shells bent in their plane."
        ),
        "point_mass": (
            "A mass at a node without rotations, with all inertia terms of the moving frame."
        ),
        "rigid_inertia": (
            "A rigid body at a node with rotations: mass, centre of mass, full inertia tensor, all "
            "inertia terms, and the stiffness of its rotations due to inertia forces."
        ),
        "spring": (
            "A spring along the line between two distinct nodes; its force stiffens it laterally. "
            "Dampers use the same kernel."
        ),
        "bushing": (
            "A joint between two nodes, with stiffness along and about three axes and all their "
            "couplings. Rigid motions of nodes at a distance take no energy. No prestress."
        ),
        "ground_bushing": "Like bushing, between a node and the moving frame.",
    }
)

#: Our node i is the node ORDERS[program][cell][i] of another program, if they differ.
ORDERS: Mapping[str, Mapping[str, tuple[int, ...]]] = MappingProxyType(
    {
        "VTK": {"wedge6": (0, 2, 1, 3, 5, 4)},
        "Gmsh": {
            "tet10": (0, 1, 2, 3, 4, 5, 6, 7, 9, 8),
            "wedge15": (0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11),
            "hex20": (0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15),
            "hex27": (
                0,
                1,
                2,
                3,
                4,
                5,
                6,
                7,
                8,
                11,
                13,
                9,
                16,
                18,
                19,
                17,
                10,
                12,
                14,
                15,
                22,
                23,
                21,
                24,
                20,
                25,
                26,
            ),
        },
        "Exodus": {
            "wedge15": (*range(9), 12, 13, 14, 9, 10, 11),
            "hex20": (*range(12), 16, 17, 18, 19, 12, 13, 14, 15),
            "hex27": (*range(12), 16, 17, 18, 19, 12, 13, 14, 15, 23, 24, 25, 26, 21, 22, 20),
        },
        "Abaqus": {
            "bar3": (0, 2, 1),
            "hex27": (*range(20), 26, 24, 23, 25, 21, 22, 20),
        },
    }
)

#: Strains by the name of the operator.
STRAINS: Mapping[str, str] = MappingProxyType({
    "small_strain": "linearised strain",
    "selective": "linearised strain, and the mean volumetric strain of the element",
    "axisymmetric": "linearised strain in the section, and the hoop strain",
    "axisymmetric_torsion": "linearised strain in the section and along circles",
})  # fmt: skip
