// Damage to what opencode writes costs the damaged bytes only, wherever it is.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "migrate/opencode/format.h"
#include "migrate/opencode/session_reader.h"
#include "migrate/opencode/storage.h"
#include "tests/migrate/read_source.h"
#include "tests/support/must.h"
#include "tests/support/sanitized.h"

namespace turnlog::opencode_damage_test {
namespace {

using ::testing::SizeIs;

// The session's file, and its messages and parts by their paths from it, each message before its parts.
const SourceFiles kTree{
    {"s.json", R"({"id":"s","projectID":"p","title":"t","time":{"created":1}})"},
    {"../../message/s/m1.json", R"({"id":"m1","role":"user"})"},
    {"../../part/m1/p1.json", R"({"id":"p1","type":"text","text":"Hi"})"},
    {"../../message/s/m2.json", R"({"id":"m2","role":"assistant","time":{"completed":1}})"},
    {"../../part/m2/p2.json", R"({"id":"p2","type":"tool","callID":"c","tool":"ls","state":{"status":"completed",)"
                              R"("input":{},"output":"a"}})"}};

const std::string kDocument =
    R"({"info":{"id":"s","title":"t"},"messages":[{"info":{"id":"m1","role":"user"},"parts":[{"type":"text",)"
    R"("text":"Hi"}]},)"
    "\n"
    R"({"info":{"id":"m2","role":"assistant"},"parts":[{"type":"text","text":"Hello."}]}]})"
    "\n";

// What an export writes of the tree.
std::string Written(const SourceFiles& tree) {
  std::string written;
  for (const auto& [name, text] : tree) {
    const bool session = &text == &tree.front().second;
    written += std::string(1, kFileMark) + (session ? "..//" : "") + name + "\n" + text;
  }
  return written;
}

// Each damaged form of the text: cut off, and with one byte changed.
template <class Visit>
void ForEachDamage(const std::string& text, Visit visit) {
  for (std::size_t at = 0; at < text.size(); at += kByteStep) {
    visit(at, text.substr(0, at));
    for (const int flip : {0x01, 0x80}) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      visit(at, damaged);
    }
  }
}

TEST(OpencodeDamage, LosesNothingOfATree) {
  const std::size_t all = ReadFiles(kOpencodeFormat, kTree).only().events.size();
  for (std::size_t file = 0; file < kTree.size(); ++file) {
    ForEachDamage(kTree[file].second, [&](std::size_t at, const std::string& damaged) {
      SCOPED_TRACE(fmt::format("{}, byte {}", kTree[file].first, at));
      SourceFiles tree = kTree;
      tree[file].second = damaged;
      ReadSource read = ReadFiles(kOpencodeFormat, tree);
      ASSERT_THAT(read.conversations, SizeIs(1));
      ASSERT_EQ(read.only().written, Written(tree));
      ASSERT_LE(read.problems.size(), 1U);
      ASSERT_GE(read.only().events.size() + 3, all) << "a part is up to three events";
    });
  }
}

TEST(OpencodeDamage, LosesNothingOfADocument) {
  ForEachDamage(kDocument, [&](std::size_t at, const std::string& damaged) {
    ReadSource read = ReadFiles(kOpencodeFormat, {{"export.json", damaged}});
    ASSERT_EQ(read.only().written, damaged) << at;
  });
}

// A message that is being written.
class OpenMessage final : public OpencodeTexts {
 public:
  static constexpr std::size_t kParts = 200'000;
  static constexpr std::string_view kPart = R"({"type":"tool","state":{"status":"pending"}})";

  Result<std::string> Header() override { return std::string("{}"); }
  Result<std::optional<Text>> Next() override {
    if (next_ > kParts) return std::nullopt;
    if (next_++ > 0) return Text{.is_last = true, .lead = {}, .text = std::string(kPart), .trail = {}};
    return Text{
        .is_message = true, .is_last = true, .lead = {}, .text = R"({"id":"m","role":"assistant"})", .trail = {}};
  }

 private:
  std::size_t next_ = 0;
};

TEST(OpencodeDamage, HoldsBackAnyNumberOfParts) {
  OpencodeSessionReader reader(std::make_unique<OpenMessage>(), std::make_shared<OpencodeMessage>());
  EXPECT_EQ(Must(reader.Next()).kind, RecordPiece::Kind::kHeader);
  EXPECT_EQ(Must(reader.Next()).kind, RecordPiece::Kind::kRecord);
  const RecordPiece end = Must(reader.Next());
  EXPECT_EQ(end.kind, RecordPiece::Kind::kEnd);
  EXPECT_EQ(end.bytes.size(), OpenMessage::kParts * OpenMessage::kPart.size());
}

}  // namespace
}  // namespace turnlog::opencode_damage_test
