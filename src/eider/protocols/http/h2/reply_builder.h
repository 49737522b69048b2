// Builds a response head from decoded HTTP/2 headers, as strictly as for HTTP/1.1.
// Layering: must not know frames or HPACK: it receives one header after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "eider/core/base/buffer.h"
#include "eider/protocols/http/h2/head_builder.h"
#include "eider/protocols/http/head.h"

namespace eider::h2 {

struct ReplyLimits {
  /// Names and values, and 32 bytes for each field, as in RFC 9113, section 6.5.2. Also applies to
  /// trailers.
  std::uint32_t head_bytes_max = 32 * 1024;
  std::uint32_t headers_max = 1000;
};

struct ReplyHead {
  /// 100 to 599, and not 101.
  int status = 0;
  /// Whether content follows, or trailers.
  Ends ends = Ends::with_head;
  /// The announced length of the content, if any.
  std::optional<std::uint64_t> content_length;
  /// All fields in order, with lowercase names.
  std::span<const Field> fields;
  /// The memory of the fields.
  std::string_view bytes;

  /// Another head follows.
  [[nodiscard]] bool is_interim() const noexcept { return status < 200; }
};

/// Why a response is invalid.
///
/// text  one sentence without data from the server
struct ReplyRefusal {
  /// Whether a limit was exceeded; if not, the response is malformed.
  bool is_size = false;
  std::string_view text;
};

/// One per connection: no two heads arrive at the same time.
class ReplyBuilder {
 public:
  enum class Kind : std::uint8_t { head, trailers };

  /// Resets the builder. Small memory is kept.
  void begin(Kind kind) noexcept;
  /// Adds the next field. `finish` reports errors.
  void add(std::string_view name, std::string_view value, const ReplyLimits& limits);

  /// Fills in the head, unless trailers were built.
  ///
  /// returns  nothing if it is valid; the head is valid until the next `begin`
  /// source   RFC 9113, sections 8.1, 8.2 and 8.3.2; RFC 9110, section 8.6
  [[nodiscard]] std::optional<ReplyRefusal> finish(Ends ends, ReplyHead& head);

  /// Returns the trailers, each "name: value\r\n". Pre: `finish` returned no error.
  [[nodiscard]] std::string_view trailer_lines() const noexcept { return text_.view(); }
  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  /// Returns the size of the fields so far; also counts fields of a rejected head.
  [[nodiscard]] std::uint64_t listed_bytes() const noexcept { return listed_bytes_; }

 private:
  struct Piece {
    std::uint32_t at;
    std::uint32_t name_bytes;
    std::uint32_t value_bytes;
  };

  void refuse(std::string_view text) noexcept;
  void refuse_size(std::string_view text) noexcept;
  void add_status(std::string_view name, std::string_view value);
  void add_field(std::string_view name, std::string_view value);
  void take_length(std::string_view value);
  void check_framing(Ends ends) noexcept;

  Buffer text_;
  std::vector<Piece> pieces_;
  std::vector<Field> fields_;
  std::uint64_t listed_bytes_ = 0;
  std::optional<std::uint64_t> content_length_;
  std::optional<ReplyRefusal> refusal_;
  int status_ = 0;
  Kind kind_ = Kind::head;
};

}  // namespace eider::h2
