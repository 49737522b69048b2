// For tests: a HttpClient that speaks HTTP/2 on a simulated loop, and servers whose frames are
// written by hand. Must not be used outside of tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/client/detail/test_client_line.h"
#include "eider/http/h2/detail/test_asker.h"

namespace eider::testing {

using h2::test::frame;
using h2::test::greeting;
using h2::test::kEndHeaders;
using h2::test::kEndStream;
using h2::test::literal;
using h2::test::reply;
using h2::test::setting;
using h2::test::Type;
using h2::test::word;

struct H2Frame {
  Type type;
  std::uint8_t flags;
  std::uint32_t stream;
  std::string payload;
};

/// HEADERS and DATA of a whole answer.
inline std::string h2_answer(std::uint32_t stream, std::string_view content,
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

  /// What the client has sent over line `index` since it was last asked for, without the preface.
  [[nodiscard]] std::vector<H2Frame> frames(std::size_t index = 0) {
    std::string bytes = sent(index);
    std::string_view rest = bytes;
    if (rest.starts_with(h2::kPreface)) {
      rest.remove_prefix(h2::kPreface.size());
    }
    const auto byte = [&rest](std::size_t at) {
      return static_cast<std::uint32_t>(static_cast<unsigned char>(rest[at]));
    };
    std::vector<H2Frame> all;
    while (rest.size() >= 9) {
      const std::size_t size = byte(0) << 16 | byte(1) << 8 | byte(2);
      all.push_back({static_cast<Type>(rest[3]), static_cast<std::uint8_t>(rest[4]),
                     byte(5) << 24 | byte(6) << 16 | byte(7) << 8 | byte(8),
                     std::string(rest.substr(9, size))});
      rest.remove_prefix(std::min(rest.size(), 9 + size));
    }
    return all;
  }
  /// The streams of the requests among them.
  [[nodiscard]] std::vector<std::uint32_t> requests(std::size_t index = 0) {
    std::vector<std::uint32_t> streams;
    for (const H2Frame& one : frames(index)) {
      if (one.type == Type::headers) {
        streams.push_back(one.stream);
      }
    }
    return streams;
  }
  [[nodiscard]] static bool has(const std::vector<H2Frame>& frames, Type type,
                                std::uint32_t stream) {
    return std::ranges::any_of(
        frames, [=](const H2Frame& one) { return one.type == type && one.stream == stream; });
  }
  /// All content among them on one stream, and "|" at its end.
  [[nodiscard]] static std::string content(const std::vector<H2Frame>& frames,
                                           std::uint32_t stream) {
    std::string all;
    for (const H2Frame& one : frames) {
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
