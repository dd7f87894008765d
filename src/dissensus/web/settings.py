from dataclasses import dataclass

MEGABYTE = 2**20
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the server allows.

    Attributes
    ----------
    host, port
        Where it listens.
    token : str, optional
        What a visitor must know; None on this machine only.
    largest_upload : int
        Bytes of all files of one upload.
    keep_seconds : float
        Uploads and answers are forgotten after so long.
    request_seconds : float
        A connection must have sent a complete request after so long.
    upload_seconds : float
        The same for one that uploads files.
    most_half_open : int
        Connections that may wait for the rest of their request; of more the oldest is dropped.
    reports_at_once : int
        Long jobs that run at the same time.
    most_waiting : int
        Long jobs that may wait for their turn.
    longest_job : float
        Seconds that one job may take.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = None
    largest_upload: int = 200 * MEGABYTE
    keep_seconds: float = 3600.0
    request_seconds: float = 10.0
    upload_seconds: float = 600.0
    most_half_open: int = 200
    reports_at_once: int = 2
    most_waiting: int = 20
    longest_job: float = 1800.0
