// Parses multipart/form-data (RFC 7578) as a stream.
// Layering: must not collect the content of a part: its caller limits the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/protocols/http/disposition.h"
#include "eider/protocols/http/head.h"
#include "eider/protocols/http/multipart_refusal.h"

namespace eider {

/// Limits of a form; a form that exceeds one gets a 413.
struct MultipartLimits {
  std::size_t parts_max = 1000;
  /// Maximum size and number of the header lines of one part.
  std::size_t header_bytes_max = 8192;
  std::size_t headers_max = 16;
  std::size_t name_bytes_max = 1024;
  std::size_t filename_bytes_max = 1024;
  /// Maximum size of the content of one part.
  std::uint64_t part_bytes_max = std::uint64_t{1} << 30;
  /// Maximum size of the whole body, including boundaries.
  std::uint64_t total_bytes_max = std::uint64_t{4} << 30;
  /// Maximum size of data before the first boundary, and after the last one.
  std::size_t preamble_bytes_max = 4096;
  std::size_t epilogue_bytes_max = 4096;
};

/// Returns the boundary of a Content-Type, which may be a token or quoted.
///
/// returns  1 to 70 characters of bchars; the last one is not a space
/// errors   not_form_data, missing_boundary, bad_boundary
/// source   RFC 2046, section 5.1.1
[[nodiscard]] Result<std::string, MultipartRefusal> multipart_boundary(
    std::string_view content_type);

/// The header of one part. The views are valid until the reader reads the next header.
struct MultipartPart {
  std::string_view name;
  /// The client's name of the file. Do not use it as a path: see `safe_filename`.
  std::optional<std::string_view> filename;
  /// "text/plain" if the part has no Content-Type (RFC 7578, section 4.4).
  std::string_view content_type;
  std::span<const Field> headers;
};

enum class MultipartStatus : std::uint8_t {
  need_more,
  part_begin,
  part_data,
  part_end,
  end,
  refused,
};

/// The result of one step.
///
/// consumed  bytes to remove from the start of the input: all of it for need_more
/// data      content of the part, never empty for part_data, otherwise empty; a view of the input,
///           or of the reader until its next read
struct MultipartStep {
  MultipartStatus status;
  std::size_t consumed;
  std::string_view data;
};

///     while ((step = reader.read(in)).status != MultipartStatus::need_more) {
///       in.remove_prefix(step.consumed); …
///     }
///     … and at the end of the input: reader.finish()
class MultipartReader {
 public:
  /// boundary  from `multipart_boundary`
  explicit MultipartReader(std::string_view boundary, const MultipartLimits& limits = {});
  MultipartReader(const MultipartReader&) = delete;  // part() points into it
  MultipartReader& operator=(const MultipartReader&) = delete;

  /// Reads to the next event.
  ///
  /// in       the bytes after those consumed so far, any number
  /// returns  part_begin  a part starts: see part()
  ///          part_data   some of its content
  ///          part_end    its content is complete
  ///          end         the closing boundary was read, once; later bytes are ignored
  ///          need_more   all of `in` is consumed; continue with more bytes
  ///          refused     see refusal(); each later call returns this, too
  /// cost     one pass, also for content that repeats the start of the boundary; allocates for
  ///          headers
  [[nodiscard]] MultipartStep read(std::string_view in);

  /// Ends the input.
  ///
  /// returns  end, or refused if the closing boundary is missing
  [[nodiscard]] MultipartStep finish() noexcept;

  /// Pre: part_begin was read.
  [[nodiscard]] const MultipartPart& part() const noexcept { return part_; }
  /// Returns the error, or MultipartRefusal::none.
  [[nodiscard]] MultipartRefusal refusal() const noexcept { return refusal_; }

 private:
  enum class State : std::uint8_t {
    preamble,
    content,
    // After a boundary.
    delimiter_end,
    closing_dash,
    padding,
    line_feed,
    header,
    // No further bytes are needed for the next result.
    closed,
    epilogue,
    refused,
  };

  [[nodiscard]] MultipartStep refuse(MultipartRefusal refusal) noexcept;
  [[nodiscard]] MultipartStep step(std::string_view in);
  [[nodiscard]] MultipartStep read_content(std::string_view in);
  [[nodiscard]] MultipartStep go_on_matching(std::string_view in);
  [[nodiscard]] MultipartStep give(std::string_view content, std::size_t consumed);
  [[nodiscard]] MultipartStep read_behind_delimiter(char byte);
  [[nodiscard]] MultipartStep begin_header();
  [[nodiscard]] MultipartStep read_header(std::string_view in);
  [[nodiscard]] MultipartStep begin_part(std::size_t consumed);
  [[nodiscard]] MultipartStep read_epilogue(std::string_view in);
  [[nodiscard]] MultipartRefusal read_header_lines();
  [[nodiscard]] MultipartRefusal add_header(std::string_view line);
  [[nodiscard]] MultipartRefusal understand_header();
  [[nodiscard]] std::size_t find_delimiter(std::string_view in) const noexcept;
  void begin_content(State state) noexcept;
  void end_match() noexcept;

  MultipartLimits limits_;
  std::string delimiter_;  // CRLF "--" boundary
  /// How many bytes at the end of the consumed input match the delimiter, and how many of the
  /// matched bytes were not in the input: the CRLF before the first boundary, or before a part's
  /// content, is assumed.
  std::size_t matched_ = 0;
  std::size_t imagined_ = 0;
  State state_;
  MultipartRefusal refusal_ = MultipartRefusal::none;
  bool is_in_part_ = false;
  std::size_t parts_ = 0;
  std::size_t frame_bytes_ = 0;  // of the preamble, a line's padding, or the epilogue
  std::uint64_t part_bytes_ = 0;
  std::uint64_t total_bytes_ = 0;
  std::string header_;
  std::vector<Field> fields_;
  Disposition disposition_;
  MultipartPart part_;
};

}  // namespace eider
