// The page: files that hold no content of the store, so that they are for anyone. What it shows it asks for, signed in.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/hash.h"
#include "base/try.h"
#include "service/handlers.h"
#include "service/page_files.h"

namespace turnlog {
namespace {

// Nothing but the page's own files runs or is shown, whatever a conversation contains; scripts can put text into the
// document, and no HTML.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'";

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTypes{{
    {".html", "text/html; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".svg", "image/svg+xml"},
}};

std::string_view TypeOf(std::string_view name) {
  const auto found = std::ranges::find_if(kTypes, [&](const auto& type) { return name.ends_with(type.first); });
  return found == kTypes.end() ? "application/octet-stream" : found->second;
}

Handled Serve(std::string_view name, const HttpRequest& request) {
  const auto files = PageFiles();
  const auto file = std::ranges::find(files, name, &PageFile::name);
  if (file == files.end()) return ProblemResponse(404, "the page has no such file");
  const std::string tag = fmt::format("\"{:016x}\"", Hash64(file->content));
  HttpResponse response{
      .status = 200,
      .headers = {{"Content-Type", std::string(TypeOf(name))},
                  {"Content-Security-Policy", std::string(kPolicy)},
                  {"Cross-Origin-Opener-Policy", "same-origin"},
                  {"Cache-Control", "no-cache"},  // kept, but asked for again: a restart may change it
                  {"ETag", tag}},
      .body = {}};
  if (request.header("If-None-Match") == tag) {
    response.status = 304;
  } else {
    response.body = file->content;
  }
  return response;
}

}  // namespace

Handled GetPage(ServiceState&, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  return Serve("index.html", call.request);
}

Handled GetPageFile(ServiceState&, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  return Serve(call.parameters.front(), call.request);
}

}  // namespace turnlog
