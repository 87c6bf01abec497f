"""Runs a script again where the packages it needs are: a virtual environment that lasts as long as it does."""
import pathlib
import subprocess
import sys
import tempfile


def run_again_with(*packages):
    """The exit status of the calling script, run with these requirements; 2 when they cannot be installed."""
    name = pathlib.Path(sys.argv[0]).name
    with tempfile.TemporaryDirectory() as folder:
        python = pathlib.Path(folder, 'bin/python')
        install = [python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', *packages]
        for command in ([sys.executable, '-m', 'venv', folder], install):
            if subprocess.run(command, stdout=subprocess.DEVNULL).returncode != 0:
                print(f'{name}: error: could not be installed: {" ".join(packages)}', file=sys.stderr)
                return 2
        return subprocess.run([python, *sys.argv]).returncode
