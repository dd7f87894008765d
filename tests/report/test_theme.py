"""Colours that colour-blind readers, grey printers and weak eyes can tell apart."""

from itertools import combinations

import pytest

from dissensus.methods.parts.result import PartsResult
from dissensus.report.charts import DARK, LIGHT, PAGE, style_variables, vega_config
from dissensus.report.specs.shapes import COLOURS, SHAPES
from dissensus.report.views.section import judge_slots

THEMES = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])

# Machado, Oliveira and Fernandes (2009), table 1, severity 1.0, for linear RGB.
COLOUR_BLINDNESS = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def linear(colour):
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]


def luminance(colour):
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear(colour), strict=True))


def contrast(one, other):
    """WCAG 2.2, relative luminance and contrast ratio."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def cube_root(t):
    return t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116


def lab(rgb):
    """CIE L*a*b* of linear sRGB, D65."""
    r, g, b = (min(max(c, 0), 1) for c in rgb)
    x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089
    fx, fy, fz = cube_root(x), cube_root(y), cube_root(z)
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def difference(one, other):
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) ** 0.5


@THEMES
def test_text_stands_out_from_the_paper(colours):
    assert contrast(colours.ink, colours.paper) >= 7  # WCAG 1.4.6, enhanced
    assert contrast(colours.quiet, colours.paper) >= 4.5  # WCAG 1.4.3


@THEMES
def test_every_series_stands_out_from_the_paper(colours):
    assert min(contrast(colour, colours.paper) for colour in colours.series) >= 3  # WCAG 1.4.11


@THEMES
def test_the_first_three_series_differ_in_grey(colours):
    lightness = [lab(linear(colour))[0] for colour in colours.series[:3]]
    assert min(abs(a - b) for a, b in combinations(lightness, 2)) >= 14


@THEMES
@pytest.mark.parametrize("kind", COLOUR_BLINDNESS)
def test_the_first_four_series_differ_for_colour_blind_readers(colours, kind):
    def seen(colour):
        rgb = linear(colour)
        return lab([sum(m * c for m, c in zip(row, rgb, strict=True)) for row in COLOUR_BLINDNESS[kind]])

    # 2.3 is a just noticeable difference; ten of them are told apart at a glance
    assert min(difference(seen(a), seen(b)) for a, b in combinations(colours.series[:4], 2)) >= 20


def test_every_series_has_a_colour_and_every_pair_of_colour_and_shape_is_one_judge():
    assert len(LIGHT.series) == len(DARK.series) == len(PAGE.series) == COLOURS
    assert len(set(SHAPES)) == len(SHAPES)
    names = [f"judge {i}" for i in range(60)]
    data = {"judges": {"judges": names}}
    slots = judge_slots(PartsResult(settings={}, data=data, method="", parts=()), names)
    drawn = {(slot % COLOURS, slot % len(SHAPES)) for slot in slots.values()}
    assert len(drawn) == 60
    assert not any(colour == 0 for colour, _ in drawn)  # that of people


def test_the_page_has_a_variable_for_each_colour_that_charts_use():
    assert set(style_variables(LIGHT)) == set(style_variables(DARK))
    used = [PAGE.ink, PAGE.quiet, PAGE.line, *PAGE.series]
    assert {f"var(--{name})" for name in style_variables(LIGHT)} >= set(used)


def test_the_light_and_dark_configurations_differ_in_colours_only():
    light, dark = str(vega_config("light")), str(vega_config("dark"))
    for name, colour in style_variables(DARK).items():
        dark = dark.replace(f"'{colour}'", name)
    for name, colour in style_variables(LIGHT).items():
        light = light.replace(f"'{colour}'", name)
    assert light == dark
