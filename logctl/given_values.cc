#include "logctl/given_values.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "base/errno_text.h"
#include "base/open_input.h"
#include "base/try.h"
#include "logctl/secret_streams.h"

namespace turnlog {

namespace {

Expected<SecretString> ReadFile(const std::string& path) {
  const int descriptor = OpenWithoutWaiting(path);
  if (descriptor < 0) return Failed(fmt::format("cannot open {}: {}", path, ErrnoText(errno)));
  auto text = ReadSecret(descriptor, path);
  (void)::close(descriptor);
  return text;
}

}  // namespace

Expected<void> GivenValues::AddStandardInput(bool nul_separated) {
  const SecretString& text = texts_.emplace_back(TURNLOG_TRY(ReadSecret(STDIN_FILENO, "standard input")));
  const std::size_t before = values_.size();
  TURNLOG_TRY(AddPieces(text.view(), nul_separated, "standard input"));
  // What was to print the value has failed, perhaps.
  if (values_.size() == before) return Failed("there is no value on standard input");
  return {};
}

Expected<void> GivenValues::AddLines(const std::string& path) {
  return AddPieces(texts_.emplace_back(TURNLOG_TRY(ReadFile(path))).view(), false, path);
}

Expected<void> GivenValues::AddPieces(std::string_view text, bool nul_separated, std::string_view name) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find(nul_separated ? '\0' : '\n');
    std::string_view value = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!nul_separated && value.starts_with("-----BEGIN ")) {
      return WrongUsage(fmt::format("{} holds a value of several lines", name),
                        "give it in a file with --value-file, or separate the values with NULs and give --null");
    }
    if (!nul_separated && value.ends_with('\r')) value.remove_suffix(1);
    if (value.empty()) continue;
    values_.push_back(value);
    names_.push_back(fmt::format("{} {} of {}", nul_separated ? "value" : "line", number, name));
  }
  return {};
}

Expected<void> GivenValues::AddFile(const std::string& path) {
  const SecretString& value = texts_.emplace_back(TURNLOG_TRY(ReadFile(path)));
  if (value.empty()) return Failed(fmt::format("{} is empty", path));
  values_.push_back(value.view());
  names_.push_back(path);
  return {};
}

void GivenValues::Add(std::string_view value) {
  values_.push_back(texts_.emplace_back(value).view());
  names_.emplace_back("a credential of this home");
}

}  // namespace turnlog
