// The errors of HTTP/1.x requests, each with its status and its RFC section, in one table.
// Layering: must not be used for valid requests: the application responds to those.
#pragma once

#include <cstdint>
#include <string_view>

#include "eider/protocols/http/refusal.h"

namespace eider::h1 {

enum class Refusal : std::uint8_t {
  none,
  // Errors of the request line.
  bad_leading_line,
  bad_method,
  unknown_method,
  bad_target,
  target_too_long,
  bad_version,
  unsupported_version,
  // Errors of field lines.
  bare_lf,
  bare_cr,
  bad_field_name,
  space_before_colon,
  folded_line,
  bad_field_value,
  head_too_large,
  too_many_fields,
  // Errors of field values.
  missing_host,
  doubled_host,
  bad_host,
  bad_connection,
  unknown_expectation,
  // Errors of the framing.
  bad_content_length,
  doubled_content_length,
  content_length_too_large,
  length_with_coding,
  coding_in_http_1_0,
  bad_transfer_coding,
  unknown_transfer_coding,
  repeated_chunked,
  chunked_not_last,
  // Errors of the content.
  bad_chunk_size,
  chunk_too_large,
  bad_chunk_extension,
  chunk_extension_too_large,
  bad_chunk_end,
  bad_trailer,
  trailers_too_large,
  // Timeouts.
  head_too_slow,
};

/// The description of an error.
///
/// status   of the response; the connection is always closed afterwards
/// text     one sentence for the client, without data from the client
/// section  the rule, e.g. "RFC 9112, 3.2"
struct RefusalInfo {
  int status;
  std::string_view text;
  std::string_view section;
};

/// Returns the table's row. Pre: refusal != Refusal::none.
[[nodiscard]] const RefusalInfo& refusal_info(Refusal refusal) noexcept;
/// Converts it to the error type of all protocols. Pre: refusal != Refusal::none.
[[nodiscard]] inline RequestRefusal to_request_refusal(Refusal refusal) noexcept {
  const RefusalInfo& info = refusal_info(refusal);
  return {info.status, info.text};
}

}  // namespace eider::h1
