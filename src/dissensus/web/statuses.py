from dissensus.web.receiving import ComingError, TooLargeError
from dissensus.web.work.pool import BusyError

STATUS: dict[type[Exception], int] = {TooLargeError: 413, BusyError: 503, ComingError: 503}


def status_of(error: Exception) -> int:
    """The HTTP status of an answer that says what is wrong."""
    return next((code for kind, code in STATUS.items() if isinstance(error, kind)), 400)
