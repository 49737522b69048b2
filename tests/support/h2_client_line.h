// For tests: an HttpClient with HTTP/2 on a simulated loop, and servers with hand-written frames.
// Layering: must not be used outside of tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/client/test_client_line.h"
#include "eider/protocols/http/h2/test_asker.h"

namespace eider::testing {

using h2::test::Frame;
using h2::test::frame;
using h2::test::greeting;
using h2::test::kEndHeaders;
using h2::test::kEndStream;
using h2::test::literal;
using h2::test::reply;
using h2::test::setting;
using h2::test::Type;
using h2::test::word;

/// Returns HEADERS and DATA of a whole response.
inline std::string h2_response(std::uint32_t stream, std::string_view content,
                               std::string_view more = {}, std::string_view status = "200") {
  return reply(stream, 0, status, more) + frame(Type::data, kEndStream, stream, content);
}

inline std::string goaway(std::uint32_t last_stream, std::uint32_t code = 0) {
  return frame(Type::goaway, 0, 0, word(last_stream) + word(code));
}

inline std::string reset(std::uint32_t stream, std::uint32_t code) {
  return frame(Type::rst_stream, 0, stream, word(code));
}

class H2Line : public ClientLine {
 public:
  explicit H2Line(ClientOptions options = {}, Http2Use use = Http2Use::always)
      : ClientLine(with_http2(std::move(options), use)) {}

  /// Returns the frames that the client has sent on connection `index` since the last call, without
  /// the preface.
  [[nodiscard]] std::vector<Frame> frames(std::size_t index = 0) {
    const std::string bytes = sent(index);
    std::string_view rest = bytes;
    if (rest.starts_with(h2::kPreface)) {
      rest.remove_prefix(h2::kPreface.size());
    }
    return h2::test::frames_of(rest);
  }
  /// Returns the streams of the requests among them.
  [[nodiscard]] std::vector<std::uint32_t> requests(std::size_t index = 0) {
    std::vector<std::uint32_t> streams;
    for (const Frame& one : frames(index)) {
      if (one.type == Type::headers) {
        streams.push_back(one.stream);
      }
    }
    return streams;
  }
  [[nodiscard]] static bool has(const std::vector<Frame>& frames, Type type, std::uint32_t stream) {
    return std::ranges::any_of(
        frames, [=](const Frame& one) { return one.type == type && one.stream == stream; });
  }
  /// Returns the content of one stream among them, with "|" at its end.
  [[nodiscard]] static std::string content(const std::vector<Frame>& frames, std::uint32_t stream) {
    std::string all;
    for (const Frame& one : frames) {
      if (one.type == Type::data && one.stream == stream) {
        all += one.payload;
        all += (one.flags & kEndStream) != 0 ? "|" : "";
      }
    }
    return all;
  }

 private:
  static ClientOptions with_http2(ClientOptions options, Http2Use use) {
    options.http2 = use;
    return options;
  }
};

}  // namespace eider::testing
