// Helpers that the CBOR (RFC 8949) and MessagePack converters share.
// Layering: must not be included outside json/; binary.h chooses the format.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "eider/core/base/base64.h"
#include "eider/core/base/buffer.h"
#include "eider/core/base/utf8.h"
#include "eider/core/json/value.h"
#include "eider/core/json/write.h"

namespace eider::json::detail {

/// The reason of a rejection.
struct Refused {
  std::string_view why;
};

/// Reads bytes from the start of the input. Throws Refused if there are not enough bytes.
class BinaryInput {
 public:
  explicit BinaryInput(std::string_view bytes) noexcept : rest_(bytes) {}

  [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }
  [[nodiscard]] unsigned char peek() const {
    require(1);
    return static_cast<unsigned char>(rest_.front());
  }
  [[nodiscard]] unsigned char byte() { return static_cast<unsigned char>(take(1).front()); }
  /// Reads a big-endian number of 1 to 8 bytes.
  [[nodiscard]] std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    for (const char one : take(bytes)) {
      value = value << 8U | static_cast<unsigned char>(one);
    }
    return value;
  }
  [[nodiscard]] std::string_view take(std::uint64_t bytes) {
    require(bytes);
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

 private:
  void require(std::uint64_t bytes) const {
    if (rest_.size() < bytes) {
      throw Refused{"The data ends too early."};
    }
  }

  std::string_view rest_;
};

/// Counts the depth of an item. Throws Refused at the limit.
class Deeper {
 public:
  Deeper(std::size_t& depth, std::size_t depth_max) : depth_(depth) {
    if (depth == depth_max) {
      throw Refused{"The data is nested too deeply."};
    }
    ++depth;
  }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;
  ~Deeper() { --depth_; }

 private:
  std::size_t& depth_;
};

inline void put_text(Buffer& out, std::string_view text) {
  if (!is_utf8(text)) {
    throw Refused{"The data contains text that is not UTF-8."};
  }
  write_string(out, text);
}
inline void put_bytes(Buffer& out, std::string_view bytes) {
  out.append('"');
  out.append(to_base64(bytes));
  out.append('"');
}
inline void put_real(Buffer& out, double number) {
  if (!std::isfinite(number)) {
    throw Refused{"The data contains NaN or an infinite number."};
  }
  write(out, number);
}

/// bytes  1 to 8
inline void put_big_endian(std::string& out, std::uint64_t value, unsigned bytes) {
  while (bytes-- != 0) {
    out += static_cast<char>(value >> (8 * bytes) & 0xFFU);
  }
}

/// The initial bytes of a number in single and in double precision.
struct RealMarks {
  char of_single;
  char of_double;
};

/// Writes the number in single precision if that is exact.
inline void put_number(std::string& out, double number, RealMarks marks) {
  const bool is_within = std::abs(number) <= static_cast<double>(std::numeric_limits<float>::max());
  const float single = is_within ? static_cast<float>(number) : 0;
  if (static_cast<double>(single) == number) {
    out += marks.of_single;
    put_big_endian(out, std::bit_cast<std::uint32_t>(single), 4);
  } else {
    out += marks.of_double;
    put_big_endian(out, std::bit_cast<std::uint64_t>(number), 8);
  }
}

/// Read and write one format, like `read_binary` and `write_binary`. Throw Refused.
void read_cbor(std::string_view bytes, Buffer& out);
void read_msgpack(std::string_view bytes, Buffer& out);
void write_cbor(std::string& out, const Value& value);
void write_msgpack(std::string& out, const Value& value);

}  // namespace eider::json::detail
