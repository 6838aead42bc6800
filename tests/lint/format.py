"""Sources look as clang-format-19 with the checked-in .clang-format leaves them. Exit 77: it is not installed."""
import shutil
import subprocess
import sys

import tree

CLANG_FORMAT = "clang-format-19"


def check(root):
    paths = [str(path) for path in tree.files(root, {".cc", ".h"})]
    result = subprocess.run([CLANG_FORMAT, "--dry-run", "--Werror", *paths], capture_output=True, text=True)
    places = [line.split(":")[0] for line in result.stderr.splitlines() if ": error:" in line]
    return [f"{place}: run {CLANG_FORMAT} -i" for place in dict.fromkeys(places)]


if __name__ == "__main__":
    if shutil.which(CLANG_FORMAT) is None:
        print(f"{CLANG_FORMAT} is not installed; nothing checked")
        sys.exit(77)
    tree.main(check)
