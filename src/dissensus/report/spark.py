from collections.abc import Sequence

BLOCKS = " ▁▂▃▄▅▆▇█"


def sparkline(values: Sequence[float]) -> str:
    """A line of block characters, one for each value; the largest is a full block, and only nothing is blank.

    Examples
    --------
    >>> sparkline([0, 1, 4, 8])
    ' ▁▄█'
    >>> sparkline([0, 0])
    '  '
    """
    largest = max(values, default=0)
    steps = len(BLOCKS) - 1
    return "".join(BLOCKS[max(round(v / largest * steps), 1)] if v > 0 else BLOCKS[0] for v in values)
