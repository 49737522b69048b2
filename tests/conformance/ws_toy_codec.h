// A simple compressor for tests: run-length encoding as pairs of a count and a byte.
// Layering: must not be used to test DEFLATE; it replaces DEFLATE in tests of the reader.
#pragma once

#include <string>
#include <string_view>

#include "eider/protocols/http/ws/extension.h"

namespace eider::ws {

/// Run-length codec: "\3a\1b" is "aaab". A count of 0, or one without a byte at the end of the
/// message, is corrupt.
class ToyCodec final : public MessageCodec {
 public:
  [[nodiscard]] Inflated inflate(std::string_view piece, std::size_t bytes_max,
                                 Buffer& out) override {
    const std::size_t size_max = out.size() + bytes_max;
    for (const char byte : piece) {
      if (count_ == 0) {
        count_ = static_cast<unsigned char>(byte);
        if (count_ == 0) {
          return Inflated::corrupt;
        }
        continue;
      }
      for (; count_ != 0; --count_) {
        if (out.size() == size_max) {
          return Inflated::too_large;
        }
        out.append(byte);
      }
    }
    return Inflated::done;
  }

  [[nodiscard]] Inflated inflate_end(std::size_t /*bytes_max*/, Buffer& /*out*/) override {
    ++messages_ended;
    return count_ == 0 ? Inflated::done : Inflated::corrupt;
  }

  [[nodiscard]] Deflated deflate(std::string_view message, Buffer& out) override {
    while (!message.empty()) {
      std::size_t count = 1;
      while (count < 255 && count < message.size() && message[count] == message[0]) {
        ++count;
      }
      out.append(static_cast<char>(count));
      out.append(message[0]);
      message.remove_prefix(count);
    }
    return Deflated::done;
  }

  int messages_ended = 0;

 private:
  /// The count of the next byte; 0: the next byte is a count.
  unsigned count_ = 0;
};

}  // namespace eider::ws
