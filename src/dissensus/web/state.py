from dataclasses import dataclass

from starlette.requests import Request

from dissensus.web.settings import Settings
from dissensus.web.uploads import Uploads
from dissensus.web.work.pool import JobBook, Pool, QuickAnswers


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What the pages share while the server runs."""

    settings: Settings
    session: str
    uploads: Uploads
    jobs: JobBook
    long: Pool
    quick: QuickAnswers
    scripts: QuickAnswers

    def tidy(self) -> None:
        """Remove files and answers that are old or too many."""
        for data in self.uploads.tidy():
            self.jobs.forget_data(data)
        self.jobs.tidy()


def desk_of(request: Request) -> Desk:
    """The desk of the server that got a request."""
    desk = request.app.state.desk
    assert isinstance(desk, Desk)  # noqa: S101 - made before the first request
    return desk
