#include "migrate/codex/open_questions.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"

namespace turnlog {
namespace {

bool AsksSecret(const std::vector<CodexQuestion>& questions) {
  return std::ranges::any_of(questions, &CodexQuestion::is_secret);
}

}  // namespace

void OpenCodexQuestions::Add(std::string call, std::vector<CodexQuestion> questions, std::uint64_t turn) {
  has_asked_secrets_ |= AsksSecret(questions);
  if (!questions.empty()) calls_.insert_or_assign(std::move(call), Call{turn, std::move(questions)});
}

std::vector<CodexQuestion> OpenCodexQuestions::Take(const std::string& call) {
  if (auto asked = calls_.extract(call)) return std::move(asked.mapped().questions);
  if (earlier_.empty() || earlier_.erase(Hash64(call)) == 0) return {};
  return ReadEarlier(call);
}

std::vector<InquiryRequest> OpenCodexQuestions::Abort(std::uint64_t turn) {
  AddEarlier(turn);
  std::vector<InquiryRequest> aborted;
  for (auto& [id, call] : calls_) {
    if (call.turn != turn) continue;
    for (CodexQuestion& question : call.questions) {
      if (!std::exchange(question.aborted, true)) aborted.push_back(question.request);
    }
  }
  std::erase_if(calls_, [turn](const auto& each) {
    const Call& call = each.second;
    return call.turn == turn && !AsksSecret(call.questions);
  });
  return aborted;
}

bool OpenCodexQuestions::AwaitsSecret() const {
  return std::ranges::any_of(calls_, [](const auto& call) { return AsksSecret(call.second.questions); });
}

void OpenCodexQuestions::Save(std::string& out) const {
  AppendVarint(out, calls_.size() + earlier_.size());
  const auto save = [&](std::uint64_t call, std::uint64_t turn) {
    AppendBig(out, call);
    AppendVarint(out, turn);
  };
  for (const auto& [id, call] : calls_) save(Hash64(id), call.turn);
  for (const auto& [call, turn] : earlier_) save(call, turn);
}

void OpenCodexQuestions::Restore(Decoder& in, RecordConverter::OpenQuestions earlier) {
  for (std::uint64_t left = in.Varint(); left > 0 && in.ok; --left) {
    const std::uint64_t call = in.Big();
    earlier_.emplace(call, in.Varint());
  }
  open_earlier_ = std::move(earlier);
}

// What was asked in the turn and read earlier, as if it was read now.
void OpenCodexQuestions::AddEarlier(std::uint64_t turn) {
  if (std::ranges::none_of(earlier_, [turn](const auto& call) { return call.second == turn; })) return;
  for (const std::string& call : open_earlier_.calls()) {
    const auto found = earlier_.find(Hash64(call));
    if (found == earlier_.end() || found->second != turn) continue;
    earlier_.erase(found);
    Add(call, ReadEarlier(call), turn);
  }
}

std::vector<CodexQuestion> OpenCodexQuestions::ReadEarlier(const std::string& call) const {
  const auto arguments = open_earlier_.arguments(call);
  if (!arguments) return {};
  return ReadCodexQuestions(call, JsonObject::Parse(*arguments).value_or(JsonObject()));
}

}  // namespace turnlog
