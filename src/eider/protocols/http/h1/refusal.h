// The errors of HTTP/1.x requests, each with its status and its RFC section, in one table.
// Layering: must not be used for valid requests: the application responds to those.
#pragma once

#include <cstdint>
#include <string_view>

#include "eider/protocols/http/refusal.h"

namespace eider::h1 {

enum class Refusal : std::uint8_t {
  none,
  // The request line.
  bad_leading_line,
  bad_method,
  unknown_method,
  bad_target,
  target_too_long,
  bad_version,
  unsupported_version,
  // Field lines.
  bare_lf,
  bare_cr,
  bad_field_name,
  space_before_colon,
  folded_line,
  bad_field_value,
  head_too_large,
  too_many_fields,
  // What the fields say.
  missing_host,
  doubled_host,
  bad_host,
  bad_connection,
  unknown_expectation,
  // Framing.
  bad_content_length,
  doubled_content_length,
  content_length_too_large,
  length_with_coding,
  coding_in_http_1_0,
  bad_transfer_coding,
  unknown_transfer_coding,
  repeated_chunked,
  chunked_not_last,
  // The content.
  bad_chunk_size,
  chunk_too_large,
  bad_chunk_extension,
  chunk_extension_too_large,
  bad_chunk_end,
  bad_trailer,
  trailers_too_large,
  // The clock.
  head_too_slow,
};

/// What a refusal says and why.
///
/// status   of the response; the connection is always closed behind it
/// text     one sentence for the client, naming nothing that the client sent
/// section  the rule, e.g. "RFC 9112, 3.2"
struct RefusalInfo {
  int status;
  std::string_view text;
  std::string_view section;
};

/// The table's row. Pre: refusal != Refusal::none.
[[nodiscard]] const RefusalInfo& refusal_info(Refusal refusal) noexcept;
/// The same as any protocol's. Pre: as above.
[[nodiscard]] inline RequestRefusal to_request_refusal(Refusal refusal) noexcept {
  const RefusalInfo& info = refusal_info(refusal);
  return {info.status, info.text};
}

}  // namespace eider::h1
