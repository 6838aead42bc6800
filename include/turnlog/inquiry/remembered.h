// What holds until the end of a turn: answers that were given to be used again, and permissions. Two stores with two
// kinds of keys, so that neither can be taken for the other. Both are rebuilt from the log (docs/inquiries.md).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "turnlog/event.h"
#include "turnlog/json.h"

namespace turnlog {

// A question of a tool, in any of its calls.
struct AnswerKey {
  std::string tool, question;
  auto operator<=>(const AnswerKey&) const = default;
};

struct RememberedAnswer {
  Json answer;
  std::optional<Responder> responder;  // who gave it
  bool operator==(const RememberedAnswer&) const = default;
};

class RememberedAnswers {
 public:
  // Takes nothing but an answer: neither `cancelled` nor `redacted`, never one to a secret, and none to a question
  // whose `persistence` is "none". Says whether it has.
  bool Remember(const AnswerKey& key, const Question& question, const InquiryResponse& response);
  // None for secrets, for questions whose `persistence` is "none", and if the one that was answered was another one
  // (SameQuestion).
  std::optional<RememberedAnswer> Find(const AnswerKey& key, const Question& question) const;

  std::size_t size() const { return answers_.size(); }
  bool operator==(const RememberedAnswers&) const = default;

 private:
  struct Answered {
    Question question;
    RememberedAnswer answer;
    bool operator==(const Answered&) const = default;
  };

  std::map<AnswerKey, Answered> answers_;
};

enum class Permission : std::uint8_t { kAllow, kDeny };

struct PermissionKey {
  std::string tool;
  std::string arguments_hash = {};  // ArgumentsHash (edited_arguments.h); empty: for all calls of the tool
  auto operator<=>(const PermissionKey&) const = default;
};

struct RememberedPermission {
  Permission permission{};
  Responder responder;  // who gave it
  bool operator==(const RememberedPermission&) const = default;
};

class RememberedPermissions {
 public:
  void Remember(const PermissionKey& key, RememberedPermission permission) {
    permissions_.insert_or_assign(key, std::move(permission));
  }
  std::optional<RememberedPermission> Find(const PermissionKey& key) const;

  std::size_t size() const { return permissions_.size(); }
  bool operator==(const RememberedPermissions&) const = default;

 private:
  std::map<PermissionKey, RememberedPermission> permissions_;
};

}  // namespace turnlog
