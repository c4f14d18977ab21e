# SPDX-License-Identifier: BSD-3-Clause
"""Full spectra of synthetic orbits: circles, ellipses, and one whose speed rises."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime.results.full_spectrum import evenly, full_spectrum, waterfall

TIMES = np.linspace(0.0, 2.0, 4000, endpoint=False)
STEP = 5e-4


@pytest.mark.parametrize("hertz", [50.0, -50.0, 50.1, 50.25, 50.37, -123.456, 7.77])
def test_the_amplitude_of_a_circle_is_its_radius(hertz: float) -> None:
    """Forward and backward, also between the lines of the spectrum, beside a deflection."""
    z = 5.0 - 3.0j + 0.3 * np.exp(2j * np.pi * hertz * TIMES + 0.4j)
    frequencies, amplitudes = full_spectrum(STEP, z)
    assert (np.diff(frequencies) > 0.0).all() and abs(frequencies).max() == 0.5 / STEP
    top = int(amplitudes.argmax())
    assert amplitudes[top] == pytest.approx(0.3, rel=3e-3)
    assert frequencies[top] == pytest.approx(hertz, abs=0.5 / 16)
    other = np.abs(frequencies - hertz) > 5.0
    assert amplitudes[other].max() < 1e-3 * 0.3


def test_an_ellipse_has_both_senses() -> None:
    """Semi-axes 3 and 1, inclined, run backward: half their sum backward, half the rest forward."""
    z = np.exp(0.5j) * (3.0 * np.cos(2 * np.pi * 40 * TIMES) - 1j * np.sin(2 * np.pi * 40 * TIMES))
    frequencies, amplitudes = full_spectrum(STEP, z)
    found = [amplitudes[np.abs(frequencies - f).argmin()] for f in (-40.0, 40.0)]
    assert found == pytest.approx([2.0, 1.0], rel=1e-6)


def test_uneven_times_are_evened() -> None:
    """Steps that grow fourfold: the circle is still there, to the error of straight lines."""
    uneven = np.cumsum(np.linspace(1e-4, 4e-4, 8000))
    even, z = evenly(uneven, np.exp(2j * np.pi * 30.0 * uneven))
    assert len(even) == 8000 and np.ptp(np.diff(even)) < 1e-12
    assert np.abs(z - np.exp(2j * np.pi * 30.0 * even)).max() < (2 * np.pi * 30 * 4e-4) ** 2 / 7
    assert np.array_equal(evenly(TIMES, z[:4000])[0], TIMES)


def test_a_waterfall_follows_a_chirp() -> None:
    """A backward circle whose frequency is 20 + 60 t: in every piece that of its middle."""
    z = 0.2 * np.exp(-2j * np.pi * (20 * TIMES + 30 * TIMES**2))
    middles, frequencies, amplitudes = waterfall(TIMES, z, 200, 40)
    assert amplitudes.shape == (40, len(frequencies))
    tops = frequencies[amplitudes.argmax(axis=1)]
    assert tops == pytest.approx(-(20 + 60 * middles), abs=2 * 0.5 / (200 * STEP))
    assert middles[0] == pytest.approx(0.5 * 199 * STEP) and middles[-1] < 2.0 - 0.5 * 199 * STEP
    assert amplitudes.max(axis=1) == pytest.approx(0.2, rel=0.1)
    kept = waterfall(TIMES, z, 200, 40, reach=100.0)
    inside = np.abs(frequencies) <= 100.0
    assert np.array_equal(kept[1], frequencies[inside])
    assert np.array_equal(kept[2], amplitudes[:, inside])


def test_long_motions_have_fewer_zeros(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines between those of the spectrum keep 0.85 of a circle without any zeros (Hann)."""
    monkeypatch.setattr("flexforge.runtime.results.full_spectrum._MOST", 5000)
    between = 2 * np.pi * 50.25 * TIMES  # half a line of 0.5 Hz
    frequencies, amplitudes = full_spectrum(STEP, np.exp(1j * between))
    assert len(frequencies) == len(TIMES)
    assert amplitudes.max() == pytest.approx(8 / (3 * np.pi), rel=1e-4)
