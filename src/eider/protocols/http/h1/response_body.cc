#include "eider/protocols/http/h1/response_body.h"

#include <algorithm>

#include "eider/core/base/text.h"

namespace eider::h1 {

namespace {

/// Returns the text after the next line end, or an empty text.
std::string_view behind_line(std::string_view text) noexcept {
  const std::size_t end = text.find(kCrlf);
  return end == std::string_view::npos ? std::string_view() : text.substr(end + kCrlf.size());
}

}  // namespace

ReplyStep ResponseBodyReader::read(std::string_view in) {
  switch (kind_) {
    case ReplyBody::none:
      return {ChunkedStatus::done, 0, {}};
    case ReplyBody::sized:
      return read_sized(in);
    case ReplyBody::chunked:
      return read_chunked(in);
    case ReplyBody::until_close:
      break;
  }
  return {in.empty() ? ChunkedStatus::need_more : ChunkedStatus::data, in.size(), in};
}

ReplyStep ResponseBodyReader::read_sized(std::string_view in) noexcept {
  if (left_ == 0) {
    return {ChunkedStatus::done, 0, {}};
  }
  if (in.empty()) {
    return {ChunkedStatus::need_more, 0, {}};
  }
  const std::string_view data = in.substr(0, std::min<std::uint64_t>(left_, in.size()));
  left_ -= data.size();
  return {ChunkedStatus::data, data.size(), data};
}

ReplyStep ResponseBodyReader::read_chunked(std::string_view in) {
  const ReplyStep step = chunks_.read(in);
  trailers_.note(step, in);
  return step;
}

ResponseFlaw ResponseBodyReader::flaw() const noexcept {
  switch (chunks_.refusal()) {
    case Refusal::bad_trailer:
      return ResponseFlaw::bad_trailer;
    case Refusal::trailers_too_large:
      return ResponseFlaw::trailers_too_large;
    case Refusal::chunk_extension_too_large:
      return ResponseFlaw::chunk_extension_too_large;
    case Refusal::bare_lf:
      return ResponseFlaw::bare_lf;
    case Refusal::bare_cr:
      return ResponseFlaw::bare_cr;
    default:
      return ResponseFlaw::bad_chunk;
  }
}

void TrailerLines::note(const ChunkedStep& step, std::string_view in) {
  if (step.status == ChunkedStatus::data) {
    tail_.clear();
  } else {
    tail_.append(in.substr(0, step.consumed));
  }
}

/// Skips the end of the last piece, if there was one, and the line of the last chunk.
std::string_view TrailerLines::view() const noexcept {
  std::string_view rest = tail_;
  if (rest.starts_with(kCrlf)) {
    rest.remove_prefix(kCrlf.size());
  }
  rest = behind_line(rest);
  rest.remove_suffix(std::min(rest.size(), kCrlf.size()));
  // The empty line at the end was removed, too.
  return rest;
}

std::vector<Field> split_trailers(std::string_view lines) {
  std::vector<Field> fields;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find(kCrlf));
    const std::size_t colon = std::min(line.find(':'), line.size());
    fields.push_back({line.substr(0, colon), trim(line.substr(std::min(colon + 1, line.size())))});
    lines = behind_line(lines);
  }
  return fields;
}

}  // namespace eider::h1
