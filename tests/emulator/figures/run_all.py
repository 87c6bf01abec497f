"""Runs programs one after another, each in a process of its own that starts with PyTorch loaded.

usage: run_all.py PROGRAMS RUNS RESULTS

RUNS: a JSON list of [program, argument...], programs being files of the folder PROGRAMS.
RESULTS: for each, the last line of JSON it printed, or {"error": "why there is none"}.
"""
import json
import os
import pathlib
import runpy
import sys
import tempfile
import warnings

import torch  # noqa: F401  (loaded once, before the processes part; nothing has touched the device yet)


def become(program, arguments, output):
    """In the child: the program as if it had been started alone."""
    for stream in (1, 2):
        os.dup2(output.fileno(), stream)
    sys.argv = [str(program), *arguments]
    sys.path.insert(0, str(program.parent))
    warnings.filterwarnings("ignore")
    runpy.run_path(str(program), run_name="__main__")


def result_of(program, arguments):
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                become(program, arguments, output)
                status = 0
            except BaseException as problem:
                print(f"\n{type(problem).__name__}: {problem}".splitlines()[1], file=sys.stderr)
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        output.seek(0)
        lines = output.read().decode(errors="replace").split("\n")
    if status != 0:
        return {"error": f"status {status}: {next((line for line in reversed(lines) if line), 'no output')}"}
    for line in reversed(lines):
        if line.startswith("{"):
            return json.loads(line)
    return {"error": "it printed no figures"}


def main():
    programs, runs, results = (pathlib.Path(argument) for argument in sys.argv[1:4])
    found = [result_of(programs / program, arguments) for program, *arguments in json.loads(runs.read_text())]
    results.write_text(json.dumps(found))


main()
