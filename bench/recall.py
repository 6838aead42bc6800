#!/usr/bin/env python3
"""How many secrets of the kinds that gitleaks and trufflehog know `logctl scan` finds, and how many it flags wrongly.

    bench/recall.py LOGCTL --gitleaks CHECKOUT/config/gitleaks.toml --negatives CHECKOUT/cmd/generate/config/rules
    bench/recall.py LOGCTL --trufflehog CHECKOUT/pkg/detectors
    bench/recall.py LOGCTL --smoke

Reads the shapes of their rules (expressions and names, from files that are given) and writes random values of these
shapes into notations, each into a file of its own in a temporary folder. A secret is found if one finding covers most of
it. The negatives are those that gitleaks' rules list. The same --seed makes the same values. --missed shows the shapes
that are found in fewer than nine of ten cases.
"""
import argparse
import json
import math
import random
import re
import re._parser as parser
import string
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter, defaultdict
from pathlib import Path

ASSIGNMENTS = [
    '{i}Token="{s}"', '{i}Token = "{s}"', "{i}Token={s}", "{i}Token = {s}", '{{\n    "{i}_token": "{s}"\n}}',
    '\\{{\n    \\"{i}_token\\": \\"{s}\\"\n\\}}', "<{i}Token>{s}</{i}Token>", "<{i}Token>\n    {s}\n</{i}Token>",
    "{i}_token: {s}", "{i}_token: '{s}'", '{i}_token: "{s}"', "{i}_token: |\n  {s}", "{i}_token: >\n  {s}",
    'string {i}Token = "{s}";', 'var {i}Token string = "{s}"', '{i}Token := "{s}"', "{i}Token := `{s}`",
    'String {i}Token = "{s}";', 'var {i}Token = "{s}"', '${i}Token .= "{s}"', "{i}Token = '{s}'", "{i}Token,{s},",
    '  "{i}Token" => "{s}"', '{i}_TOKEN = "{s}"', '{i}_TOKEN := "{s}"', '{i}_TOKEN ::= "{s}"', '{i}_TOKEN :::= "{s}"',
    '{i}_TOKEN ?= "{s}"', '{i}_TOKEN += "{s}"', '{i}_api_token = "{s}"',
]
STRUCTURES = {  # rules whose expressions are more than a value
    "curl-auth-user": ["curl -u name:{s} https://e.org", "curl -k -X POST \\\n  -u developer:{s}", 'curl -u ":{s}" e.org',
                       'curl -u "{s}:" https://e.org', "curl --user 'api:{s}' \\\n  https://e.org"],
    "curl-auth-header": ["curl -H 'Authorization: Bearer {s}' e.org", 'curl --header "Authorization: Token {s}"',
                         'curl -H "Api-Token: {s}"', 'curl -X GET \\\n  -H "apikey: {s}" \\', "curl -H 'X-Api-Key: {s}'"],
    "freemius-secret-key": ["'secret_key' => '{s}',", '"secret_key"  =>  "{s}",'],
    "jwt-base64": ["token: {s}", "{s}"],
    "kubernetes-secret-yaml": ["apiVersion: v1\nkind: Secret\ndata:\n  password: {s}\n",
                               "apiVersion: v1\ndata:\n  password: '{s}'\nkind: 'Secret'\n",
                               "kind: Secret\nmetadata:\n  name: x\ntype: Opaque\ndata:\n  # note\n  password: \"{s}\"\n"],
    "nuget-config-password": ['<add key="Password" value="{s}" />', '<add key="ClearTextPassword" value="{s}"/>'],
    "private-key": ["-----BEGIN PRIVATE KEY-----\n{s}\n-----END PRIVATE KEY-----",
                    "-----BEGIN RSA PRIVATE KEY-----\n{s}\n-----END RSA PRIVATE KEY-----\n",
                    "-----BEGIN OPENSSH PRIVATE KEY-----\n{s}\n-----END OPENSSH PRIVATE KEY-----\n"],
    "sidekiq-sensitive-url": ["https://{s}@gems.contribsys.com/", "http://{s}@enterprise.contribsys.com:80/"],
    "sonar-api-token": ['sonar.login="{s}"', "sonar_token = {s}", "-Dsonar.token={s}"],
}
SECRETS = {
    "curl-auth-user": "[0-9A-Za-z!_-]{12,20}", "curl-auth-header": "[0-9A-Za-z]{20,60}",
    "freemius-secret-key": "sk_[0-9A-Za-z!#$%&+?@^~-]{29}", "jwt-base64": "ZXlKaGJHY2lPaU[0-9A-Za-z]{60}",
    "kubernetes-secret-yaml": "[0-9A-Za-z]{19}=", "nuget-config-password": "[0-9A-Za-z]{12,30}",
    "private-key": "[0-9A-Za-z+/]{64}\n[0-9A-Za-z+/]{64}\n[0-9A-Za-z+/]{64}\n[0-9A-Za-z+/]{43}=",
    "sidekiq-sensitive-url": "[0-9a-f]{8}:[0-9a-f]{8}", "sonar-api-token": "[0-9a-z]{40}",
}
LOGS = [  # as the tests of trufflehog's detectors have them
    "{i} token = '{s}'",
    "[INFO] Sending request to the {i} API\n[DEBUG] Using Key={s}\n[INFO] Response received: 200 OK\n",
    "[INFO] Sending request to {i} API\n[DEBUG] Using API_KEY={s}\n[INFO] Response received: 200 OK\n",
    "<scope>GLOBAL</scope>\n<id>{{{i}}}</id>\n<secret>{{{i} AQAAABAAA {s}}}</secret>\n<owner>jenkins-admin</owner>",
    "You can find a {i} secret {s} within",
]
OPAQUE = (parser.AT, parser.ASSERT, parser.ASSERT_NOT)
# of trufflehog's names of expressions: what is no secret
OTHER = re.compile(r"(?i)(?:^|[a-z_])(?:id|url|domain|email|user(?:name)?|account|host|region|org|server|name|public\w*)"
                   r"(?:pat|regex)?$")


