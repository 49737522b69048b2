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

/// How urgent a client says that a response is (RFC 9218).
struct Priority {
  /// 0, the most urgent, to 7.
  std::uint32_t urgency = 3;
  /// It can be used before it is whole, so that it may share the connection.
  bool is_incremental = false;
};

/// Changes what the value of a Priority field says: "u=1, i". Members that are unknown or malformed
/// are ignored, as section 4 asks.
void read_priority(std::string_view value, Priority& into) noexcept;

struct HeadLimits {
  /// Names and values, and 32 bytes for each field as RFC 9113, section 6.5.2 counts; more is 431.
  std::uint32_t head_bytes_max = 16 * 1024;
  /// A longer ":path" is 414.
  std::uint32_t target_bytes_max = 8 * 1024;
  /// More fields are 431; the crumbs of a cookie are one.
  std::uint32_t headers_max = 100;
};

/// Whether content follows the head.
enum class Ends : std::uint8_t { with_head, with_content };

/// One per stream, kept for the next one: the head that it makes points into it.
class HeadBuilder {
 public:
  /// Forgets what there was. Small memory is kept.
  void begin() noexcept;

  /// Takes the next field. What is wrong with it, `is_malformed` and `finish` say.
  void add(std::string_view name, std::string_view value, const HeadLimits& limits);

  /// The request is none by HTTP/2's own rules, so that its stream has to be reset. The rest of
  /// what can be wrong means the same in every version, and gets a response: see `finish`.
  ///
  /// source  RFC 9113, sections 8.1.1, 8.2, 8.3 and 8.5; RFC 8441
  [[nodiscard]] bool is_malformed(Ends ends) const noexcept;
  /// The same of one field among trailers, which have no pseudo-header fields.
  [[nodiscard]] static bool is_trailer(std::string_view name, std::string_view value) noexcept;

  /// Counts content as it comes. False: it is more than was announced, and not to be used.
  [[nodiscard]] bool count_content(std::uint64_t bytes) noexcept {
    content_bytes_ += bytes;
    return !has_too_much();
  }
  /// More has come than Content-Length announced.
  [[nodiscard]] bool has_too_much() const noexcept {
    return has_length_ && content_bytes_ > content_length_;
  }
  /// All has come that was announced, or nothing was.
  [[nodiscard]] bool has_whole_content() const noexcept {
    return !has_length_ || content_bytes_ == content_length_;
  }

  /// Fills in the head. Pre: it is not malformed.
  ///
  /// returns  nothing when the head can be served; it is valid until the next `begin`
  /// errors   400, 414, 417, 431, and 501 for methods and protocols that nobody knows
  /// source   RFC 9110, sections 7.2, 8.6 and 10.1.1
  [[nodiscard]] std::optional<RequestRefusal> finish(Ends ends, RequestHead& head);

  /// The list's size until now, as `head_bytes_max` counts; goes on where a head was refused.
  [[nodiscard]] std::uint64_t listed_bytes() const noexcept { return listed_bytes_; }
  /// What the fields of that name say, if there are any.
  [[nodiscard]] const std::optional<Priority>& priority() const noexcept { return priority_; }
  /// What ":scheme" says; empty for a plain CONNECT. Pre: `finish` was called.
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
  /// The fields whose meaning is looked at here.
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
  void fill_target(RequestHead& head);
  void fill_path(RequestHead& head);

  Buffer text_;
  std::vector<Piece> pieces_;
  std::vector<Span> crumbs_;
  std::vector<Field> fields_;
  std::uint64_t listed_bytes_ = 0;
  std::uint64_t content_length_ = 0;
  std::uint64_t content_bytes_ = 0;  // that have come
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
