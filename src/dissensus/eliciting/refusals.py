"""Whether a text that is no answer refuses to give one."""

import re

_APOLOGY = r"(?:(?:i'?m|i am|we are) (?:very |so |really )?sorry|sorry|i apologi[sz]e|my apologies|unfortunately)"
_CANNOT = (
    r"(?:i|we)(?:'m|'re| am| are)? (?:can ?not|can't|could not|couldn't|will not|won't|must decline|"
    r"refuse|decline|(?:unable|not able|not comfortable|uncomfortable|not allowed|not permitted)\b)"
)
_REFUSAL = re.compile(
    rf"\W*(?:{_APOLOGY}\b|{_CANNOT}|(?:as|i'?m|i am) an? (?:ai|artificial|language model|large language model)\b)",
    re.IGNORECASE,
)


def is_refusal(text: str) -> bool:
    """Whether a text starts as refusals do.

    Examples
    --------
    >>> is_refusal("I'm sorry, but I can't help with that."), is_refusal("I cannot rate this."), is_refusal("I see.")
    (True, True, False)
    """
    return _REFUSAL.match(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")) is not None
