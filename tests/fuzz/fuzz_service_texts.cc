// Any text as the target of notifications, and as the cookies of a browser: refused without showing the key, or a
// target of a known kind; a cookie that lies within the header.
#include <string>
#include <string_view>

#include "service/notification_target.h"
#include "service/session_cookie.h"
#include "tests/fuzz/fuzz_target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace turnlog;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string key(40, 'k');
  const auto target = ParseNotificationTarget(text, SecretString(key));
  if (target) {
    Require((*target)->kind() == "webhook" || (*target)->kind() == "exec");
  } else {
    Require(target.error().code == ErrorCode::kInvalidArgument && !target.error().message.contains(key));
  }
  const std::string name = SessionCookieName(7411);
  HttpRequest request;
  request.headers = {{"Cookie", std::string(text)}};
  const std::string_view value = SessionCookieOf(request, name);
  const std::string_view header = request.headers.front().value;
  Require(value.empty() || (value.data() >= header.data() && value.end() <= header.end()));
  Require(!value.contains(';'));
  return 0;
}
