# SPDX-License-Identifier: BSD-3-Clause
"""What each element is good for and what not, and how other programs number its nodes.

The facts are those of the tests (locking, shells, rods) and of the table in benchmarks/README.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: By the name of the page.
USES: Mapping[str, str] = MappingProxyType(
    {
        "bar2": (
            "Trusses, ties and cables that stay taut: stiff along its axis alone, with mass in "
            "every direction. Exact at the nodes for forces at the nodes. It resists no bending, "
            "and sideways it is held by its tension alone, in the geometric stiffness."
        ),
        "bar3": (
            "As bar2, curved or with a load along it: the strain is linear along a straight bar. "
            "It resists no bending."
        ),
        "euler_beam": (
            "Slender beams and frames: the cubic deflection is exact at the nodes for loads at "
            "the nodes; twenty elements give the three lowest frequencies of a slender beam to "
            "0.01 %. Rotary inertia and torsion are in every inertia term. Not for short or "
            "soft-webbed beams, whose shear it leaves out, and straight only."
        ),
        "timoshenko_beam": (
            "Beams, short ones too: shear deforms it, and it does not lock however slender it is, "
            "for its functions satisfy equilibrium without load; with no shear it is euler_beam. "
            "Exact at the nodes for loads at the nodes. Straight only; warping of the section is "
            "left out."
        ),
        "tri3": (
            "Filling what quadrilaterals leave, and meshes of much detail. Its strain is "
            "constant: it is far too stiff in bending, where slender triangles give a few per "
            "cent of the deflection, and it locks at Poisson's ratios near 0.5."
        ),
        "tri6": (
            "Plane parts of any shape meshed automatically: third order in displacements, no "
            "locking in bending, and nearly none at Poisson's ratios near 0.5."
        ),
        "quad4": (
            "Coarse loads on plane parts of compact shape, one of the cheapest elements. One "
            "element across a slender beam gives a tenth of its deflection, and it locks at "
            "Poisson's ratios near 0.5: quad4i and quad4s are the remedies."
        ),
        "quad8": (
            "Plane parts with bending and stress concentrations: third order in displacements, no "
            "locking in bending. Near Poisson's ratio 0.5 it is somewhat too stiff; quad8r is "
            "not."
        ),
        "quad9": (
            "As quad8, with the whole biquadratic space. Near Poisson's ratio 0.5 it is somewhat "
            "too stiff."
        ),
        "tet4": (
            "Where a mesh of tetrahedra with corners only is all there is. Its strain is "
            "constant: it is far too stiff in bending and locks at Poisson's ratios near 0.5. "
            "Prefer tet10."
        ),
        "tet10": (
            "Solids of any shape meshed automatically: no locking in bending, little at Poisson's "
            "ratios near 0.5."
        ),
        "pyramid5": (
            "The passage from hexahedra to tetrahedra. By itself as stiff in bending as the "
            "linear elements it joins, and it locks at Poisson's ratios near 0.5."
        ),
        "wedge6": (
            "Layers of triangles, and what hexahedra leave. Too stiff in bending; it locks at "
            "Poisson's ratios near 0.5."
        ),
        "wedge15": (
            "Layers of triangles with bending: no locking there, little at Poisson's ratios near "
            "0.5. It joins hex20 and tet10."
        ),
        "hex8": (
            "Compact solids and explicit or matrix-free runs, where a cheap element of regular "
            "structure counts. One element across a slender beam gives a tenth of its deflection "
            "or less, and it locks at Poisson's ratios near 0.5: hex8i and hex8s are the "
            "remedies."
        ),
        "hex20": (
            "Solids in bending and with stress concentrations: no locking in bending. Near "
            "Poisson's ratio 0.5 it is somewhat too stiff; hex20r is not."
        ),
        "hex27": (
            "As hex20, with the whole triquadratic space, and sums axis by axis in its "
            "matrix-free actions. Near Poisson's ratio 0.5 it is somewhat too stiff."
        ),
        "quad4i": (
            "quad4 with bending modes of its own, condensed in the kernel (Taylor, Beresford and "
            "Wilson 1976): one element across the height of a beam bends as it should, and "
            "nothing locks at Poisson's ratios near 0.5. It has no matrix-free action of the "
            "stiffness."
        ),
        "quad4s": (
            "quad4 of plane strain whose change of volume is the mean over the element: no "
            "locking at Poisson's ratios near 0.5. As stiff in bending as quad4; isotropic "
            "materials only."
        ),
        "quad8r": (
            "quad8 with 2 x 2 points for the stiffness: softer in bending, no locking at "
            "Poisson's ratios near 0.5, and fewer operations. One element alone has one motion "
            "without strain beside the rigid ones; two that share a side have none."
        ),
        "hex8i": (
            "hex8 with bending modes of its own, condensed in the kernel (Taylor, Beresford and "
            "Wilson 1976): one element across the height of a beam bends as it should, and "
            "nothing locks at Poisson's ratios near 0.5. It has no matrix-free action of the "
            "stiffness."
        ),
        "hex8s": (
            "hex8 whose change of volume is the mean over the element: no locking at Poisson's "
            "ratios near 0.5. As stiff in bending as hex8; isotropic materials only."
        ),
        "hex20r": (
            "hex20 with 2 x 2 x 2 points for the stiffness: softer in bending, no locking at "
            "Poisson's ratios near 0.5, and fewer operations. One element alone has six motions "
            "without strain beside the rigid ones; two that share a face have none."
        ),
        "tri6f": (
            "tri6 with the 6 points of its mass for the stiffness as well: for elements with "
            "curved sides, where 3 points make it softer. Where sides are straight it is tri6, at "
            "more operations. Frequencies are from above, not nearer (docs/kernels.md, Quadrature)."
        ),
        "tet10f": (
            "tet10 with the 14 points of its mass for the stiffness as well: for elements with "
            "curved sides, where 4 points make it softer. Where sides are straight it is tet10, at "
            "more operations. Frequencies are from above, not nearer (docs/kernels.md, "
            "Quadrature)."
        ),
        "dkt3": (
            "Thin plates and shells of any shape, flat triangles in space, homogeneous or "
            "laminated: no locking in shear, for there is none. The membrane strain is constant: a "
            "narrow shell that bends in its plane wants dkt3d or mitc4. Not for thick plates, "
            "whose shear it leaves out."
        ),
        "dkt3d": (
            "dkt3 whose sides bow as its nodes turn about the normal (Felippa's optimal triangle): "
            "webs, strips and plates that bend in their plane, also with one cell across. Not for "
            "thin curved shells, where it is too stiff until cells are smaller than the root of "
            "radius times thickness; mitc4 and dkt3 are the remedies."
        ),
        "mitc4": (
            "Thin and moderately thick plates and shells, homogeneous or laminated: the "
            "transverse shears of Dvorkin and Bathe do not lock however thin the plate is, and the "
            "assumed membrane strain does not where a narrow shell bends in its plane."
        ),
        "point_mass": (
            "A mass at a node that has no rotation, with every inertia term of the moving frame."
        ),
        "rigid_inertia": (
            "A rigid body at a node with rotations: mass, centre of mass, full tensor of inertia, "
            "every inertia term and the stiffness that inertia forces give to its turns."
        ),
        "spring": (
            "A spring along the line between two nodes that are apart; its force stiffens it "
            "sideways. Dampers use the same kernel."
        ),
        "bushing": (
            "A joint between two nodes, with stiffness along and about three axes and all their "
            "couplings. A rigid motion of nodes that are apart costs no energy. No prestress."
        ),
        "ground_bushing": "As bushing, between a node and the moving frame.",
    }
)

#: Our node i is the node ORDERS[program][cell][i] of another program, where the two differ.
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
    "selective": "linearised strain, and the mean change of volume of the element",
    "axisymmetric": "linearised strain in the section, and the hoop strain",
})  # fmt: skip
