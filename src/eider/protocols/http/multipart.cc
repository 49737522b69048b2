#include "eider/protocols/http/multipart.h"

#include <algorithm>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/parameters.h"

namespace eider {

namespace {

constexpr std::size_t kBoundaryBytesMax = 70;
constexpr std::size_t kPaddingBytesMax = 64;
constexpr std::size_t kLineEndBytes = 2;

/// bchars := bcharsnospace / " " (RFC 2046, section 5.1.1).
bool is_boundary_byte(char byte) noexcept {
  return is_digit(byte) || is_letter(byte) || std::string_view("'()+_,-./:=? ").contains(byte);
}

bool is_boundary(std::string_view text) noexcept {
  return !text.empty() && text.size() <= kBoundaryBytesMax && text.back() != ' ' &&
         std::all_of(text.begin(), text.end(), is_boundary_byte);
}

/// Returns the boundary of a field that is not quoted although it contains ':', '=', '/', '?' or
/// parentheses. Older Java clients send this.
std::optional<std::string> unquoted_boundary(std::string_view content_type) {
  constexpr std::string_view kName = "boundary=";
  std::optional<std::string> found;
  for (std::size_t at = content_type.find(';'); at != std::string_view::npos;) {
    const std::size_t end = content_type.find(';', at + 1);
    const std::string_view parameter = trim(content_type.substr(at + 1, end - at - 1));
    at = end;
    if (!equals_ignoring_case(parameter.substr(0, kName.size()), kName)) {
      continue;
    }
    const std::string_view value = parameter.substr(kName.size());
    if (found || !is_boundary(value) || value.find_first_of(", ") != std::string_view::npos) {
      return std::nullopt;
    }
    found.emplace(value);
  }
  return found;
}

std::size_t common_prefix(std::string_view one, std::string_view other) noexcept {
  const std::size_t size = std::min(one.size(), other.size());
  const auto differ =
      std::mismatch(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(size), other.begin());
  return static_cast<std::size_t>(differ.first - one.begin());
}

struct Once {
  const Field* field;  // null if there is none
  bool is_doubled;
};

Once find_once(std::span<const Field> fields, std::string_view name) noexcept {
  Once found{nullptr, false};
  for (const Field& field : fields) {
    if (equals_ignoring_case(field.name, name)) {
      found = {&field, found.field != nullptr};
    }
  }
  return found;
}

/// Identity codings (RFC 2045, section 6.2): the content is not encoded.
bool is_plain_coding(std::string_view coding) noexcept {
  return equals_ignoring_case(coding, "7bit") || equals_ignoring_case(coding, "8bit") ||
         equals_ignoring_case(coding, "binary");
}

}  // namespace

Result<std::string, MultipartRefusal> multipart_boundary(std::string_view content_type) {
  if (!equals_ignoring_case(without_parameters(content_type), "multipart/form-data")) {
    return fail(MultipartRefusal::not_form_data);
  }
  const FoundParameter found = find_parameter(content_type, "boundary");
  if (found.outcome == ParameterSearch::absent) {
    return fail(MultipartRefusal::missing_boundary);
  }
  if (found.outcome == ParameterSearch::malformed) {
    auto unquoted = unquoted_boundary(content_type);
    return unquoted ? Result<std::string, MultipartRefusal>(std::move(*unquoted))
                    : fail(MultipartRefusal::bad_boundary);
  }
  std::string boundary = found.parameter.text();
  if (found.outcome != ParameterSearch::found || !is_boundary(boundary)) {
    return fail(MultipartRefusal::bad_boundary);
  }
  return boundary;
}

MultipartReader::MultipartReader(std::string_view boundary, const MultipartLimits& limits)
    : limits_(limits), delimiter_("\r\n--") {
  delimiter_.append(boundary);
  begin_content(State::preamble);
}

/// The CRLF of a delimiter may be the line end that was already consumed: at the start, or of a
/// header.
void MultipartReader::begin_content(State state) noexcept {
  state_ = state;
  matched_ = kLineEndBytes;
  imagined_ = kLineEndBytes;
}

MultipartStep MultipartReader::refuse(MultipartRefusal refusal) noexcept {
  state_ = State::refused;
  refusal_ = refusal;
  return {MultipartStatus::refused, 0, {}};
}

MultipartStep MultipartReader::read(std::string_view in) {
  std::size_t consumed = 0;
  // A closed form has one more event, which needs no bytes.
  while (state_ == State::closed || consumed < in.size()) {
    const MultipartStep one = step(in.substr(consumed));
    consumed += one.consumed;
    total_bytes_ += one.consumed;
    // Checked before the event is returned, so that no content exceeds the limit.
    if (total_bytes_ > limits_.total_bytes_max) {
      return refuse(MultipartRefusal::content_too_large);
    }
    if (one.status != MultipartStatus::need_more) {
      return {one.status, consumed, one.data};
    }
  }
  const bool is_refused = state_ == State::refused;
  return {is_refused ? MultipartStatus::refused : MultipartStatus::need_more, consumed, {}};
}

MultipartStep MultipartReader::finish() noexcept {
  if (state_ == State::refused) {
    return {MultipartStatus::refused, 0, {}};
  }
  if (state_ != State::closed && state_ != State::epilogue) {
    return refuse(MultipartRefusal::truncated);
  }
  // Report the end once, also if `finish` is called without another read.
  state_ = State::epilogue;
  return {MultipartStatus::end, 0, {}};
}

/// Returns one event, or need_more if the consumed bytes contain none. Pre: `in` is not empty, or
/// closed.
MultipartStep MultipartReader::step(std::string_view in) {
  switch (state_) {
    case State::preamble:
    case State::content:
      return read_content(in);
    case State::delimiter_end:
    case State::closing_dash:
    case State::padding:
    case State::line_feed:
      return read_behind_delimiter(in.front());
    case State::header:
      return read_header(in);
    case State::closed:
      state_ = State::epilogue;
      frame_bytes_ = 0;
      return {MultipartStatus::end, 0, {}};
    case State::epilogue:
      return read_epilogue(in);
    case State::refused:
      break;
  }
  return {MultipartStatus::refused, 0, {}};
}

/// Returns the position of a delimiter in `in`, complete or cut off at the end; in.size() if there
/// is none.
std::size_t MultipartReader::find_delimiter(std::string_view in) const noexcept {
  const std::string_view delimiter = delimiter_;
  std::size_t at = in.find('\r');
  while (at != std::string_view::npos) {
    if (delimiter.starts_with(in.substr(at, delimiter.size()))) {
      return at;
    }
    at = in.find('\r', at + 1);
  }
  return in.size();
}

MultipartStep MultipartReader::read_content(std::string_view in) {
  if (matched_ > 0) {
    return go_on_matching(in);
  }
  const std::size_t size = find_delimiter(in);
  if (size > 0) {
    return give(in.substr(0, size), size);
  }
  matched_ = std::min(in.size(), delimiter_.size());
  const std::size_t consumed = matched_;
  end_match();
  return {MultipartStatus::need_more, consumed, {}};
}

/// The only CR of a delimiter is its first byte, so no other match can start inside a failed one:
/// the matched bytes are content, and no byte is examined twice.
MultipartStep MultipartReader::go_on_matching(std::string_view in) {
  const std::string_view delimiter = delimiter_;
  const std::size_t more = common_prefix(delimiter.substr(matched_), in);
  matched_ += more;
  if (more < in.size() && matched_ < delimiter.size()) {
    // The matched bytes equal the start of the delimiter, so they are returned as a view of it.
    const std::string_view content = delimiter.substr(imagined_, matched_ - imagined_);
    matched_ = 0;
    imagined_ = 0;
    return give(content, more);
  }
  end_match();
  return {MultipartStatus::need_more, more, {}};
}

void MultipartReader::end_match() noexcept {
  if (matched_ == delimiter_.size()) {
    matched_ = 0;
    imagined_ = 0;
    frame_bytes_ = 0;
    state_ = State::delimiter_end;
  }
}

MultipartStep MultipartReader::give(std::string_view content, std::size_t consumed) {
  if (state_ == State::preamble) {
    frame_bytes_ += content.size();
    return frame_bytes_ > limits_.preamble_bytes_max
               ? refuse(MultipartRefusal::preamble_too_large)
               : MultipartStep{MultipartStatus::need_more, consumed, {}};
  }
  part_bytes_ += content.size();
  if (part_bytes_ > limits_.part_bytes_max) {
    return refuse(MultipartRefusal::part_too_large);
  }
  // If bytes were only matched, there may be nothing to return.
  const bool is_empty = content.empty();
  return {is_empty ? MultipartStatus::need_more : MultipartStatus::part_data, consumed, content};
}

/// delimiter transport-padding CRLF, or delimiter "--" (RFC 2046, section 5.1.1)
MultipartStep MultipartReader::read_behind_delimiter(char byte) {
  const MultipartStep go_on{MultipartStatus::need_more, 1, {}};
  if (state_ == State::line_feed && byte == '\n') {
    return begin_header();
  }
  if (state_ == State::closing_dash && byte == '-') {
    state_ = State::closed;
    const bool ends_part = std::exchange(is_in_part_, false);
    return ends_part ? MultipartStep{MultipartStatus::part_end, 1, {}} : go_on;
  }
  if (state_ == State::delimiter_end && byte == '-') {
    state_ = State::closing_dash;
    return go_on;
  }
  const bool is_in_line = state_ == State::delimiter_end || state_ == State::padding;
  if (is_in_line && byte == '\r') {
    state_ = State::line_feed;
    return go_on;
  }
  if (is_in_line && is_blank(byte) && ++frame_bytes_ <= kPaddingBytesMax) {
    state_ = State::padding;
    return go_on;
  }
  return refuse(MultipartRefusal::bad_delimiter_line);
}

MultipartStep MultipartReader::begin_header() {
  if (++parts_ > limits_.parts_max) {
    return refuse(MultipartRefusal::too_many_parts);
  }
  state_ = State::header;
  header_.clear();
  const bool ends_part = std::exchange(is_in_part_, false);
  return {ends_part ? MultipartStatus::part_end : MultipartStatus::need_more, 1, {}};
}

/// Collects lines up to the empty one.
MultipartStep MultipartReader::read_header(std::string_view in) {
  const std::size_t line_feed = in.find('\n');
  const bool has_line_end = line_feed != std::string_view::npos;
  const std::size_t bytes = has_line_end ? line_feed + 1 : in.size();
  // The difference cannot underflow, because the header never exceeds its limit.
  if (bytes > limits_.header_bytes_max - header_.size()) {
    return refuse(MultipartRefusal::header_too_large);
  }
  header_.append(in.substr(0, bytes));
  if (has_line_end && !header_.ends_with(kCrlf)) {
    return refuse(MultipartRefusal::bad_header);
  }
  const bool is_complete = has_line_end && (header_ == kCrlf || header_.ends_with("\r\n\r\n"));
  return is_complete ? begin_part(bytes) : MultipartStep{MultipartStatus::need_more, bytes, {}};
}

MultipartStep MultipartReader::begin_part(std::size_t consumed) {
  MultipartRefusal refusal = read_header_lines();
  if (refusal == MultipartRefusal::none) {
    refusal = understand_header();
  }
  if (refusal != MultipartRefusal::none) {
    return refuse(refusal);
  }
  // The delimiter may follow the empty line directly, so its CRLF counts as matched.
  begin_content(State::content);
  is_in_part_ = true;
  part_bytes_ = 0;
  return {MultipartStatus::part_begin, consumed, {}};
}

MultipartRefusal MultipartReader::read_header_lines() {
  fields_.clear();
  std::string_view rest = header_;
  while (!rest.starts_with(kCrlf)) {
    const std::string_view line = rest.substr(0, rest.find(kCrlf));
    rest.remove_prefix(line.size() + kLineEndBytes);
    const MultipartRefusal refusal = add_header(line);
    if (refusal != MultipartRefusal::none) {
      return refusal;
    }
  }
  return MultipartRefusal::none;
}

MultipartRefusal MultipartReader::add_header(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
    return MultipartRefusal::bad_header;
  }
  const std::string_view value = trim(line.substr(colon + 1));
  if (!is_field_value(value)) {
    return MultipartRefusal::bad_header;
  }
  if (fields_.size() == limits_.headers_max) {
    return MultipartRefusal::too_many_headers;
  }
  fields_.push_back({line.substr(0, colon), value});
  return MultipartRefusal::none;
}

