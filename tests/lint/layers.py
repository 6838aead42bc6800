"""Dependencies point one way: every #include is one that the table in docs/architecture.md, "Layers", allows."""
import pathlib
import re

import tree

# Who is behind a header in <> or "". What is not listed must be C++'s own, POSIX, or the processor's.
THIRD_PARTY = {
    "benchmark/": "benchmark", "boost/": "boost", "CLI/": "CLI11", "event_generated.h": "flatbuffers",
    "flatbuffers/": "flatbuffers",
    "fmt/": "fmt", "gmock/": "gtest", "gtest/": "gtest", "leveldb/": "leveldb", "libpq-fe.h": "libpq", "lmdb.h": "lmdb",
    "openssl/": "openssl", "rapidjson/": "rapidjson", "re2/": "re2", "rocksdb/": "rocksdb", "simdjson.h": "simdjson",
    "sqlite3.h": "sqlite3", "utf8proc.h": "utf8proc", "xxhash.h": "xxhash", "zlib.h": "zlib", "zstd.h": "zstd", "zdict.h": "zstd", "lz4.h": "lz4",
}
SYSTEM = re.compile(r"[a-z_]+|arpa/inet\.h|netinet/\w+\.h|(linux|sys)/\w+\.h|(dirent|dlfcn|emmintrin|errno|fcntl|immintrin|grp|malloc|netdb|poll|pthread|pwd|sched|signal|spawn|stdio|stdlib|string|strings|termios|time|unistd)\.h")
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


class Layer:
    """One row of the table: the folders below it, and the third-party headers with the file they are confined to."""

    def __init__(self, may_use, third_party):
        self.may_use = may_use
        self.third_party = third_party


def read_table(text):
    """The rows under the heading "Layers", as {folder: Layer}; cells hold `names`, perhaps "`name` (files only)"."""
    section = re.search(r"^## Layers$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    layers = {}
    for line in section.group(1).splitlines() if section else []:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        folder = re.fullmatch(r"`([\w/]+?)/?`", cells[0])
        if folder and len(cells) == 3:
            may_use = {name.rstrip("/") for name in re.findall(r"`([^`]+)`", cells[1])}
            third_party = dict(re.findall(r"`([^`]+)`(?: \(([^)]+) only\))?", cells[2]))
            layers[folder.group(1)] = Layer(may_use, third_party)
    return layers


def public_headers(root, layers):
    """Which folder owns each public header: the one whose CMakeLists.txt lists it under HEADERS."""
    owners = {}
    for folder in layers:
        lists = root / folder / "CMakeLists.txt"
        match = re.search(r"HEADERS\s+(.*?)\s+SOURCES", lists.read_text(), re.DOTALL) if lists.exists() else None
        owners.update({name: folder for name in (match.group(1).split() if match else [])})
    return owners


def layer_of(path, owners, layers):
    """(folder, is_public) of a source, or (None, False) for files outside all layers."""
    if path.parts[:2] == ("include", "turnlog"):
        return owners.get("/".join(path.parts[2:])), True
    return innermost(path, layers), False


def innermost(path, layers):
    """The deepest folder around a file that has a row of its own."""
    return next((str(folder) for folder in path.parents if str(folder) in layers), None)


def third_party_of(header):
    return next((name for prefix, name in THIRD_PARTY.items() if header.startswith(prefix)), None)


def judge(header, path, folder, is_public, owners, layers):
    """Why this include is not allowed, or None."""
    layer = layers[folder]
    allowed = {folder} | layer.may_use
    if header.startswith("turnlog/"):
        owner = owners.get(header.removeprefix("turnlog/"))
        if owner is None:
            return "no library has this header under HEADERS"
        if owner in allowed or "include" in layer.may_use or header in layer.may_use:
            return None
        return f"{folder} may not use {owner}"
    library = third_party_of(header)
    if library is not None:
        if is_public:
            return "public headers carry no third-party types"
        if library not in layer.third_party:
            return f"{folder} may not use {library}"
        only = [name for name in layer.third_party[library].split(", ") if name]
        if not only or path.name in only:
            return None
        return f"only {', '.join(f'{folder}/{name}' for name in only)} may use {library}"
    owner = innermost(pathlib.PurePosixPath(header), layers)
    if owner is not None:
        if is_public:
            return "public headers include public headers only"
        return None if owner in allowed else f"{folder} may not use {owner}"
    if SYSTEM.fullmatch(header):
        return None
    return "neither ours (write the path from the top), nor known to tests/lint/layers.py"


def check(root):
    layers = read_table((root / "docs/architecture.md").read_text())
    if not layers:
        return ['docs/architecture.md: no table under the heading "Layers"']
    owners = public_headers(root, layers)
    problems = []
    for path in tree.files(root, {".cc", ".h"}):
        relative = path.relative_to(root)
        folder, is_public = layer_of(relative, owners, layers)
        if folder is None:
            problems.append(f"{relative}: belongs to no layer of docs/architecture.md")
            continue
        text = path.read_text()
        for match in INCLUDE.finditer(text):
            reason = judge(match.group(1), relative, folder, is_public, owners, layers)
            if reason:
                line = text.count("\n", 0, match.start(1)) + 1
                problems.append(f"{relative}:{line}: #include {match.group(1)}: {reason}")
    return problems


if __name__ == "__main__":
    tree.main(check)
