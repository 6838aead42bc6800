// The images of a session: those that the provider refuses become texts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/diagnosis.h"
#include "providers/image.h"
#include "turnlog/providers/lint.h"

namespace turnlog {

class SessionImages {
 public:
  // No provider: until one is set, only what is no image is refused.
  SessionImages(std::optional<Provider> provider, Diagnosis& diagnosis) : provider_(provider), diagnosis_(diagnosis) {}

  // Images are judged at the end: a session goes on with the model that it had last.
  void SetProvider(Provider provider) { provider_ = provider; }

  // `part`: the block around it. `data`: the JSON string with its base64 or data URL; `media_type`: the JSON string
  // beside it, empty if there is none. `fields`: those of a block with a text instead, each with a comma; empty: as the
  // provider has them.
  void Add(const SessionRecord& record, std::string_view part, std::string_view data, std::string_view media_type,
           std::string fields = {});
  // An image that is removed, because no text can be in its place: from `begin` to `end`, with a comma.
  void AddRemovable(const SessionRecord& record, std::uint64_t begin, std::uint64_t end, std::string_view data,
                    std::string_view media_type);
  // What follows is sent without what was before.
  void Forget();
  void Finish();

 private:
  struct Range {
    std::uint64_t begin = 0, end = 0;
  };
  struct Image {
    FindingLocation location;
    Range block;
    std::string fields;
    bool is_removable = false;
    bool is_elsewhere = false;  // nothing is known of it
    std::size_t base64_bytes = 0;
    std::optional<ImageInfo> info;  // nothing: it is no image
    std::string media_type;
    std::vector<Range> types;  // where the media type is written
  };

  Image Measure(const SessionRecord& record, Range block, std::string_view data, std::string_view media_type) const;
  std::string_view FindFault(const Image& image, std::string& detail) const;
  bool CorrectType(const Image& image, const std::string& detail);
  bool IsLarge(const Image& image) const;
  void JudgeEach();
  void Replace(std::string_view rule, const Image& image, std::string detail);

  std::optional<Provider> provider_;
  Diagnosis& diagnosis_;
  std::vector<Image> images_;  // that are kept
};

}  // namespace turnlog
