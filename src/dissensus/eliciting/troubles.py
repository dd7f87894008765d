"""What can go wrong with a request, and what then."""

from typing import Literal

Kind = Literal["transient", "final", "fatal"]


class Trouble(Exception):  # noqa: N818 - not an error of ours: most troubles pass
    """A request without an answer.

    Attributes
    ----------
    kind : {"transient", "final", "fatal"}
        Worth another try, of no use to try again in this run, or the same for every other request.
    reason : str
        In one line, without the key.
    status : int, optional
        Of HTTP.
    wait : float, optional
        Seconds that the server asks to wait.
    is_spent : bool
        Whether the server may have charged for it all the same.
    is_unreachable : bool
        Whether nobody listens there at all.
    """

    def __init__(
        self,
        reason: str,
        *,
        kind: Kind,
        status: int | None = None,
        wait: float | None = None,
        is_spent: bool = False,
        is_unreachable: bool = False,
    ) -> None:
        super().__init__(reason)
        self.reason, self.kind, self.status, self.wait = reason, kind, status, wait
        self.is_spent, self.is_unreachable = is_spent, is_unreachable
