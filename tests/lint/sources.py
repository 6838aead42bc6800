"""Sources are ASCII (tests may hold other letters, but none that cannot be seen), and none grows past 500 lines."""
import tree

MAX_LINES = 500


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
    return problems


if __name__ == "__main__":
    tree.main(check)
