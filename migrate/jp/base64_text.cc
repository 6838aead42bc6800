#include "migrate/jp/base64_text.h"

#include <optional>
#include <string_view>
#include <utility>

#include "base/base64.h"
#include "base/utf8.h"
#include "schema/json/json_layout.h"
#include "schema/json/json_scan.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

std::optional<std::string> DecodeText(std::string_view text, Base64Alphabet alphabet) {
  auto bytes = DecodeBase64(text, alphabet);
  if (bytes && !IsUtf8(*bytes)) bytes.reset();
  return bytes;
}

void DecodeToken(std::string_view token, std::string& out) {
  const auto decoded = DecodeText(UnescapeJson(token), Base64Alphabet::kStandard);
  if (decoded) {
    AppendJsonString(*decoded, out);
  } else {
    out += token;
  }
}

}  // namespace

void DecodeJpStrings(Json& json) {
  if (json.empty()) return;
  std::string decoded;
  AppendRewritten(json.text(), DecodeToken, decoded);
  json = Json::FromTrusted(std::move(decoded));
}

void DecodeJpContent(std::string& content) {
  auto decoded = DecodeText(content, Base64Alphabet::kStandard);
  if (!decoded && content.find_first_of("-_") != std::string::npos) {
    decoded = DecodeText(content, Base64Alphabet::kUrlSafe);
  }
  if (decoded) content = *std::move(decoded);
}

}  // namespace turnlog
