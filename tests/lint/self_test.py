"""The checks themselves are checked: each accepts a sound tree and names what is planted."""
import contextlib
import tempfile
import unittest
from pathlib import Path

import header_references
import includes
import layers
import linked
import links
import registered
import rules
import sources
import symbols
import type_names

TABLE = """# Architecture
## Layers
| folder | may use | third party |
| --- | --- | --- |
| `base/` | | `xxhash` (hash.h, hash_fast.cc only) |
| `store/` | `base` | `rocksdb` |
| `examples/` | `include` | |
## Next
| `other/` | `store` | |
"""
SOUND = {
    "docs/architecture.md": TABLE,
    "base/CMakeLists.txt": "turnlog_library(base HEADERS result.h SOURCES hash.h hash.cc hash_fast.cc)",
    "base/hash.h": "#include <vector>\n#include \"xxhash.h\"\n",
    "base/hash_fast.cc": "#include \"xxhash.h\"\n",
    "base/hash.cc": "#include \"base/hash.h\"\n#include <sys/stat.h>\n",
    "include/turnlog/result.h": "#include <string>\n",
    "include/turnlog/log.h": "#include \"turnlog/result.h\"\n",
    "store/CMakeLists.txt": "turnlog_library(store HEADERS log.h SOURCES log.cc PUBLIC turnlog_base)",
    "store/log.cc": "#include \"base/hash.h\"\n#include \"turnlog/log.h\"\n#include \"rocksdb/db.h\"\n",
    "examples/CMakeLists.txt": "add_executable(hello hello.cc)",
    "examples/hello.cc": "#include \"turnlog/log.h\"\n",
    "build/junk.cc": "#include \"nonsense.h\"\n",
}


@contextlib.contextmanager
def tree_with(**changes):
    """A sound tree with some files added or replaced; keys spell '/' as '__' and '.' as '_dot_'."""
    with tempfile.TemporaryDirectory() as folder:
        planted = {name.replace("__", "/").replace("_dot_", "."): text for name, text in changes.items()}
        for name, text in (SOUND | planted).items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        yield Path(folder)


