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


async def settle(plan: Plan, asker: Asker, cache: Cache) -> tuple[Plan, bool]:
    """Ask the first question in one form after the other until the server takes it.

    A server that knows no JSON schemas refuses a request with one; then letters are asked for. Some models want the
    limit on tokens under its newer name, and say so.

    Returns
    -------
    Plan
        In the form that works, or as it was if none does.
    bool
        Whether the first question was asked.
    """
    url, model = plan.question.base_url, plan.question.model
    if is_settled(plan, cache.learned(url, model)):
        return plan, False
    trouble = None
    for form in _forms(plan):
        request = form.request(0)
        is_known = cache.has_answer(request.key)
        trouble = None if is_known else await asker.ask(request, is_probe=True)
        await asker.saved()
        if trouble is None:
            cache.learn(url, model, _findings(form))
            return form, not is_known
        if asker.is_halted or trouble.kind != "final":
            return plan, not asker.is_halted
    await asker.record_failure(plan.request(0), trouble or Trouble("not asked", kind="final"))
    return plan, True


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