class Values:
    """Random texts that an expression of Go matches."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def of(self, expression, group=None):
        tree = parser.parse(as_python(expression))
        if group is not None and tree.state.groups > group:
            tree = find_group(tree, group)
        return "".join(self.part(part) for part in tree)

    def part(self, part):
        kind, argument = part
        if kind in OPAQUE:
            return ""
        if kind is parser.LITERAL:
            return chr(argument)
        if kind is parser.ANY:
            return "."
        if kind is parser.NOT_LITERAL:
            return self.random.choice(string.ascii_letters.replace(chr(argument), ""))
        if kind is parser.IN:
            return self.random.choice(members(argument))
        if kind is parser.BRANCH:
            return "".join(self.part(each) for each in self.random.choice(argument[1]))
        if kind is parser.SUBPATTERN:
            text = "".join(self.part(each) for each in argument[3])
            any_case = argument[1] & re.IGNORECASE and text == text.lower()
            return "".join(self.random.choice((c, c.upper())) for c in text) if any_case else text
        least, most, repeated = argument  # MAX_REPEAT, MIN_REPEAT
        if most is parser.MAXREPEAT:
            least, most = max(least, 12), max(least, 12) + 12
        count = self.random.randint(least, int(most))
        return "".join(self.part(each) for _ in range(count) for each in repeated)


def as_python(expression):
    """The same expression as Python writes it, without what says nothing about the letters of a value."""
    expression = re.sub(r"\(\?[imsU-]+\)", "", expression)
    expression = re.sub(r"\(\?[msU-]+:", "(?:", expression)
    return expression.replace("[[:alnum:]]", "[0-9A-Za-z]").replace(r"\z", r"\Z")


def find_group(tree, number):
    for kind, argument in tree:
        if kind is parser.SUBPATTERN:
            if argument[0] == number:
                return argument[3]
            parts = [argument[3]]
        elif kind is parser.BRANCH:
            parts = argument[1]
        elif kind in (parser.MAX_REPEAT, parser.MIN_REPEAT):
            parts = [argument[2]]
        else:
            continue
        for part in parts:
            found = find_group(part, number)
            if found is not None:
                return found
    return None


def members(choices):
    """The printable letters of a class."""
    classes = {parser.CATEGORY_DIGIT: "[0-9]", parser.CATEGORY_WORD: "[0-9A-Za-z_]", parser.CATEGORY_SPACE: " ",
               parser.CATEGORY_NOT_SPACE: r"[!-~]"}
    letters = set()
    for kind, argument in choices:
        if kind is parser.LITERAL:
            letters.add(chr(argument))
        elif kind is parser.RANGE:
            letters.update(map(chr, range(argument[0], argument[1] + 1)))
        elif kind is parser.CATEGORY and argument in classes:
            letters.update(chr(c) for c in range(32, 127) if re.match(classes[argument], chr(c)))
    if choices[0][0] is parser.NEGATE:
        letters = set(map(chr, range(33, 127))) - letters - set("\"'`\\<>")
    return sorted(letters)


def entropy(text):
    return -sum(n / len(text) * math.log2(n / len(text)) for n in Counter(text).values())


def gitleaks_cases(config, values):
    """(shape, text, secret) of each rule in each notation. What is more than a value is left to `STRUCTURES`."""
    for rule in tomllib.loads(config.read_text())["rules"]:
        expression = rule.get("regex", "")
        if not expression or rule["id"] in STRUCTURES:
            continue
        named = re.search(r"\{0,50\}\?\(\?:(?!\[)", expression)
        name = name_of(expression[named.end():], values) if named else rule["id"].partition("-")[0]
        for notation in ASSIGNMENTS:
            secret = secret_of(rule, values, rule.get("secretGroup", 1 if named else 0))
            if secret:
                yield rule["id"], notation.format(i=name, s=secret), secret
    for shape, structures in STRUCTURES.items():
        for text in structures:
            secret = values.of(SECRETS[shape])
            yield shape, text.format(s=secret), secret


def name_of(expression, values):
    """Of the alternatives up to the parenthesis that is not opened, the first."""
    depth, end = 0, 0
    while depth >= 0 and not (depth == 0 and expression[end] == "|"):
        depth += {"(": 1, ")": -1}.get(expression[end], 0)
        end += 1
    return values.of(expression[:end - (depth < 0)])


def secret_of(rule, values, group):
    """What the group of the rule's expression matches; 0: the whole, but for what ends it."""
    expression = re.sub(r"\(\?:\[\\x60'\"\\s;\]\|\\\\\[nr\]\|\$\)$", "", rule["regex"])
    for _ in range(50):
        secret = values.of(expression, group or None).strip(" \t\"'`")
        if len(secret) > 3 and entropy(secret) > rule.get("entropy", 0):
            return secret
    return None


