#include "turnlog/inquiry/remembered.h"

#include "turnlog/inquiry/answer.h"

namespace turnlog {
namespace {

bool MayBeRemembered(const Question& question) {
  return question.answer_type.kind != AnswerKind::kSecret && question.persistence != "none";
}

}  // namespace

bool RememberedAnswers::Remember(const AnswerKey& key, const Question& question, const InquiryResponse& response) {
  if (!MayBeRemembered(question) || response.outcome != Outcome::kAnswered) return false;
  answers_.insert_or_assign(key, Answered{question, {response.answer, response.responder}});
  return true;
}

std::optional<RememberedAnswer> RememberedAnswers::Find(const AnswerKey& key, const Question& question) const {
  const auto answered = answers_.find(key);
  if (answered == answers_.end() || !MayBeRemembered(question)) return std::nullopt;
  const bool same = SameQuestion(answered->second.question, question);
  return same ? std::optional(answered->second.answer) : std::nullopt;
}

std::optional<RememberedPermission> RememberedPermissions::Find(const PermissionKey& key) const {
  const auto permission = permissions_.find(key);
  return permission == permissions_.end() ? std::nullopt : std::optional(permission->second);
}

}  // namespace turnlog
