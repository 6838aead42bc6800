"""What a public header refers its reader to is installed with it: another public header, or a document in docs/."""
import re

import tree

REFERENCE = re.compile(r"\b(?:docs/[\w./-]*\w|[\w/]+\.(?:h|cc|fbs|md))\b/?")


def check(root):
    include = root / "include" / "turnlog"
    headers = list(tree.files(include, {".h"}))
    names = {header.name for header in headers}
    problems = []
    for header in headers:
        for number, line in enumerate(header.read_text().splitlines(), 1):
            comment = line.partition("//")[2]
            for reference in REFERENCE.findall(comment):
                document = reference == "README.md" or (reference.startswith("docs/") and (root / reference).exists())
                public = reference in names or (include / reference).exists()
                if not document and not public:
                    problems.append(f"{header.relative_to(root)}:{number}: {reference} is not installed")
    return problems


if __name__ == "__main__":
    tree.main(check)
