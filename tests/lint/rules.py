"""The rules of inquiries have tests: each section of docs/inquiries.md has a row in docs/inquiry_rules.md, and the tests
that it names exist."""
import re

import tree

TEST = re.compile(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", re.MULTILINE)
DOCUMENT, TABLE = "docs/inquiries.md", "docs/inquiry_rules.md"


def rows(table):
    """[(section, [test])] of a table whose columns are section, rule and tests."""
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and len(cells) == 3 and cells[0] not in ("section", "---"):
            yield cells[0], re.findall(r"`(\w+\.\w+)`", cells[2])


def check(root):
    document, table = root / DOCUMENT, root / TABLE
    if not document.exists():
        return []
    tests = {".".join(name) for path in tree.sources(root / "tests") for name in TEST.findall(path.read_text())}
    found = list(rows(table.read_text())) if table.exists() else []
    sections = set(re.findall(r"^## (.+)$", document.read_text(), re.MULTILINE))
    problems = [f"no rule of the section {section}" for section in sorted(sections - {row[0] for row in found})]
    for section, names in found:
        problems += [] if section in sections else [f"there is no section {section}"]
        problems += [] if names else [f"a rule of {section} names no test"]
        problems += [f"there is no test {name}" for name in names if name not in tests]
    return [f"{TABLE}: {problem}" for problem in problems]


if __name__ == "__main__":
    tree.main(check)
