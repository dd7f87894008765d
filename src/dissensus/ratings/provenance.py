from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where data came from.

    Attributes
    ----------
    name : str
        The file's name without its folder, or the kind of frame.
    sha256 : str, optional
        Hash of the file's bytes; None for a frame.
    format : str
        Format that was recognised, such as tidy or label-studio.
    rows, columns : int
        Shape of the table as it was read.
    """

    name: str
    sha256: str | None
    format: str
    rows: int
    columns: int

    def as_dict(self) -> dict[str, object]:
        """The fields by name, as the JSON has them."""
        return {
            "file": self.name,
            "sha256": self.sha256,
            "format": self.format,
            "rows": self.rows,
            "columns": self.columns,
        }
