// The worked example of docs/on_disk_format.md is what the code writes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <sstream>

#include "base/hash.h"
#include "schema/event/codec.h"
#include "store/segments/frame.h"
#include "store/segments/segment.h"
#include "store/segments/store_identity.h"
#include "tests/support/source_dir.h"

namespace turnlog::format_example_test {
namespace {

std::string HexDump(std::string_view bytes, std::uint64_t address) {
  std::string dump;
  for (std::size_t row = 0; row < bytes.size(); row += 16) {
    const std::string_view part = bytes.substr(row, 16);
    std::string hex, letters;
    for (const char c : part) {
      const auto byte = static_cast<unsigned char>(c);
      hex += fmt::format("{:02x} ", byte);
      letters += std::isprint(byte) != 0 ? c : '.';
    }
    dump += fmt::format("{:08x}  {:<48} {}\n", address + row, hex, letters);
  }
  return dump;
}

std::string ExampleFrames() {
  const StoreIdentity identity{.id_high = 0x0123456789abcdef, .id_low = 0x0fedcba987654321};
  const FrameCodec codec(identity.salt());
  EventEncoder encoder;
  const Event turn_start;
  const std::string_view payload = encoder.Encode(View(turn_start));
  const std::string_view name = "demo";
  std::string bytes;
  const FrameHeader conversation{.type = FrameType::kConversation,
                                 .kind = EventKind{0},
                                 .batch_continues = true,
                                 .conversation = 1,
                                 .durable_back = kSegmentHeaderBytes / kFrameAlignment};
  codec.Append(conversation, name, Hash64(name), kSegmentHeaderBytes, bytes);
  const std::uint64_t position = kSegmentHeaderBytes + bytes.size();
  const FrameHeader event{.kind = EventKind::kTurnStart,
                          .conversation = 1,
                          .durable_back = static_cast<std::uint32_t>(position / kFrameAlignment),
                          .seq = 1};
  codec.Append(event, payload, Hash64(payload), position, bytes);
  return bytes;
}

TEST(OnDiskFormat, TheWorkedExampleIsWhatTheCodeWrites) {
  std::ifstream file(SourceDir() / "docs/on_disk_format.md");
  std::stringstream document;
  document << file.rdbuf();
  const std::string dump = HexDump(ExampleFrames(), kSegmentHeaderBytes);
  EXPECT_TRUE(document.str().contains("```\n" + dump + "```\n")) << "the example should read:\n" << dump;
}

}  // namespace
}  // namespace turnlog::format_example_test
