// The errors of multipart/form-data, each with its status and its RFC section, in one table.
// Layering: must not know how the content is read.
#pragma once

#include <cstdint>
#include <string_view>

namespace eider {

enum class MultipartRefusal : std::uint8_t {
  none,
  // Errors of Content-Type.
  not_form_data,
  missing_boundary,
  bad_boundary,
  // Errors of the structure around the parts.
  preamble_too_large,
  epilogue_too_large,
  bad_delimiter_line,
  truncated,
  too_many_parts,
  part_too_large,
  content_too_large,
  // Errors of a part's header.
  header_too_large,
  too_many_headers,
  bad_header,
  doubled_header,
  missing_disposition,
  bad_disposition,
  missing_name,
  bad_name,
  name_too_long,
  filename_too_long,
  coded_part,
};

/// The description of an error.
///
/// status   400, 413 or 415
/// text     one sentence for the client, without data from the client
/// section  the rule, e.g. "RFC 7578, 4.2"
struct MultipartRefusalInfo {
  int status;
  std::string_view text;
  std::string_view section;
};

/// Returns the table's row. Pre: refusal != MultipartRefusal::none.
[[nodiscard]] const MultipartRefusalInfo& refusal_info(MultipartRefusal refusal) noexcept;

}  // namespace eider
