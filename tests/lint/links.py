"""No link in the documentation is dead: the file is there, and so is the heading that it points at."""
import re

import tree

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def anchors(text):
    """The names that headings get on the usual hosts."""
    headings = re.findall(r"^#+ +(.+?) *$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def problem_with(target, document):
    if re.match(r"[a-z]+:", target):
        return None  # outside
    name, _, anchor = target.partition("#")
    path = document.parent / name if name else document
    if not path.exists():
        return "is not there"
    if anchor and path.suffix == ".md" and anchor not in anchors(path.read_text()):
        return "has no such heading"
    return None


def check(root):
    problems = []
    for document in tree.files(root, {".md"}):
        text = FENCE.sub(lambda match: "\n" * match.group(0).count("\n"), document.read_text())
        for match in LINK.finditer(text):
            reason = problem_with(match.group(1), document)
            if reason:
                line = text.count("\n", 0, match.start()) + 1
                problems.append(f"{document.relative_to(root)}:{line}: {match.group(1)} {reason}")
    return problems


if __name__ == "__main__":
    tree.main(check)
