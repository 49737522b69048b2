// Parses multipart/form-data (RFC 7578) as a stream.
// Layering: must not collect the content of a part: its reader limits the memory.
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

/// The boundary that a Content-Type names, as a token or quoted.
///
/// returns  1 to 70 characters of bchars, the last one no space
/// errors   not_form_data, missing_boundary, bad_boundary
/// source   RFC 2046, section 5.1.1
[[nodiscard]] Result<std::string, MultipartRefusal> multipart_boundary(
    std::string_view content_type);

/// One part, as its header says. The views are valid until the reader reads the next header.
struct MultipartPart {
  std::string_view name;
  /// What the client calls the file: no path to be trusted, see `safe_filename`.
  std::optional<std::string_view> filename;
  /// "text/plain" when the part does not say (RFC 7578, section 4.4).
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

/// What one step found.
///
/// consumed  bytes to drop from the front of the input: all of it at need_more
/// data      content of the part: a view into the input, or into the reader until its next read;
///           empty unless status == part_data, never empty then
struct MultipartStep {
  MultipartStatus status;
  std::size_t consumed;
  std::string_view data;
};

///     while ((step = reader.read(in)).status != MultipartStatus::need_more) {
///       in.remove_prefix(step.consumed); …
///     }
///     … and when no more comes: reader.finish()
class MultipartReader {
 public:
  /// boundary  as `multipart_boundary` gives it
  explicit MultipartReader(std::string_view boundary, const MultipartLimits& limits = {});
  MultipartReader(const MultipartReader&) = delete;  // part() points into it
  MultipartReader& operator=(const MultipartReader&) = delete;

  /// Reads to the next event.
  ///
  /// in       the bytes behind those consumed so far, any length
  /// returns  part_begin  part() says which
  ///          part_data   some of its content
  ///          part_end    its content is complete
  ///          end         the closing boundary was read, once; what follows is passed over
  ///          need_more   all of `in` is consumed; go on with what comes next
  ///          refused     refusal() says why; so does every later call
  /// cost     one pass, also over content made of beginnings of the boundary; allocates for headers
  [[nodiscard]] MultipartStep read(std::string_view in);

  /// No more bytes will come.
  ///
  /// returns  end, or refused when the closing boundary is missing
  [[nodiscard]] MultipartStep finish() noexcept;

  /// Pre: part_begin was read.
  [[nodiscard]] const MultipartPart& part() const noexcept { return part_; }
  /// MultipartRefusal::none unless something was refused.
  [[nodiscard]] MultipartRefusal refusal() const noexcept { return refusal_; }

 private:
  enum class State : std::uint8_t {
    preamble,
    content,
    // Behind a boundary.
    delimiter_end,
    closing_dash,
    padding,
    line_feed,
    header,
    // Events that need no more bytes.
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
  /// How much of the delimiter was the end of the bytes consumed, and how much of that was not
  /// content: the CRLF in front of the first boundary, or of a part's content, is imagined.
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
