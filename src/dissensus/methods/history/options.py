"""Options of `history`."""

from dataclasses import dataclass

from dissensus.options import Options, option


@dataclass(frozen=True, kw_only=True)
class HistoryOptions(Options):
    """What the user asked for, as in `history`."""

    judge: tuple[str, ...] | None = option(None, metavar="J", help="A judge to look at; may be repeated.")
    by: str | None = option(
        None, metavar="COL", help="Follow the slices of a column that runs were recorded by, such as a month."
    )
    alpha: float = option(
        0.05, metavar="A", above=0, below=1, wants="give a small share, such as 0.05",
        help="Chance of ever calling a change of a series real when there is none.",
    )  # fmt: skip
