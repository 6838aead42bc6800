// Images, in all APIs.
#include "providers/image.h"

#include "base/base64.h"
#include "tests/providers/request_lint.h"

namespace turnlog::image_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string Big32(std::uint32_t value) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<char>(value >> shift & 0xff));
  return bytes;
}

// Only its head, padded to `size` bytes; `salt` makes it another image.
std::string Png(std::uint32_t width, std::uint32_t height, std::size_t size = 64, int salt = 0) {
  std::string bytes = "\x89PNG\r\n\x1a\n" + std::string(3, '\0') + "\rIHDR" + Big32(width) + Big32(height);
  bytes.resize(size, static_cast<char>(salt));
  return bytes;
}

std::string Base64(const std::string& bytes) {
  std::string text;
  AppendBase64(bytes, text);
  return text;
}

std::string Block(const std::string& base64, const std::string& type = "image/png") {
  return R"({"type":"image","source":{"type":"base64","media_type":")" + type + R"(","data":")" + base64 + R"("}})";
}
std::vector<std::string> Check(const std::string& blocks) {
  return Lint(Provider::kAnthropic, R"([{"role":"user","content":[)" + blocks + "]}]");
}
const std::string kAt = " at /0/content/0/source/data";

TEST(Images, OfAnthropicAreMeasured) {
  EXPECT_THAT(Check(Block(Base64(Png(8000, 10)))), IsEmpty());
  EXPECT_THAT(Check(Block(Base64(Png(10, 8001)))), ElementsAre("image-pixels" + kAt));
  EXPECT_THAT(Check(Block(Base64(Png(10, 10, std::size_t{15} << 18)))), IsEmpty()) << "5 MiB in base64";
  EXPECT_THAT(Check(Block(Base64(Png(10, 10, (std::size_t{15} << 18) + 1)))), ElementsAre("image-bytes" + kAt));
}

TEST(Images, AreSmallerInARequestWithMany) {
  std::string blocks = Block(Base64(Png(2001, 10)));
  for (int i = 1; i < 20; ++i) blocks += "," + Block(Base64(Png(10, 10, 64, i)));
  EXPECT_THAT(Check(blocks), IsEmpty());
  EXPECT_THAT(Check(blocks + "," + Block(Base64(Png(10, 10, 64, 99)))), ElementsAre("many-images-pixels" + kAt));
}

TEST(Images, AreWhatTheySayTheyAre) {
  EXPECT_THAT(Check(Block("bm8gaW1hZ2U=")), ElementsAre("image-encoding" + kAt));
  EXPECT_THAT(Check(Block("%")), ElementsAre("image-encoding" + kAt));
  EXPECT_THAT(Check(Block(Base64(Png(1, 1)), "image/jpeg")), ElementsAre("image-type" + kAt));
}

TEST(Images, AreFoundOnceOnly) {
  const std::string block = Block(Base64(Png(1, 1)));
  EXPECT_THAT(Check(block + "," + block), ElementsAre("duplicate-image at /0/content/1/source/data"));
}

TEST(Images, OfAllApisAreSeen) {
  const std::string url = "data:image/jpeg;base64," + Base64(Png(1, 1));
  EXPECT_THAT(Lint(Provider::kOpenAiChat,
                   R"([{"role":"user","content":[{"type":"image_url","image_url":{"url":")" + url + R"("}}]}])"),
              ElementsAre("image-type at /0/content/0/image_url/url"));
  EXPECT_THAT(Lint(Provider::kOpenAiResponses,
                   R"([{"role":"user","content":[{"type":"input_image","image_url":")" + url + R"("}]}])"),
              ElementsAre("image-type at /0/content/0/image_url"));
  EXPECT_THAT(Lint(Provider::kGemini,
                   R"([{"parts":[{"inlineData":{"mimeType":"image/jpeg","data":")" + Base64(Png(1, 1)) + R"("}}]}])"),
              ElementsAre("image-type at /0/parts/0/inlineData/data"));
}

TEST(Images, InResultsAreSeen) {
  EXPECT_THAT(
      Lint(Provider::kAnthropic, R"([{"role":"user","content":"x"},{"role":"assistant","content":[)"
                                 R"({"type":"tool_use","id":"a","name":"ls","input":{}}]},{"role":"user","content":[)"
                                 R"({"type":"tool_result","tool_use_id":"a","content":[)" +
                                     Block("%") + "]}]}]"),
      ElementsAre("image-encoding at /2/content/0/content/0/source/data"));
}

TEST(ReadImageInfo, KnowsTheSizesOfEachFormat) {
  using namespace std::string_literals;
  const auto size = [](const std::string& bytes) {
    const auto info = ReadImageInfo(bytes);
    return info ? std::string(info->media_type) + " " + std::to_string(info->width) + "x" + std::to_string(info->height)
                : "";
  };
  EXPECT_EQ(size(Png(300, 200)), "image/png 300x200");
  EXPECT_EQ(size("GIF89a\x2c\x01\xc8\x00"s), "image/gif 300x200");
  EXPECT_EQ(size("\xff\xd8\xff\xe0\x00\x04zz\xff\xc2\x00\x11\x08\x00\xc8\x01\x2c\x03"s), "image/jpeg 300x200");
  const std::string riff = "RIFF....WEBP";
  EXPECT_EQ(size(riff + "VP8X...." + "\0\0\0\0"s + "\x2b\x01\x00\xc7\x00\x00"s), "image/webp 300x200");
  EXPECT_EQ(size(riff + "VP8 ......" + "...." + "\x2c\x01\xc8\x00"s), "image/webp 300x200");
  EXPECT_EQ(size(riff + "VP8L....\x2f" + "\x2b\xc1\x31\x00"s), "image/webp 300x200");
  EXPECT_EQ(size("....ftypheic"), "image/heic 0x0");
  EXPECT_EQ(size("\x89PNG"), "");
}

TEST(ReadImageInfo, SurvivesImagesThatEndAnywhere) {
  const std::string jpeg("\xff\xd8\xff\xe0\x00\x04zz\xff\xff\xc2\x00\x11\x08\x00\xc8\x01\x2c\x03", 20);
  for (const std::string& image : {jpeg, Png(1, 1), std::string("RIFF....WEBPVP8X................")}) {
    for (std::size_t size = 0; size <= image.size(); ++size) (void)ReadImageInfo(image.substr(0, size));
  }
}

}  // namespace
}  // namespace turnlog::image_test