MultipartRefusal MultipartReader::understand_header() {
  const auto [disposition, is_doubled] = find_once(fields_, "Content-Disposition");
  const auto [type, has_two_types] = find_once(fields_, "Content-Type");
  const auto [coding, has_two_codings] = find_once(fields_, "Content-Transfer-Encoding");
  if (is_doubled || has_two_types || has_two_codings) {
    return MultipartRefusal::doubled_header;
  }
  if (disposition == nullptr) {
    return MultipartRefusal::missing_disposition;
  }
  if (coding != nullptr && !is_plain_coding(coding->value)) {
    return MultipartRefusal::coded_part;
  }
  auto read = read_disposition(disposition->value);
  if (!read) {
    return read.error();
  }
  disposition_ = std::move(*read);
  if (disposition_.name.size() > limits_.name_bytes_max) {
    return MultipartRefusal::name_too_long;
  }
  if (disposition_.filename.has_value() &&
      disposition_.filename->size() > limits_.filename_bytes_max) {
    return MultipartRefusal::filename_too_long;
  }
  // The views point into memory that this reader keeps until the next header.
  part_ = {disposition_.name, disposition_.filename,
           type == nullptr ? std::string_view("text/plain") : type->value, fields_};
  return MultipartRefusal::none;
}

MultipartStep MultipartReader::read_epilogue(std::string_view in) {
  frame_bytes_ += in.size();
  return frame_bytes_ > limits_.epilogue_bytes_max
             ? refuse(MultipartRefusal::epilogue_too_large)
             : MultipartStep{MultipartStatus::need_more, in.size(), {}};
}

}  // namespace eider
