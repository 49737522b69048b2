#include "eider/protocols/http/h1/response_body.h"

#include <algorithm>

#include "eider/core/base/text.h"

namespace eider::h1 {

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
  (void)take_until(rest, kCrlf);
  rest.remove_suffix(std::min(rest.size(), kCrlf.size()));
  // The empty line at the end was removed, too.
  return rest;
}

std::vector<Field> split_trailers(std::string_view lines) {
  std::vector<Field> fields;
  while (!lines.empty()) {
    std::string_view line = take_until(lines, kCrlf);
    const std::string_view name = trim(take_until(line, ":"));
    fields.push_back({name, trim(line)});
  }
  return fields;
}

}  // namespace eider::h1
