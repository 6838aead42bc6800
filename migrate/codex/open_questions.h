// The questions of a Codex session that the user has not answered.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/coding.h"
#include "migrate/codex/questions.h"
#include "migrate/records/record_source.h"

namespace turnlog {

class OpenCodexQuestions {
 public:
  // `turn`: how many turns had begun when the call asked them.
  void Add(std::string call, std::vector<CodexQuestion> questions, std::uint64_t turn);
  // What the call asked; it is open no longer.
  std::vector<CodexQuestion> Take(const std::string& call);
  // What is open of an aborted turn. Nobody can answer it any more: if an answer comes nevertheless, Take returns only
  // what is needed to remove secrets from it.
  std::vector<InquiryRequest> Abort(std::uint64_t turn);

  bool has_asked_secrets() const { return has_asked_secrets_; }
  // Whether a question for a secret has no answer.
  bool AwaitsSecret() const;

  void Save(std::string& out) const;
  void Restore(Decoder& in, RecordConverter::OpenQuestions earlier);

 private:
  struct Call {
    std::uint64_t turn = 0;
    std::vector<CodexQuestion> questions;
  };

  void AddEarlier(std::uint64_t turn);
  std::vector<CodexQuestion> ReadEarlier(const std::string& call) const;

  bool has_asked_secrets_ = false;
  std::map<std::string, Call, std::less<>> calls_;
  std::map<std::uint64_t, std::uint64_t> earlier_;  // turns of calls that were read earlier, by hashes of their ids
  RecordConverter::OpenQuestions open_earlier_;
};

}  // namespace turnlog
