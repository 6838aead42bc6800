// The images of a session: those that the provider refuses become texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "doctor/diagnosis.h"
#include "turnlog/providers/lint.h"

namespace turnlog {

class SessionImages {
 public:
  SessionImages(Provider provider, Diagnosis& diagnosis) : provider_(provider), diagnosis_(diagnosis) {}

  // `part`: the block around it. `data`: the JSON string with its base64 or data URL; `media_type`: the JSON string
  // beside it, empty if there is none.
  void Add(const SessionRecord& record, std::string_view part, std::string_view data, std::string_view media_type);
  // What follows is sent without what was before.
  void Forget();
  // What only the number of all images shows.
  void Finish();

 private:
  struct Image {
    FindingPlace place;
    std::uint64_t begin = 0, end = 0;  // of the block
    bool is_large = false;             // too large if there are many
  };

  void Replace(std::string_view rule, const Image& image, std::string detail);
  std::string_view Fault(std::string_view base64, std::string_view media_type, Image& image, std::string& detail,
                         std::string_view& true_type) const;

  const Provider provider_;
  Diagnosis& diagnosis_;
  std::vector<Image> images_;  // that are kept
};

}  // namespace turnlog
