// Makes a request head out of HTTP/2's decoded fields, as strictly as HTTP/1.1's is read.
// Must not know frames or HPACK: it is given one field after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "eider/base/buffer.h"
#include "eider/http/head.h"

namespace eider::h2 {

struct HeadLimits {
  /// Names and values, and 32 bytes for each field as RFC 9113, section 6.5.2 counts; more is 431.
  std::uint32_t head_bytes_max = 16 * 1024;
  /// A longer ":path" is 414.
  std::uint32_t target_bytes_max = 8 * 1024;
  /// More fields are 431; the crumbs of a cookie are one.
  std::uint32_t fields_max = 100;
};

/// Why a head is not served.
///
/// status  of the response
/// text    one sentence for the client, naming nothing that the client sent
struct HeadRefusal {
  int status;
  std::string_view text;
};

/// Whether content follows the head.
enum class Ends : std::uint8_t { with_head, with_content };

/// One per stream, kept for the next one: the head that it makes points into it.
class HeadBuilder {
 public:
  /// Forgets what there was. Small memory is kept.
  void begin() noexcept;

  /// Takes the next field. What is wrong with it, `finish` says.
  void add(std::string_view name, std::string_view value, const HeadLimits& limits);

  /// Fills in the head.
  ///
  /// returns  nothing when the head is well formed; it is valid until the next `begin`
  /// errors   400 for malformed requests, 414, 417, 431, and 501 for methods and protocols that
  ///          nobody knows
  /// source   RFC 9113, sections 8.2 and 8.3; RFC 9110, sections 7.2, 8.6 and 10.1.1; RFC 8441
  [[nodiscard]] std::optional<HeadRefusal> finish(Ends ends, RequestHead& head);

  /// The list's size until now, as `head_bytes_max` counts; goes on where a head was refused.
  [[nodiscard]] std::uint64_t listed_bytes() const noexcept { return listed_bytes_; }
  /// A Priority field is there (RFC 9218, section 5).
  [[nodiscard]] bool has_priority() const noexcept { return has_priority_; }
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
    early_data,
    priority,
  };

  [[nodiscard]] static Known known(std::string_view name) noexcept;
  [[nodiscard]] static bool is_connection_specific(Known field, std::string_view value) noexcept;

  [[nodiscard]] std::string_view of(Span span) const noexcept {
    return text_.view().substr(span.at, span.bytes);
  }
  [[nodiscard]] Span keep(std::string_view text);
  [[nodiscard]] Span* place_of(std::string_view name) noexcept;
  [[nodiscard]] bool has_method(Method parsed) const noexcept;
  void refuse(int status, std::string_view text) noexcept;
  void add_pseudo(std::string_view name, std::string_view value, const HeadLimits& limits);
  void add_field(std::string_view name, std::string_view value, const HeadLimits& limits);
  void note_field(Known field, std::string_view value);
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
  Span method_;
  Span path_;
  Span scheme_;
  Span authority_;
  Span protocol_;
  Span host_;
  bool has_length_ = false;
  bool expects_continue_ = false;
  bool is_early_ = false;
  bool has_priority_ = false;
  std::optional<HeadRefusal> refusal_;
};

}  // namespace eider::h2