def trufflehog_cases(folder, values):
    shape = re.compile(r"(\w+)\s*:?=\s*regexp\.MustCompile\(detectors\.PrefixRegex\(\[\]string\{(.*?)\}\)\s*\+\s*`(.*?)`")
    for file in sorted(folder.rglob("*.go")):
        for pattern, names, expression in shape.findall(file.read_text(errors="replace")):
            if OTHER.search(pattern):
                continue
            name = re.sub(r"\W\?", "", re.findall(r'"((?:\\.|[^"\\])*)"', names)[0])
            for notation in LOGS:
                secret = values.of(expression, 1).strip()
                yield f"{name} {expression}", notation.format(i=name, s=secret), secret, notation


def go_strings(text):
    """The literals of a list of strings in Go."""
    for raw, quoted in re.findall(r'`([^`]*)`|"((?:\\.|[^"\\\n])*)"', re.sub(r"(?m)(?:^|[`\",])\s*//.*$", "", text)):
        yield raw or json.loads(f'"{quoted}"') if "\\'" not in quoted else raw


def negatives(folder):
    for file in sorted(folder.rglob("*.go")):
        for lists in re.findall(r"(?s)\b(?:r\.FPs|fps)\s*:?=\s*\[\]string\{\n(.*?)\n\t\}", file.read_text()):
            for text in go_strings(lists):
                yield file.stem, text, text


