# SPDX-License-Identifier: BSD-3-Clause
"""The keywords of decks: which are read, which say nothing about mechanics, which are refused."""

from __future__ import annotations

#: Read with the mesh.
MESH = ("NODE", "ELEMENT", "NSET", "ELSET", "SURFACE", "PART", "ENDPART", "ASSEMBLY",
        "ENDASSEMBLY", "INSTANCE", "ENDINSTANCE")  # fmt: skip
#: Data of a material, below its *MATERIAL.
OF_MATERIALS = ("ELASTIC", "DENSITY", "EXPANSION", "DAMPING", "HYPERELASTIC", "HYPERFOAM")
#: Read where they stand in the model, before the steps or within one.
OF_MODELS = ("MATERIAL", *OF_MATERIALS, "SOLIDSECTION", "SHELLSECTION", "BEAMSECTION",
             "BEAMGENERALSECTION", "ORIENTATION", "NODALTHICKNESS", "NORMAL", "TRANSFORM",
             "EQUATION", "BOUNDARY", "AMPLITUDE", "INITIALCONDITIONS",
             "SPRING", "DASHPOT", "RIGIDBODY", "DISTRIBUTINGCOUPLING", "MPC", "TIE",
             "CYCLICSYMMETRYMODEL", "PRE-TENSIONSECTION")  # fmt: skip
#: What a step computes.
PROCEDURES = ("STATIC", "FREQUENCY", "BUCKLE", "DYNAMIC", "MODALDYNAMIC", "STEADYSTATEDYNAMICS",
              "COMPLEXFREQUENCY")  # fmt: skip
#: Read within steps.
OF_STEPS = (
    "CLOAD",
    "DLOAD",
    "TEMPERATURE",
    "NODEPRINT",
    "ELPRINT",
    "MODALDAMPING",
    "SELECTCYCLICSYMMETRYMODES",
    "CONTROLS",
)
#: Requests of a file of results for CalculiX's viewer.
FILES = ("NODEFILE", "ELFILE")
#: Text for people, and files of results for viewers, of which every run writes some.
WORDLESS = ("HEADING", "NODEFILE", "ELFILE", "NODEOUTPUT", "ELEMENTOUTPUT", "OUTPUT", "PREPRINT",
            "TIMEPOINTS", "RESTART", "PRINT")  # fmt: skip
#: Why others are refused, in words.
REFUSED = {
    "PLASTIC": "materials are elastic",
    "CREEP": "materials are elastic",
    "VISCO": "materials are elastic",
    "DEFORMATIONPLASTICITY": "materials are elastic",
    "CYCLICHARDENING": "materials are elastic",
    "USERMATERIAL": "laws of users are formulas of an energy (docs/howto/energies.md)",
    "HEATTRANSFER": "there is no heat conduction",
    "COUPLEDTEMPERATURE-DISPLACEMENT": "there is no heat conduction",
    "UNCOUPLEDTEMPERATURE-DISPLACEMENT": "there is no heat conduction",
    "CONTACTPAIR": "surfaces of meshes have no contact; joints and points have",
    "FLUIDSECTION": "there are no fluids",
    "CFD": "there are no fluids",
    "ELECTROMAGNETICS": "there are no electromagnetic fields",
    "SENSITIVITY": "there are no design variables",
    "DESIGNVARIABLES": "there are no design variables",
    "SUBMODEL": "there are no submodels",
    "MODELCHANGE": "elements take part in all steps",
}
KNOWN = (*MESH, *OF_MODELS, *PROCEDURES, *OF_STEPS, *WORDLESS, "STEP", "ENDSTEP")
