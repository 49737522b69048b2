// Builds a request head from decoded HTTP/2 headers, as strictly as for HTTP/1.1.
// Layering: must not know frames or HPACK: it receives one header after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "eider/core/base/buffer.h"
#include "eider/protocols/http/head.h"
#include "eider/protocols/http/refusal.h"

namespace eider::h2 {

/// The urgency of a response, as the client requests it (RFC 9218).
struct Priority {
  /// 0, the most urgent, to 7.
  std::uint32_t urgency = 3;
  /// The client can use parts of the response, so it may share the connection.
  bool is_incremental = false;
};

/// Reads the value of a Priority field, "u=1, i", into a Priority. Unknown or malformed members are
/// ignored, as section 4 requires.
void read_priority(std::string_view value, Priority& into) noexcept;

struct HeadLimits {
  /// Names and values, and 32 bytes for each field, as in RFC 9113, section 6.5.2; if exceeded:
  /// 431.
  std::uint32_t head_bytes_max = 16 * 1024;
  /// If ":path" is longer: 414.
  std::uint32_t target_bytes_max = 8 * 1024;
  /// More fields: 431. All parts of a split Cookie count as one.
  std::uint32_t headers_max = 100;
};

/// Whether content follows the head.
enum class Ends : std::uint8_t { with_head, with_content };

/// There is one per stream, reused for later streams. The resulting head points into it.
class HeadBuilder {
 public:
  /// Resets the builder. Small memory is kept.
  void begin() noexcept;

  /// Adds the next field. `is_malformed` and `finish` report errors.
  void add(std::string_view name, std::string_view value, const HeadLimits& limits);

  /// Returns whether the request violates HTTP/2's own rules, so that its stream must be reset.
  /// Other errors are the same in every version and get a response: see `finish`.
  ///
  /// source  RFC 9113, sections 8.1.1, 8.2, 8.3 and 8.5; RFC 8441
  [[nodiscard]] bool is_malformed(Ends ends) const noexcept;
  /// The same for one field of the trailers, which must not have pseudo-header fields.
  [[nodiscard]] static bool is_trailer(std::string_view name, std::string_view value) noexcept;

  /// Counts received content. Returns false if it exceeds the announced length; do not use it then.
  [[nodiscard]] bool count_content(std::uint64_t bytes) noexcept {
    content_bytes_ += bytes;
    return !has_too_much();
  }
  /// Returns whether more content than Content-Length was received.
  [[nodiscard]] bool has_too_much() const noexcept {
    return has_length_ && content_bytes_ > content_length_;
  }
  /// Returns whether the announced content was received completely, or no length was announced.
  [[nodiscard]] bool has_whole_content() const noexcept {
    return !has_length_ || content_bytes_ == content_length_;
  }

  /// Fills in the head. Pre: is_malformed() is false.
  ///
  /// returns  nothing if the head is valid; it remains so until the next `begin`
  /// errors   400, 414, 417, 431, and 501 for unknown methods and protocols
  /// source   RFC 9110, sections 7.2, 8.6 and 10.1.1
  [[nodiscard]] std::optional<RequestRefusal> finish(Ends ends, RequestHead& head);

  /// Returns the size of the fields so far, as for `head_bytes_max`; also counts fields of a
  /// rejected head.
  [[nodiscard]] std::uint64_t listed_bytes() const noexcept { return listed_bytes_; }
  /// Returns the content of the Priority fields, if there are any.
  [[nodiscard]] const std::optional<Priority>& priority() const noexcept { return priority_; }
  /// Returns the value of ":scheme"; empty for a plain CONNECT. Pre: `finish` was called.
  [[nodiscard]] std::string_view scheme() const noexcept { return of(scheme_); }

 private:
  struct Span {
    std::uint32_t at = 0;
    std::uint32_t bytes = 0;
    bool is_there = false;
  };
  struct Piece {
    Span name;
    Span value;
  };
  /// The fields that this class interprets.
  enum class Known : std::uint8_t {
    none,
    of_connection,
    te,
    cookie,
    host,
    content_length,
    expect,
    priority,
  };

  [[nodiscard]] static Known known(std::string_view name) noexcept;
  [[nodiscard]] static bool is_regular(Known field, std::string_view name,
                                       std::string_view value) noexcept;

  [[nodiscard]] std::string_view of(Span span) const noexcept {
    return text_.view().substr(span.at, span.bytes);
  }
  [[nodiscard]] Span keep(std::string_view text);
  [[nodiscard]] Span* place_of(std::string_view name) noexcept;
  [[nodiscard]] bool has_all_pseudo() const noexcept;
  void refuse(int status, std::string_view text) noexcept;
  void add_pseudo(std::string_view name, std::string_view value, const HeadLimits& limits);
  void add_field(std::string_view name, std::string_view value, const HeadLimits& limits);
  void note_field(Known field, std::string_view value);
  void take_priority(std::string_view value);
  void take_host(std::string_view value);
  void take_length(std::string_view value);
  void take_expectation(std::string_view value);
  void check_tunnel(Ends ends);
  void join_crumbs();
  void fill_fields(RequestHead& head);
  void fill_origin(RequestHead& head);
  void fill_target(RequestHead& head);
  void fill_path(RequestHead& head);

  Buffer text_;
  std::vector<Piece> pieces_;
  std::vector<Span> crumbs_;
  std::vector<Field> fields_;
  std::uint64_t listed_bytes_ = 0;
  std::uint64_t content_length_ = 0;
  std::uint64_t content_bytes_ = 0;  // received so far
  Span method_;
  Span path_;
  Span scheme_;
  Span authority_;
  Span protocol_;
  Span host_;
  bool has_length_ = false;
  bool expects_continue_ = false;
  bool is_malformed_ = false;
  std::optional<Priority> priority_;
  std::optional<RequestRefusal> refusal_;
};

}  // namespace eider::h2