def scan(program, texts):
    """For each text the spans that were found in it."""
    with tempfile.TemporaryDirectory() as folder:
        for i, text in enumerate(texts):
            Path(folder, f"{i}.txt").write_text(text)
        done = subprocess.run([program, "scan", "--json", folder], capture_output=True, check=False, text=True)
        found = defaultdict(list)
        for secret in json.loads(done.stdout)["secrets"]:
            found[int(Path(secret["file"]).stem)].append((secret["offset"], secret["length"], secret["rule"]))
        return found


def is_found(text, secret, spans):
    begin = len(text[:text.index(secret)].encode())
    end = begin + len(secret.encode())
    return any(2 * (min(end, at + size) - max(begin, at)) > end - begin for at, size, _ in spans)


def measure(args, title, cases, wanted):
    """Prints the share of the cases that are found; for negatives, any finding counts."""
    found = scan(args.logctl, [case[1] for case in cases])
    shapes, notations = defaultdict(Counter), defaultdict(Counter)
    missed = defaultdict(list)
    for i, (shape, text, secret, *notation) in enumerate(cases):
        hit = is_found(text, secret, found[i]) if wanted else bool(found[i])
        shapes[shape][hit] += 1
        for each in notation:
            notations[each][hit] += 1
        if hit != wanted:
            missed[shape].append(text if wanted else f"{found[i][0][2]}: {text}")
    hits = sum(counts[True] for counts in shapes.values())
    print(f"{title}: {share(hits, len(cases))} {'found' if wanted else 'flagged'}")
    for notation, counts in notations.items():
        print(f"  {share(counts[True], counts.total())} of {notation!r}")
    for shape, texts in missed.items():
        if args.missed and (not wanted or 10 * len(texts) > shapes[shape].total()):
            print(f"  {shape}: {len(texts)} of {shapes[shape].total()}")
            print("".join(f"      {text!r}\n" for text in texts[:args.missed]), end="")


def share(part, whole):
    return f"{part} of {whole}, {100 * part / max(whole, 1):.1f} %"


def smoke(args, values):
    """A key of every notation, and one that is none; nothing is judged but that all is read and found."""
    with tempfile.TemporaryDirectory() as folder:
        config, rules, detectors = Path(folder, "c.toml"), Path(folder, "rules.go"), Path(folder, "d.go")
        config.write_text("[[rules]]\nid = 'x-token'\nregex = '\\b(ghp_[0-9a-zA-Z]{36})(?:[;]|$)'\n")
        rules.write_text("\tr.FPs = []string{\n\t\t`curl -u a:$B`, // none\n\t}\n")
        detectors.write_text('keyPat = regexp.MustCompile(detectors.PrefixRegex([]string{"x"}) + `\\b(ghp_[0-9a-z]{36})\\b`)\n')
        args.gitleaks, args.negatives, args.trufflehog = config, Path(folder), Path(folder)
        return run(args, values)


def run(args, values):
    if args.gitleaks:
        measure(args, "gitleaks", list(gitleaks_cases(args.gitleaks, values)), True)
    if args.negatives:
        measure(args, "gitleaks' negatives", list(negatives(args.negatives)), False)
    if args.trufflehog:
        measure(args, "trufflehog", list(trufflehog_cases(args.trufflehog, values)), True)
    return 0


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("logctl")
    arguments.add_argument("--gitleaks", type=Path, metavar="CONFIG")
    arguments.add_argument("--negatives", type=Path, metavar="FOLDER")
    arguments.add_argument("--trufflehog", type=Path, metavar="FOLDER")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--missed", type=int, default=0, metavar="EXAMPLES")
    arguments.add_argument("--smoke", action="store_true")
    args = arguments.parse_args()
    values = Values(args.seed)
    return smoke(args, values) if args.smoke else run(args, values)


if __name__ == "__main__":
    sys.exit(main())
