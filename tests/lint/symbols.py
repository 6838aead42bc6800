"""Our libraries never print and never end the process: they do not even refer to what would.

Usage: symbols.py NM LIBRARY...   std::terminate (out of noexcept) and assert (our own mistakes) are fine.
"""
import re
import subprocess
import sys

FORBIDDEN = re.compile(
    r"(?:abort|_?exit|_Exit|quick_exit|v?printf|puts|putchar|perror|__v?printf_chk|std::(?:cout|cerr|clog)|stdout)(?:@.*)?")


def forbidden_symbols(nm_output):
    """[(object, symbol)] in the output of `nm -C -A --undefined-only`."""
    found = []
    for line in nm_output.splitlines():
        match = re.fullmatch(r"(.*?): +[Uw] (.*)", line)
        if match and FORBIDDEN.fullmatch(match.group(2)):
            found.append((match.group(1), match.group(2)))
    return found


def main():
    nm, *libraries = sys.argv[1:]
    if not libraries:
        sys.exit("no libraries given")
    output = subprocess.run([nm, "-C", "-A", "--undefined-only", *libraries], check=True, capture_output=True, text=True)
    found = forbidden_symbols(output.stdout)
    for place, symbol in found:
        print(f"{place} refers to {symbol}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
