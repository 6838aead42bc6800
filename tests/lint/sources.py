"""Sources are ASCII (tests may hold other letters, but none that cannot be seen), and none grows past 500 lines. Each
file with tests has a namespace of its own, because several are compiled as one."""
import re

import tree

MAX_LINES = 500
TEST = re.compile(r"^TEST(_F|_P)?\(", re.MULTILINE)


def is_plain(line, in_tests):
    return line.isascii() or (in_tests and line.isprintable())


def check(root):
    problems = []
    for path in tree.sources(root):
        lines = path.read_text(encoding="utf-8").split("\n")[:-1]
        relative = path.relative_to(root)
        for number, line in enumerate(lines, 1):
            if not is_plain(line, relative.parts[0] == "tests"):
                problems.append(f"{relative}:{number}: not ASCII; write it as an escape")
        if len(lines) > MAX_LINES:
            problems.append(f"{relative}: {len(lines)} lines; which second noun is hiding in it?")
        own = f"namespace turnlog::{path.stem} {{"
        if path.suffix == ".cc" and TEST.search("\n".join(lines)) and own not in lines:
            problems.append(f"{relative}: has tests, but not in a namespace of its own; open it with `{own}`")
    return problems


if __name__ == "__main__":
    tree.main(check)
