// The errors of HTTP/1.x responses, each with its text and its RFC section, in one table.
// Layering: must not be used for valid responses, such as a 500.
#pragma once

#include <cstdint>
#include <string_view>

namespace eider::h1 {

enum class ResponseFlaw : std::uint8_t {
  none,
  // The status line.
  bad_version,
  unsupported_version,
  bad_status,
  bad_reason,
  // Field lines.
  bare_lf,
  bare_cr,
  bad_field_name,
  folded_line,
  bad_field_value,
  head_too_large,
  too_many_fields,
  // What the fields say.
  bad_connection,
  bad_content_length,
  different_content_lengths,
  content_length_too_large,
  length_with_coding,
  coding_in_http_1_0,
  bad_transfer_coding,
  unknown_transfer_coding,
  // The content.
  bad_chunk,
  chunk_extension_too_large,
  bad_trailer,
  trailers_too_large,
};

/// text     one sentence that names nothing that the server sent
/// section  the rule, e.g. "RFC 9112, 4"
struct ResponseFlawInfo {
  std::string_view text;
  std::string_view section;
};

/// The table's row. Pre: flaw != ResponseFlaw::none.
[[nodiscard]] const ResponseFlawInfo& flaw_info(ResponseFlaw flaw) noexcept;

}  // namespace eider::h1
