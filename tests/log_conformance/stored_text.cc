#include "tests/log_conformance/stored_text.h"

#include "tests/store/log_fixture.h"

namespace turnlog {
namespace {

class TextSearch : public StorageVisitor {
 public:
  explicit TextSearch(std::string_view text) : text_(text) {}

  void OnPiece(const StoragePiece& piece) override {
    if (piece.bytes.find(text_) != std::string_view::npos) Found(piece.object);
  }
  void OnEntry(std::string_view object, std::string_view key, std::string_view value) override {
    if (key.find(text_) != std::string_view::npos || value.find(text_) != std::string_view::npos) Found(object);
  }
  void OnUnreadable(std::string_view object, std::string_view reason) override {
    ADD_FAILURE() << object << ": " << reason;
  }

  std::vector<std::string> found;

 private:
  void Found(std::string_view object) {
    if (found.empty() || found.back() != object) found.emplace_back(object);
  }

  const std::string_view text_;
};

}  // namespace

std::vector<std::string> StoredObjectsWith(Log& log, std::string_view text) {
  TextSearch search(text);
  Must(log.VisitStorage({.overlap = text.size(), .progress = {}}, search));
  return search.found;
}

}  // namespace turnlog
