from collections.abc import Mapping

from dissensus.report.numbers import counted


def interval_sentence(settings: Mapping[str, object], shown: str = "Brackets hold") -> str:
    """What the intervals mean, and how they are shown; empty if there are none."""
    bootstrap, confidence = settings.get("bootstrap"), settings.get("confidence", 0.95)
    if not isinstance(bootstrap, int) or not bootstrap or not isinstance(confidence, float):
        return ""
    return (
        f"{shown} {100 * confidence:g}% intervals: how far a number would move if other items of the same kind "
        f"had been rated ({counted(bootstrap, 'bootstrap sample')} of the items)."
    )
