"""In which form a server takes requests: found out with the first one, and remembered."""

from dataclasses import replace
from typing import cast
from urllib.parse import urlsplit

from dissensus.eliciting.asking import Asker
from dissensus.eliciting.cache import Cache
from dissensus.eliciting.endpoints import OPENAI
from dissensus.eliciting.requests import LengthKey, Plan
from dissensus.eliciting.troubles import Trouble

SCHEMA, LIMIT = "json_schema", "length_key"
YES, NO = "yes", "no"


def first_plan(plan: Plan, found: dict[str, str]) -> Plan:
    """The plan in the form that is known to work, or most likely does."""
    structured = plan.question.structured
    is_openai = urlsplit(plan.question.base_url).hostname == urlsplit(OPENAI).hostname
    likely: LengthKey = "max_completion_tokens" if is_openai else "max_tokens"
    return replace(
        plan,
        as_json=found.get(SCHEMA, YES) == YES if structured == "auto" else structured == "json-schema",
        length_key=cast("LengthKey", found.get(LIMIT, likely)),
    )


def is_settled(plan: Plan, found: dict[str, str]) -> bool:
    """Whether nothing is left to find out."""
    return LIMIT in found and (plan.question.structured != "auto" or SCHEMA in found)


async def settle(plan: Plan, asker: Asker, cache: Cache) -> tuple[Plan, int | None]:
    """Ask one question in one form after the other until the server takes it.

    It is about the shortest item: one that is too long for a server would be refused in every form.

    A server that knows no JSON schemas refuses a request with one; then letters are asked for. Some models want the
    limit on tokens under its newer name, and say so.

    Returns
    -------
    Plan
        In the form that works, or as it was if none does.
    int, optional
        The number of the request, if it was asked.
    """
    url, model = plan.question.base_url, plan.question.model
    if is_settled(plan, cache.learned(url, model)):
        return plan, None
    trouble, number = None, _shortest(plan)
    for form in _forms(plan):
        request = form.request(number)
        is_known = cache.has_answer(request.key)
        trouble = None if is_known else await asker.ask(request, is_probe=True)
        await asker.saved()
        if trouble is None:
            cache.learn(url, model, _findings(form))
            return form, None if is_known else number
        if asker.is_halted or trouble.kind != "final":
            return plan, None if asker.is_halted else number
    await asker.record_failure(plan.request(number), trouble or Trouble("not asked", kind="final"))
    return plan, number


def _shortest(plan: Plan) -> int:
    """The number of the first request about the item with the shortest text."""
    lengths = [sum(map(len, item.texts)) for item in plan.items]
    return lengths.index(min(lengths)) * plan.per_item


def _findings(form: Plan) -> dict[str, str]:
    found: dict[str, str] = {LIMIT: form.length_key}
    if form.question.structured == "auto":
        found[SCHEMA] = YES if form.as_json else NO
    return found


def _forms(plan: Plan) -> list[Plan]:
    """The forms to try, the most wanted first."""
    other: LengthKey = "max_completion_tokens" if plan.length_key == "max_tokens" else "max_tokens"
    forms = [plan, replace(plan, length_key=other)]
    if plan.as_json and plan.question.structured == "auto":
        forms += [replace(form, as_json=False) for form in forms]
    return forms
