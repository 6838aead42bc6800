// The rules about images, which come in as many wrappings as there are APIs.
#pragma once

#include <string_view>
#include <unordered_set>
#include <vector>

#include "providers/findings.h"

namespace turnlog {

class ImageChecks {
 public:
  ImageChecks(Provider provider, Findings& findings) : provider_(provider), findings_(findings) {}

  // An inline image: `data` is the string with its base64, or with a data URL. `media_type`: as stated beside it.
  void Add(const JsonNode& data, std::string_view media_type);
  // An image that is elsewhere.
  void AddReference(const JsonNode& at);
  // What only the number of all images shows.
  void Finish();

 private:
  struct Side {
    const JsonNode* at = nullptr;
    std::uint32_t longest = 0;
  };

  void CheckBytes(const JsonNode& at, std::string_view base64, std::string_view media_type);

  const Provider provider_;
  Findings& findings_;
  std::size_t count_ = 0;
  const JsonNode* beyond_ = nullptr;  // the first image that is one too many
  std::vector<Side> sides_;
  std::unordered_set<std::string_view> seen_;
};

}  // namespace turnlog
