"""What all the checks share: finding the project's files, and reporting."""
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE_SUFFIXES = {".cc", ".h", ".fbs", ".cmake", ".py", ".supp"}
SKIPPED_FOLDERS = {"build", ".git", ".cache", "__pycache__"}


def files(root, suffixes=None):
    """The project's own files below `root`, in order; without build results."""
    for path in sorted(root.iterdir()):
        if path.is_dir() and path.name not in SKIPPED_FOLDERS:
            yield from files(path, suffixes)
        elif path.is_file() and (suffixes is None or path.suffix in suffixes):
            yield path


def sources(root):
    for path in files(root):
        if path.suffix in SOURCE_SUFFIXES or path.name == "CMakeLists.txt":
            yield path


def main(check):
    """Runs `check` on the project (or on the folder given) and prints what it finds."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT
    problems = check(root)
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)
