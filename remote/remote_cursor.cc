#include "remote/remote_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/secret_string.h"
#include "base/try.h"
#include "http/url.h"
#include "log/item.h"
#include "remote/item_stream.h"

namespace turnlog {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kReadAtOnce = std::size_t{64} << 10;
constexpr milliseconds kLongestWait{30'000};  // of one call; a longer wait is several

std::unexpected<Error> Broken(std::string_view what) {
  return std::unexpected(Error{ErrorCode::kIo, fmt::format("the service's answer {}", what)});
}

HttpCall ItemsCall(std::string target) {
  return {.method = "GET", .target = std::move(target), .headers = {{"Accept", std::string(kItemsType)}}, .body = {}};
}

// Takes items off a body as it arrives, with their prefixes. What is returned is valid until the next call.
class ItemReader {
 public:
  explicit ItemReader(std::unique_ptr<ServiceClient::Body> body) : body_(std::move(body)) {}

  Result<std::string_view> Next() {
    for (;;) {
      const std::string_view rest = buffer_.view().substr(begin_, end_ - begin_);
      const std::uint64_t length = ItemLength(rest);
      if (length > kMaxItemBytes) return Broken("is too long");
      if (length != 0 && rest.size() >= length) {
        begin_ += static_cast<std::size_t>(length);
        return rest.substr(0, static_cast<std::size_t>(length));
      }
      MakeRoom(static_cast<std::size_t>(length));
      const std::size_t got = TURNLOG_TRY(body_->Read(buffer_.Resize(buffer_.size()).subspan(end_)));
      if (got == 0) return Broken("is cut off");
      end_ += got;
    }
  }

 private:
  // For an item of this length, of which the beginning is there; 0: it is not known.
  void MakeRoom(std::size_t length) {
    const std::size_t room = std::max(length, kReadAtOnce);
    if (buffer_.size() - begin_ >= room && buffer_.size() > end_) return;
    const std::span<char> bytes = buffer_.Resize(std::max(buffer_.size(), room + kReadAtOnce));
    std::ranges::copy(bytes.subspan(begin_, end_ - begin_), bytes.begin());
    end_ -= begin_;
    begin_ = 0;
  }

  const std::unique_ptr<ServiceClient::Body> body_;
  SecretString buffer_;
  std::size_t begin_ = 0, end_ = 0;  // of what was read and not taken
};

// The last record's payload, at an address where it can be decoded.
class AlignedCopy {
 public:
  void Take(Record& record) {
    words_.resize((record.payload.size() + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t));
    char* const bytes = reinterpret_cast<char*>(words_.data());
    std::ranges::copy(record.payload, bytes);
    record.payload = {bytes, record.payload.size()};
  }

 private:
  WipedVector<std::uint64_t> words_;
};

std::string QueryOf(const ReadOptions& options) {
  std::string query = fmt::format("/events?view=raw&limit={}", options.limit);
  if (options.backward) query += "&order=backward";
  if (options.last_turns) {
    query += fmt::format("&last_turns={}", *options.last_turns);
  } else if (options.from_turn) {
    query += fmt::format("&turn={}", options.from_turn->value);
  } else {
    query += fmt::format("&from={}", options.from.value);
  }
  return query;
}

class RemoteCursor : public Cursor {
 public:
  RemoteCursor(std::shared_ptr<ServiceClient> client, ConversationId conversation, const ReadOptions& options)
      : client_(std::move(client)), conversation_(std::move(conversation)), options_(options) {}

  Status Open() {
    items_.emplace(TURNLOG_TRY(client_->Open(ItemsCall(ConversationPath(conversation_, QueryOf(options_))))));
    return {};
  }

  Result<Item> Next() override {
    if (ended_) return EndOfLog{};
    for (;;) {
      TURNLOG_TRY(client_->MustBeOpen());
      auto next = items_->Next();
      if (next) return IsRecord(*next) ? Take(ParseRecord(*next)) : Take(ParseItem(*next));
      if (!Continue()) return std::unexpected(std::move(next).error());
      TURNLOG_TRY(Open());
    }
  }

 private:
  Result<Item> Take(Result<Record> record) {
    if (!record) return std::unexpected(std::move(record).error());
    payload_.Take(*record);
    record->conversation = conversation_.text();
    ++returned_;
    last_ = record->seq;
    return *record;
  }

  Result<Item> Take(Result<WireItem> next) {
    if (!next) return std::unexpected(std::move(next).error());
    if (next->type == WireType::kError) return std::unexpected(std::move(next->error));
    ended_ = next->type == WireType::kEnd;
    if (ended_) return EndOfLog{};
    ++returned_;
    last_ = SeqOf(next->item);
    return std::move(next->item);
  }

  // Makes the options those of the rest, after a lost connection. False: no options say what the rest is.
  bool Continue() {
    if (returned_ == 0) return true;
    const bool from_turn = options_.backward && (options_.from_turn || options_.last_turns);
    if (last_.value == 0 || from_turn) return false;
    if (options_.limit != UINT64_MAX) options_.limit -= returned_;
    if (options_.backward && last_.value == 1) options_.limit = 0;
    options_.from = {options_.backward ? std::max<std::uint64_t>(last_.value - 1, 1) : last_.value + 1};
    options_.from_turn.reset();
    options_.last_turns.reset();
    returned_ = 0;
    return true;
  }

  const std::shared_ptr<ServiceClient> client_;
  const ConversationId conversation_;
  ReadOptions options_;
  std::optional<ItemReader> items_;
  AlignedCopy payload_;
  bool ended_ = false;
  std::uint64_t returned_ = 0;
  Seq last_;
};

// One call fetches what there is, up to a limit, and the position after each item. So it does not matter whether the
// next call reaches the same service.
class RemoteTail : public Tail {
 public:
  RemoteTail(std::shared_ptr<ServiceClient> client, const Position& from, std::optional<ConversationId> conversation)
      : client_(std::move(client)), conversation_(std::move(conversation)), position_(from) {}

  // `wait`: for the first item, if there is none.
  Status Fetch(milliseconds wait) {
    std::string target = fmt::format("/v1/tail?from={}&wait={}", PercentEncode(position_.ToText()), wait.count());
    if (conversation_) target += "&conversation=" + PercentEncode(conversation_->text());
    bytes_ = SecretString(TURNLOG_TRY(client_->Call(ItemsCall(std::move(target)), wait)));
    begin_ = 0;
    return {};
  }

  Result<Item> Next() override {
    TURNLOG_TRY(client_->MustBeOpen());
    if (!TURNLOG_TRY(HasNext())) TURNLOG_TRY(Fetch({}));
    if (!TURNLOG_TRY(HasNext())) return EndOfLog{};
    return Take();
  }

  Result<bool> Wait(milliseconds timeout) override {
    TURNLOG_TRY(client_->MustBeOpen());
    const auto end = std::chrono::steady_clock::now() + timeout;
    for (;;) {
      if (TURNLOG_TRY(HasNext())) return true;
      const auto left = std::chrono::ceil<milliseconds>(end - std::chrono::steady_clock::now());
      TURNLOG_TRY(Fetch(std::clamp(left, milliseconds(0), kLongestWait)));
      if (left.count() <= 0) return HasNext();
    }
  }

  Position position() const override { return position_; }

 private:
  // The next of the fetched items; kEnd if there is none.
  Result<WireItem> Peek(std::size_t& length) const {
    const std::string_view rest = bytes_.view().substr(begin_);
    length = static_cast<std::size_t>(std::min<std::uint64_t>(ItemLength(rest), kMaxItemBytes));
    if (rest.empty()) return WireItem{};
    if (length == 0 || length > rest.size()) return Broken("is cut off");
    return ParseItem(rest.substr(0, length));
  }

  // A position follows each item, and comes last, with what was looked at in vain.
  Status TakePosition() {
    std::size_t length = 0;
    const WireItem next = TURNLOG_TRY(Peek(length));
    if (next.type != WireType::kPosition) return {};
    begin_ += length;
    position_ = next.position;
    return {};
  }

  Result<bool> HasNext() {
    TURNLOG_TRY(TakePosition());
    std::size_t length = 0;
    const WireItem next = TURNLOG_TRY(Peek(length));
    return next.type != WireType::kEnd;
  }

  Result<Item> Take() {
    std::size_t length = 0;
    WireItem next = TURNLOG_TRY(Peek(length));
    begin_ += length;
    if (next.type == WireType::kError) return std::unexpected(std::move(next.error));
    if (auto* record = std::get_if<Record>(&next.item)) payload_.Take(*record);
    TURNLOG_TRY(TakePosition());
    return std::move(next.item);
  }

  const std::shared_ptr<ServiceClient> client_;
  const std::optional<ConversationId> conversation_;
  Position position_;   // after the last item that was returned, and what was looked at in vain after it
  SecretString bytes_;  // items that were fetched
  std::size_t begin_ = 0;
  AlignedCopy payload_;
};

void Show(const WireItem& item, const StorageScan& scan, StorageVisitor& visitor) {
  if (item.type == WireType::kPiece) visitor.OnPiece(item.piece);
  if (item.type == WireType::kEntry) visitor.OnEntry(item.object, item.key, item.value);
  if (item.type == WireType::kUnreadable) visitor.OnUnreadable(item.object, item.value);
  if (item.type == WireType::kProgress && scan.progress) scan.progress(item.done, item.total);
}

}  // namespace

std::string ConversationPath(const ConversationId& conversation, std::string_view rest) {
  return fmt::format("/v1/conversations/{}{}", PercentEncode(conversation.text()), rest);
}

Result<std::unique_ptr<Cursor>> OpenRemoteCursor(std::shared_ptr<ServiceClient> client,
                                                 const ConversationId& conversation, const ReadOptions& options) {
  auto cursor = std::make_unique<RemoteCursor>(std::move(client), conversation, options);
  TURNLOG_TRY(cursor->Open());
  return cursor;
}

Result<std::unique_ptr<Tail>> OpenRemoteTail(std::shared_ptr<ServiceClient> client, const Position& from,
                                             const std::optional<ConversationId>& conversation) {
  auto tail = std::make_unique<RemoteTail>(std::move(client), from, conversation);
  TURNLOG_TRY(tail->Fetch({}));
  return tail;
}

Status VisitRemoteStorage(ServiceClient& client, const StorageScan& scan, StorageVisitor& visitor) {
  ItemReader items(TURNLOG_TRY(client.Open(ItemsCall(fmt::format("/v1/storage?overlap={}", scan.overlap)))));
  for (;;) {
    const std::string_view bytes = TURNLOG_TRY(items.Next());
    const WireItem item = TURNLOG_TRY(ParseItem(bytes));
    if (item.type == WireType::kError) return std::unexpected(item.error);
    if (item.type == WireType::kEnd) return {};
    Show(item, scan, visitor);
  }
}

}  // namespace turnlog
