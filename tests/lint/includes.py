"""A source includes what declares the libraries' names that it uses, itself or through headers of the project. Sources that
are compiled in batches borrow each other's includes, so the compiler does not notice there."""
import re

import tree

HEADER_OF = {"fmt::": "fmt/", "simdjson::": "simdjson.h", "RE2::": "re2/", "benchmark::": "benchmark/"}
INCLUDE = re.compile(r'^#include [<"]([^>"]+)[>"]', re.MULTILINE)
COMMENT = re.compile(r"//[^\n]*")
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')


class Includes:
    """What each file includes, directly or through the project's headers."""

    def __init__(self, root):
        self.root = root
        self.known = {}

    def of(self, path):
        if path not in self.known:
            self.known[path] = set()  # ends a circle
            direct = INCLUDE.findall(path.read_text(encoding="utf-8"))
            found = set(direct)
            for name in direct:
                for header in (self.root / name, self.root / "include" / name):
                    if header.is_file():
                        found |= self.of(header)
            self.known[path] = found
        return self.known[path]


def check(root):
    problems = []
    includes = Includes(root)
    for path in tree.files(root, {".cc", ".h"}):
        text = path.read_text(encoding="utf-8")
        names = STRING.sub("", COMMENT.sub("", text))
        for name, header in HEADER_OF.items():
            used = re.search(r"(?<![\w:])" + name, names)
            if used and not any(included.startswith(header) for included in includes.of(path)):
                problems.append(f"{path.relative_to(root)}: uses {name} without a header of <{header}>")
    return problems


if __name__ == "__main__":
    tree.main(check)
