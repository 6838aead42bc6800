"""Each library, and logctl, links the libraries whose headers it includes, or gets them from one that it links.

A static build finds symbols in what others link; with shared libraries the linker takes them from nowhere else.
"""
import pathlib
import re

import layers
import tree

LIBRARY = re.compile(r"turnlog_library\((\w+)([^()]*)\)")
PROGRAM = re.compile(r"target_link_libraries\(logctl PRIVATE([^()]*)\)")


def linked_by(root, folder):
    """(name, public, private): the names of the libraries that the folder's target links; name None: no such target."""
    path = root / folder / "CMakeLists.txt"
    text = path.read_text() if path.exists() else ""
    library, program = LIBRARY.search(text), PROGRAM.search(text)
    if library is None:
        return (folder, set(), names_in(program.group(1))) if program else (None, set(), set())
    rest, _, private = library.group(2).partition("PRIVATE")
    return library.group(1), names_in(rest.partition("PUBLIC")[2]), names_in(private)


def names_in(text):
    return set(re.findall(r"\bturnlog_(\w+)", text))


def reachable(names, public_of):
    """With what they pass on."""
    found, left = set(), list(names)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left.extend(public_of.get(name, ()))
    return found


def check(root):
    rows = layers.read_table((root / "docs/architecture.md").read_text())
    owners = layers.public_headers(root, rows)
    targets = {folder: linked_by(root, folder) for folder in rows}
    public_of = {name: public for name, public, _ in targets.values()}
    problems = []
    for path in tree.files(root, {".cc", ".h"}):
        relative = path.relative_to(root)
        folder, _ = layers.layer_of(relative, owners, rows)
        name, public, private = targets.get(folder, (None, set(), set()))
        if name is None:
            continue
        linked = reachable(public | private | {name}, public_of)
        for header in layers.INCLUDE.findall(path.read_text()):
            if header in rows[folder].may_use:  # types alone
                continue
            ours = header.removeprefix("turnlog/")
            owner = owners.get(ours) if ours != header else layers.innermost(pathlib.PurePosixPath(header), rows)
            used = targets.get(owner, (None,))[0]
            if used is not None and used not in linked:
                problems.append(f"{relative}: #include {header}: {folder}/CMakeLists.txt does not link turnlog_{used}")
    return problems


if __name__ == "__main__":
    tree.main(check)
