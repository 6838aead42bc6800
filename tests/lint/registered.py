"""Every test and every source is built: some CMakeLists.txt names it, as seen from its own folder."""
import os
import re

import tree

SOURCE = re.compile(r"[\w./-]+\.cc\b")
PROGRAM = re.compile(r"^\s*turnlog_(bench|fuzz)\((\w+)", re.MULTILINE)  # built from X.cc, or fuzz_X.cc


def named_sources(lists):
    text = lists.read_text()
    names = SOURCE.findall(text)
    names += [f"{'fuzz_' if kind == 'fuzz' else ''}{name}.cc" for kind, name in PROGRAM.findall(text)]
    return {os.path.normpath(lists.parent / name) for name in names}


def check(root):
    named = set()
    for path in tree.files(root):
        if path.name == "CMakeLists.txt":
            named |= named_sources(path)
    return [f"{path.relative_to(root)}: no CMakeLists.txt names it, so it is never built"
            for path in tree.files(root, {".cc"}) if os.path.normpath(path) not in named]


if __name__ == "__main__":
    tree.main(check)
