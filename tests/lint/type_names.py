"""Each type has a name of its own: two that share one within a namespace are one type to the linker, which says nothing."""
import collections
import re

import tree

NAMESPACE = re.compile(r"^namespace(?: (?P<name>[\w:]+))? \{$")
NAMESPACE_END = re.compile(r"^\}  // namespace\b")
TYPE = re.compile(r"^(?:class|struct|union|enum class)(?: \[\[\w+\]\])? (?P<name>\w+)(?: final)?(?: : .*| \{.*)$")


def types(text):
    """The qualified names of the types that a file defines outside of unnamed namespaces."""
    spaces = []
    for line in text.splitlines():
        if match := NAMESPACE.match(line):
            spaces.append(match["name"])
        elif NAMESPACE_END.match(line) and spaces:
            spaces.pop()
        elif (match := TYPE.match(line)) and None not in spaces:
            yield "::".join([*spaces, match["name"]])


def check(root):
    places = collections.defaultdict(list)
    for path in tree.sources(root):
        if path.suffix in (".h", ".cc"):
            for name in types(path.read_text(encoding="utf-8")):
                places[name].append(str(path.relative_to(root)))
    return [f"{name} is defined in {', '.join(found)}" for name, found in sorted(places.items()) if len(found) > 1]


if __name__ == "__main__":
    tree.main(check)
