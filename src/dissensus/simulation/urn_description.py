"""An urn and its classifiers from plain data, as a TOML file has them."""

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from dissensus.errors import OptionError
from dissensus.ratings.labels import Scale
from dissensus.simulation.classifiers import Classifier, HardClassifier, SoftClassifier
from dissensus.simulation.urn import Urn

_KEYS = {
    "urn": ("labels", "scale", "states", "judges"),
    "state": ("share", "labels"),
    "judge": ("name", "kind", "outputs", "consistency", "temperature", "noise", "decimals"),
}
_SOFT_ONLY = ("temperature", "noise", "decimals")


def urn_from(description: Mapping[str, object]) -> tuple[Urn, tuple[Classifier, ...]]:
    """The urn and the classifiers that a description names.

    Parameters
    ----------
    description : mapping
        `labels` (a list), `scale` (nominal if not given), `states` (each with a `share` of the items and a list
        `labels` with the share of raters who give each label), and `judges` (each with a `name`, a `kind`, hard or
        soft, and `outputs`: for each state the probability of each answer; optionally what HardClassifier and
        SoftClassifier take besides).

    Examples
    --------
    >>> urn, judges = urn_from({
    ...     "labels": ["no", "yes"],
    ...     "states": [{"share": 0.5, "labels": [0.9, 0.1]}, {"share": 0.5, "labels": [0.2, 0.8]}],
    ...     "judges": [{"name": "good", "kind": "hard", "outputs": [[1, 0], [0, 1]]}],
    ... })
    >>> urn.n_states, judges[0].name
    (2, 'good')
    """
    _check_keys("urn", description)
    states = _tables(description, "states")
    if not states:
        raise OptionError("The urn has no states: write [[states]] tables, each with a share and labels.")
    for state in states:
        _check_keys("state", state)
    urn = Urn(
        labels=tuple(str(label) for label in _list(description, "labels")),
        states=_matrix([state.get("labels") for state in states], "labels of the states"),
        weights=_matrix([state.get("share") for state in states], "shares of the states"),
        scale=cast("Scale", description.get("scale", "nominal")),
    )
    return urn, tuple(_classifier(judge) for judge in _tables(description, "judges"))


def _classifier(judge: Mapping[str, object]) -> Classifier:
    _check_keys("judge", judge)
    name, kind = str(judge.get("name", "")), judge.get("kind", "hard")
    if kind not in {"hard", "soft"}:
        raise OptionError.unknown(f"The kind of the judge {name}", kind, ("hard", "soft"))
    outputs = _matrix(judge.get("outputs"), f"outputs of the judge {name}")
    consistency = _number(judge, "consistency", 0.0)
    if kind == "hard":
        soft = [key for key in _SOFT_ONLY if key in judge]
        if soft:
            raise OptionError(f"The judge {name} is hard and has no {soft[0]}: make it soft, or leave that out.")
        return HardClassifier(name=name, outputs=outputs, consistency=consistency)
    return SoftClassifier(
        name=name,
        outputs=outputs,
        consistency=consistency,
        temperature=_number(judge, "temperature", 1.0),
        noise=_number(judge, "noise", 0.0),
        decimals=int(_number(judge, "decimals", 0)) or None,
    )


def _number(table: Mapping[str, object], key: str, default: float) -> float:
    value = table.get(key, default)
    if not isinstance(value, int | float):
        raise OptionError(f"{key} must be a number, and it is {value!r}.")
    return float(value)


def _check_keys(what: str, table: Mapping[str, object]) -> None:
    unknown = [key for key in table if key not in _KEYS[what]]
    if unknown:
        raise OptionError(f"A {what} has no key {unknown[0]!r}: its keys are {', '.join(_KEYS[what])}.")


def _list(table: Mapping[str, object], key: str) -> Sequence[object]:
    value = table.get(key, [])
    if not isinstance(value, list):
        raise OptionError(f"{key} must be a list, and it is {value!r}.")
    return value


def _tables(table: Mapping[str, object], key: str) -> list[Mapping[str, object]]:
    value = _list(table, key)
    if not all(isinstance(entry, dict) for entry in value):
        raise OptionError(f"{key} must be [[{key}]] tables.")
    return cast("list[Mapping[str, object]]", list(value))


def _matrix(value: object, what: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    try:
        return np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise OptionError(f"The {what} must be numbers, as many for each: {error}.") from error
