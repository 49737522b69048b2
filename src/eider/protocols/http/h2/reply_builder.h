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
  /// Names and values, and 32 bytes for each field as RFC 9113, section 6.5.2 counts. Of trailers,
  /// too.
  std::uint32_t head_bytes_max = 32 * 1024;
  std::uint32_t headers_max = 1000;
};

struct ReplyHead {
  /// 100 to 599, and not 101.
  int status = 0;
  /// Whether content follows, or trailers.
  Ends ends = Ends::with_head;
  /// What the server says of it, if it does.
  std::optional<std::uint64_t> content_length;
  /// All fields in their order, in lower case.
  std::span<const Field> fields;
  /// Where the fields point.
  std::string_view bytes;

  /// Another head follows.
  [[nodiscard]] bool is_interim() const noexcept { return status < 200; }
};

/// Why a response is none.
///
/// text  one sentence that names nothing that the server sent
struct ReplyRefusal {
  /// A limit was exceeded; else it is malformed.
  bool is_size = false;
  std::string_view text;
};

/// One per connection: no two heads arrive at the same time.
class ReplyBuilder {
 public:
  enum class Kind : std::uint8_t { head, trailers };

  /// Forgets what there was. Small memory is kept.
  void begin(Kind kind) noexcept;
  /// Takes the next field. What is wrong with it, `finish` says.
  void add(std::string_view name, std::string_view value, const ReplyLimits& limits);

  /// Fills in the head, unless trailers were built.
  ///
  /// returns  nothing when it is well formed; it is valid until the next `begin`
  /// source   RFC 9113, sections 8.1, 8.2 and 8.3.2; RFC 9110, section 8.6
  [[nodiscard]] std::optional<ReplyRefusal> finish(Ends ends, ReplyHead& head);

  /// "name: value\r\n" each. Pre: `finish` has refused nothing.
  [[nodiscard]] std::string_view trailer_lines() const noexcept { return text_.view(); }
  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  /// The list's size until now; goes on where a head was refused.
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