class LintTest(unittest.TestCase):
    def assert_finds(self, check, expected, **changes):
        with tree_with(**changes) as root:
            problems = check(root)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(expected, problems[0])

    def test_a_sound_tree_passes(self):
        with tree_with() as root:
            for check in (header_references.check, includes.check, layers.check, linked.check, links.check,
                          registered.check, rules.check, sources.check):
                self.assertEqual(check(root), [])

    def test_layers_finds_an_upward_include(self):
        self.assert_finds(layers.check, "base/hash.cc:2: #include store/log.h: base may not use store",
                          base__hash_dot_cc='\n#include "store/log.h"\n')

    def test_layers_finds_an_upward_public_header(self):
        self.assert_finds(layers.check, "base may not use store", base__hash_dot_cc='#include "turnlog/log.h"\n')

    def test_layers_finds_an_upward_include_between_public_headers(self):
        self.assert_finds(layers.check, "include/turnlog/result.h:1",
                          include__turnlog__result_dot_h='#include "turnlog/log.h"\n')

    def test_layers_lets_a_single_header_through(self):
        table = TABLE.replace("| `base/` | |", "| `base/` | `turnlog/log.h` |")
        changes = {"docs__architecture_dot_md": table, "base__hash_dot_cc": '#include "turnlog/log.h"\n'}
        with tree_with(**changes) as root:
            self.assertEqual(layers.check(root), [])
        changes["base__hash_dot_cc"] = '#include "store/log.h"\n'
        self.assert_finds(layers.check, "base may not use store", **changes)

    def test_layers_finds_third_party_where_it_does_not_belong(self):
        self.assert_finds(layers.check, "base may not use rocksdb", base__hash_dot_cc="#include <rocksdb/db.h>\n")
        self.assert_finds(layers.check, "only base/hash.h, base/hash_fast.cc may use xxhash", base__hash_dot_cc="#include <xxhash.h>\n")
        self.assert_finds(layers.check, "public headers carry no third-party types",
                          include__turnlog__log_dot_h='#include "rocksdb/db.h"\n')

    def test_layers_finds_private_headers_in_public_places(self):
        self.assert_finds(layers.check, "public headers include public headers only",
                          include__turnlog__log_dot_h='#include "base/hash.h"\n')
        self.assert_finds(layers.check, "examples may not use base", examples__hello_dot_cc='#include "base/hash.h"\n')

    def test_layers_finds_unknown_headers_and_folders(self):
        self.assert_finds(layers.check, "neither ours", base__hash_dot_cc="#include <absl/types/any.h>\n")
        self.assert_finds(layers.check, "neither ours", base__hash_dot_cc='#include "hash.h"\n')
        self.assert_finds(layers.check, "belongs to no layer", other__thing_dot_cc="")
        self.assert_finds(layers.check, "no library has this header", base__hash_dot_cc='#include "turnlog/x.h"\n')
        self.assert_finds(layers.check, "no table", docs__architecture_dot_md="# Architecture\n")

    def test_registered_finds_a_source_that_is_never_built(self):
        self.assert_finds(registered.check, "store/log_test.cc", store__log_test_dot_cc="")

    def test_registered_accepts_a_path_in_a_folder_above(self):
        with tree_with(store__log_test_dot_cc="", CMakeLists_dot_txt="add_executable(t store/log_test.cc)") as root:
            self.assertEqual(registered.check(root), [])

    def test_registered_knows_what_our_functions_build(self):
        with tree_with(store__fuzz_log_dot_cc="", store__log_bench_dot_cc="",
                       store__CMakeLists_dot_txt="add_library(s log.cc)\nturnlog_fuzz(log)\nturnlog_bench(log_bench)") as root:
            self.assertEqual(registered.check(root), [])

    def test_sources_finds_other_than_ascii_and_long_files(self):
        self.assert_finds(sources.check, "base/hash.cc:2: not ASCII", base__hash_dot_cc="\n// \u00fc\n")
        self.assert_finds(sources.check, "tests/a.cc:1: not ASCII", tests__a_dot_cc="// \u202e\n")
        with tree_with(tests__a_dot_cc="// \u00fc\n") as root:
            self.assertEqual(sources.check(root), [])
        self.assert_finds(sources.check, "base/hash.cc: 501 lines", base__hash_dot_cc="\n" * 501)

    def test_sources_finds_tests_without_a_namespace_of_their_own(self):
        self.assert_finds(sources.check, "open it with `namespace turnlog::a_test {`",
                          tests__a_test_dot_cc="namespace turnlog {\nTEST(A, B) {}\n}\n")
        with tree_with(tests__a_test_dot_cc="namespace turnlog::a_test {\nTEST(A, B) {}\n}\n") as root:
            self.assertEqual(sources.check(root), [])

    def test_includes_finds_names_without_their_header(self):
        self.assert_finds(includes.check, "store/log.cc: uses fmt:: without", store__log_dot_cc="auto a = fmt::format(\"\");\n")
        with tree_with(store__log_dot_cc="#include \"base/hash.h\"\nauto a = fmt::format(\"rocksdb::\");  // simdjson::\n",
                       base__hash_dot_h="#include <fmt/format.h>\n") as root:
            self.assertEqual(includes.check(root), [])

    def test_linked_finds_a_library_that_is_used_and_not_linked(self):
        unlinked = "turnlog_library(store HEADERS log.h SOURCES log.cc PRIVATE RocksDB::rocksdb)"
        with tree_with(store__CMakeLists_dot_txt=unlinked, store__log_dot_cc="#include \"base/hash.h\"\n") as root:
            self.assertEqual(linked.check(root), [
                "include/turnlog/log.h: #include turnlog/result.h: store/CMakeLists.txt does not link turnlog_base",
                "store/log.cc: #include base/hash.h: store/CMakeLists.txt does not link turnlog_base"])

    def test_linked_follows_what_libraries_pass_on(self):
        table = TABLE.replace("| `examples/`", "| `logctl/` | `base`, `store` | |\n| `examples/`")
        used = "#include \"base/hash.h\"\n"
        with tree_with(docs__architecture_dot_md=table, logctl__main_dot_cc=used,
                       logctl__CMakeLists_dot_txt="target_link_libraries(logctl PRIVATE turnlog_store)") as root:
            self.assertEqual(linked.check(root), [])
        self.assert_finds(linked.check, "logctl/CMakeLists.txt does not link turnlog_base",
                          docs__architecture_dot_md=table, logctl__main_dot_cc=used,
                          logctl__CMakeLists_dot_txt="target_link_libraries(logctl PRIVATE fmt::fmt)")

    def test_links_finds_dead_files_and_headings(self):
        self.assert_finds(links.check, "docs/a.md:2: b.md is not there", docs__a_dot_md="\n[b](b.md)\n")
        self.assert_finds(links.check, "architecture.md#nowhere has no such heading",
                          docs__a_dot_md="[b](architecture.md#nowhere)\n")

    def test_links_accepts_what_is_there_outside_or_code(self):
        with tree_with(docs__a_dot_md="[a](architecture.md#layers) [b](../base) [c](https://example.org)\n"
                                      "```\n[d](nowhere)\n```\n") as root:
            self.assertEqual(links.check(root), [])

    def test_header_references_finds_what_is_not_installed(self):
        self.assert_finds(header_references.check, "include/turnlog/log.h:1: base/hash.h is not installed",
                          include__turnlog__log_dot_h="// See base/hash.h, and result.h.\n")
        self.assert_finds(header_references.check, "docs/nowhere.md is not installed",
                          include__turnlog__log_dot_h="// docs/architecture.md, docs/nowhere.md\n")

    def test_rules_finds_rules_without_tests_and_sections_without_rules(self):
        planted = {"docs__inquiries_dot_md": "## Forms\n## Denials\n",
                   "tests__a_test_dot_cc": "TEST_F(FormTest, Works) {}\n"}
        rule = "| section | rule | test |\n| --- | --- | --- |\n| Forms | a | `FormTest.Works` |\n"
        self.assert_finds(rules.check, "no rule of the section Denials", docs__inquiry_rules_dot_md=rule, **planted)
        self.assert_finds(rules.check, "there is no test FormTest.Fails", **planted,
                          docs__inquiry_rules_dot_md=rule + "| Denials | b | `FormTest.Fails` |\n")
        self.assert_finds(rules.check, "a rule of Denials names no test", **planted,
                          docs__inquiry_rules_dot_md=rule + "| Denials | b | |\n")

    def test_type_names_finds_what_is_defined_twice(self):
        twice = "namespace turnlog {\nstruct Twin {\n};\n}  // namespace turnlog\n"
        self.assert_finds(type_names.check, "turnlog::Twin is defined in base/a.h, base/b.cc", base__a_dot_h=twice,
                          base__b_dot_cc=twice)

    def test_type_names_accepts_those_of_one_file_only(self):
        unnamed = "namespace turnlog {\nnamespace {\nstruct Twin {\n};\n}  // namespace\n}  // namespace turnlog\n"
        with tree_with(base__a_dot_cc=unnamed, base__b_dot_cc=unnamed,
                       base__c_dot_h="namespace turnlog {\nclass Twin;\n}  // namespace turnlog\n") as root:
            self.assertEqual(type_names.check(root), [])

    def test_symbols_finds_what_prints_or_exits(self):
        output = ("a.a:x.o:                 U abort\na.a:x.o:                 U std::cout\n"
                  "a.a:y.o:                 U printf@GLIBC_2.2.5\n")
        self.assertEqual([symbol for _, symbol in symbols.forbidden_symbols(output)],
                         ["abort", "std::cout", "printf@GLIBC_2.2.5"])

    def test_symbols_accepts_the_rest(self):
        output = ("a.a:x.o:                 U std::terminate()\na.a:x.o:                 U __assert_fail\n"
                  "a.a:x.o:                 U turnlog::abort(int)\na.a:x.o:                 U snprintf\n")
        self.assertEqual(symbols.forbidden_symbols(output), [])


if __name__ == "__main__":
    unittest.main()
