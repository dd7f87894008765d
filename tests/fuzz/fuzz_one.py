"""Fuzz one target with atheris until its time is over: `fuzz_one.py TARGET [options of libFuzzer] [corpus folders]`."""

import sys

import atheris

with atheris.instrument_imports(include=["dissensus"]):
    import targets


def main() -> None:
    """Hand over to libFuzzer, which ends the process."""
    name = sys.argv.pop(1)
    target = targets.TARGETS[name]

    def mutate(content: bytes, largest: int, seed: int) -> bytes:
        return targets.mutated_member(content, atheris.Mutate, largest, seed)

    more = {"custom_mutator": mutate} if name == "xlsx" else {}
    atheris.Setup(sys.argv, target.knock, **more)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
