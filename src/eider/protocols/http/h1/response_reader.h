// Parses the head of one HTTP/1.x response (RFC 9112, sections 2 to 9).
// Layering: must not keep bytes, know sockets, or allocate after construction.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "eider/protocols/http/h1/head_reader.h"
#include "eider/protocols/http/head.h"

namespace eider::h1 {

enum class ResponseFlaw : std::uint8_t {
  none,
  // Errors of the status line.
  bad_version,
  unsupported_version,
  bad_status,
  bad_reason,
  // Errors of field lines.
  bare_lf,
  bare_cr,
  bad_field_name,
  folded_line,
  bad_field_value,
  head_too_large,
  too_many_fields,
  // Errors of field values.
  bad_content_length,
  different_content_lengths,
  content_length_too_large,
  length_with_coding,
  bad_transfer_coding,
  unknown_transfer_coding,
  // Errors of the content.
  bad_chunk,
  chunk_extension_too_large,
  bad_trailer,
  trailers_too_large,
};

/// text     one sentence without data from the server
/// section  the rule, e.g. "RFC 9112, 4"
struct ResponseFlawInfo {
  std::string_view text;
  std::string_view section;
};

/// Returns the table's row. Pre: flaw != ResponseFlaw::none.
[[nodiscard]] const ResponseFlawInfo& flaw_info(ResponseFlaw flaw) noexcept;

struct ResponseLimits {
  /// From the first byte to the end of the empty line.
  std::uint32_t head_bytes_max = 128 * 1024;
  std::uint32_t headers_max = 1000;
};

/// How the end of the content is determined (RFC 9112, section 6.3).
enum class ReplyBody : std::uint8_t { none, sized, chunked, until_close };

struct ReplyHead {
  /// 100 to 999: a code above 599 counts as a server error (RFC 9110, section 15).
  int status = 0;
  /// 0 or 1. HTTP/1.2 and later minors count as 1 (RFC 9110, section 2.5).
  std::uint8_t minor_version = 1;
  ReplyBody body = ReplyBody::none;
  /// The connection can be reused after the content (RFC 9112, section 9.3).
  bool keeps_alive = false;
  /// Content bytes that follow when body == ReplyBody::sized, else 0.
  std::uint64_t content_length = 0;
  /// All field lines in their order.
  std::span<const Field> fields;
  /// The bytes of the head, from the version to the empty line. The fields point into them.
  std::string_view bytes;

  /// Returns whether another head follows: for 1xx, except 101, after which another protocol
  /// follows.
  [[nodiscard]] bool is_interim() const noexcept { return status < 200 && status != 101; }
  /// Returns the first field with that name, case-insensitive.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept {
    return find_field(fields, name);
  }
};

/// There is one per event loop for all its connections. It keeps the fields of the last head.
///
/// A head that arrives in pieces is parsed again only after its end has arrived: see HeadSearch.
class ResponseReader {
 public:
  ResponseReader() = default;
  ResponseReader(const ResponseReader&) = delete;
  ResponseReader& operator=(const ResponseReader&) = delete;

  /// Reads the head at the start of `in`.
  ///
  /// in       unread bytes of the connection, any number; head() points into them
  /// asked    the request's method: HEAD and CONNECT change where the response ends
  /// returns  complete   head() and head_bytes() are valid until the next read
  ///          need_more  incomplete but correct so far: call again with the same bytes and more
  ///          refused    see flaw(); with more bytes, the result is the same
  /// cost     one pass, no allocation unless limits.headers_max has grown
  /// source   RFC 9112, sections 2.2, 4, 5, 6, 7 and 9
  [[nodiscard]] HeadStatus read(std::string_view in, Method asked, const ResponseLimits& limits);

  /// Pre: the last read returned complete.
  [[nodiscard]] const ReplyHead& head() const noexcept { return head_; }
  [[nodiscard]] std::size_t head_bytes() const noexcept { return head_.bytes.size(); }
  /// Pre: the last read returned refused.
  [[nodiscard]] ResponseFlaw flaw() const noexcept { return flaw_; }

 private:
  std::vector<Field> fields_;
  ReplyHead head_;
  ResponseFlaw flaw_ = ResponseFlaw::none;
};

}  // namespace eider::h1
