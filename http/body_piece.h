// A piece of a request's body, on its way from the parser to a sink.
#pragma once

#include <string.h>  // NOLINT(modernize-deprecated-headers): explicit_bzero

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/secret_string.h"

namespace turnlog {

// Bytes of a body between the parser and the sink, which nobody needs afterwards. No coroutine waits while it has this.
class BodyPiece {
 public:
  BodyPiece() : bytes_(Memory()) {}
  BodyPiece(const BodyPiece&) = delete;
  BodyPiece& operator=(const BodyPiece&) = delete;
  ~BodyPiece() { ::explicit_bzero(bytes_.data(), filled_); }

  boost::system::error_code Parse(boost::beast::http::request_parser<boost::beast::http::buffer_body>& parser,
                                  boost::beast::basic_flat_buffer<WipingAllocator<char>>& buffer) {
    auto& body = parser.get().body();
    body.data = bytes_.data();
    body.size = bytes_.size();
    body.more = true;
    boost::system::error_code error;
    buffer.consume(parser.put(buffer.data(), error));
    filled_ = bytes_.size() - body.size;
    return error;
  }
  std::string_view view() const { return {bytes_.data(), filled_}; }

 private:
  static std::vector<char>& Memory() {
    thread_local std::vector<char> memory(std::size_t{64} << 10);
    return memory;
  }

  const std::span<char> bytes_;
  std::size_t filled_ = 0;
};

}  // namespace turnlog
