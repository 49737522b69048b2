#include "answer_reader.h"

#include <algorithm>
#include <charconv>

namespace load {

namespace {

constexpr std::size_t kHeadBytesMax = 64 * 1024;
constexpr std::size_t kShownBytesMax = 80;
constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr std::string_view kStatusLineBegin = "HTTP/1.";

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// `expected` in lower case.
bool is_text(std::string_view text, std::string_view expected) {
  return text.size() == expected.size() && std::equal(text.begin(), text.end(), expected.begin(),
                                                      [](char a, char b) { return lower(a) == b; });
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  const std::size_t end = text.find_last_not_of(" \t\r");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

std::optional<std::uint64_t> number(std::string_view text, int base) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value, base);
  return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
}

std::string shown(std::string_view text) {
  const bool is_long = text.size() > kShownBytesMax;
  return '"' + std::string(text.substr(0, kShownBytesMax)) + (is_long ? "…\"" : "\"");
}

/// "HTTP/1.1 200 OK" → 200.
std::optional<int> status_of(std::string_view line) {
  constexpr std::size_t kStatusAt = kStatusLineBegin.size() + 2;
  if (!line.starts_with(kStatusLineBegin) || line.size() < kStatusAt + 3) {
    return std::nullopt;
  }
  const auto status = number(line.substr(kStatusAt, 3), 10);
  return status ? std::optional(static_cast<int>(*status)) : std::nullopt;
}

bool has_no_body(int status) {
  return status < 200 || status == 204 || status == 304;
}

}  // namespace

ReadStep AnswerReader::read(std::string_view bytes) {
  std::size_t used = 0;
  while (true) {
    ReadStep step = read_part(bytes.substr(used));
    used += step.used;
    step.used = used;
    // An empty body is whole without a further byte.
    if (step.is_whole || step.failure ||
        (used == bytes.size() && !(part_ == Part::body && left_ == 0))) {
      return step;
    }
  }
}

ReadStep AnswerReader::read_part(std::string_view bytes) {
  switch (part_) {
    case Part::head:
      return read_head(bytes);
    case Part::body:
    case Part::until_end:
    case Part::chunk:
      return read_body(bytes);
    case Part::chunk_line:
    case Part::chunk_end:
    case Part::trailer:
      return read_line(bytes);
  }
  return {};
}

ReadStep AnswerReader::read_head(std::string_view bytes) {
  const std::size_t kept = head_.size();
  std::string_view head = bytes;
  if (kept != 0) {
    head_.append(bytes);
    head = head_;
  }
  const std::size_t end = head.find(kHeadEnd);
  if (end == std::string_view::npos) {
    if (head.size() > kHeadBytesMax) {
      return malformed("a head without an end");
    }
    if (kept == 0) {
      head_.assign(bytes);
    }
    return {bytes.size(), false, std::nullopt};
  }
  part_ = Part::until_end;
  if (!read_fields(head.substr(0, end))) {
    return malformed("not an HTTP/1.1 answer: " + shown(head.substr(0, end)));
  }
  head_.clear();
  return {end + kHeadEnd.size() - kept, false, std::nullopt};
}

bool AnswerReader::read_fields(std::string_view head) {
  std::size_t begin = std::min(head.find("\r\n"), head.size());
  const auto status = status_of(head.substr(0, begin));
  if (!status) {
    return false;
  }
  status_ = *status;
  closes_ = false;
  while (begin < head.size()) {
    begin += 2;
    const std::size_t end = std::min(head.find("\r\n", begin), head.size());
    if (!read_field(head.substr(begin, end - begin))) {
      return false;
    }
    begin = end;
  }
  if (has_no_body(status_)) {
    part_ = Part::body;
    left_ = 0;
  }
  return true;
}

bool AnswerReader::read_field(std::string_view line) {
  // Only three names matter, and their first letters are rare.
  const char first = line.empty() ? '\0' : lower(line.front());
  if (first != 'c' && first != 't') {
    return true;
  }
  const std::size_t colon = std::min(line.find(':'), line.size());
  const std::string_view field = line.substr(0, colon);
  const std::string_view value = trimmed(line.substr(std::min(colon + 1, line.size())));
  if (is_text(field, "content-length")) {
    const auto bytes = number(value, 10);
    part_ = part_ == Part::chunk_line ? part_ : Part::body;  // chunks win (RFC 9112, section 6.3)
    left_ = bytes.value_or(0);
    return bytes.has_value();
  }
  if (is_text(field, "transfer-encoding") && is_text(value, "chunked")) {
    part_ = Part::chunk_line;
  } else if (is_text(field, "connection")) {
    closes_ = is_text(value, "close");
  }
  return true;
}

ReadStep AnswerReader::read_body(std::string_view bytes) {
  const bool is_bounded = part_ != Part::until_end;
  const auto used =
      is_bounded && left_ < bytes.size() ? static_cast<std::size_t>(left_) : bytes.size();
  check_body(bytes.substr(0, used));
  if (!is_bounded) {
    return {used, false, std::nullopt};
  }
  left_ -= used;
  if (left_ != 0) {
    return {used, false, std::nullopt};
  }
  if (part_ == Part::chunk) {
    part_ = Part::chunk_end;
    return {used, false, std::nullopt};
  }
  return whole(used);
}

ReadStep AnswerReader::read_line(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  const std::size_t used = end == std::string_view::npos ? bytes.size() : end + 1;
  head_.append(bytes.substr(0, used));
  if (head_.size() > kHeadBytesMax) {
    return malformed("a line of a chunked body without an end");
  }
  return end == std::string_view::npos ? ReadStep{used, false, std::nullopt} : on_line(used);
}

ReadStep AnswerReader::on_line(std::size_t used) {
  const std::string line = std::move(head_);
  head_.clear();
  const std::string_view text = trimmed(std::string_view(line).substr(0, line.size() - 1));
  if (part_ == Part::trailer) {
    return text.empty() ? whole(used) : ReadStep{used, false, std::nullopt};
  }
  if (part_ == Part::chunk_end) {
    part_ = Part::chunk_line;
    return text.empty() ? ReadStep{used, false, std::nullopt}
                        : malformed("no line end behind a chunk");
  }
  const auto size = number(trimmed(text.substr(0, text.find(';'))), 16);
  if (!size) {
    return malformed("no chunk size: " + shown(text));
  }
  left_ = *size;
  part_ = left_ == 0 ? Part::trailer : Part::chunk;
  return {used, false, std::nullopt};
}

ReadStep AnswerReader::end() {
  if (part_ == Part::until_end) {
    return whole(0);
  }
  why_ = is_inside() ? "the connection ended within the answer"
                     : "the connection ended without an answer";
  reset();
  return {0, true, Failure::closed};
}

void AnswerReader::check_body(std::string_view bytes) {
  if (begin_.size() < kShownBytesMax + 1) {
    begin_.append(bytes.substr(0, kShownBytesMax + 1 - begin_.size()));
  }
  if (expected_->body) {
    const std::string_view all = *expected_->body;
    is_same_ = is_same_ && seen_ <= all.size() && all.substr(seen_).starts_with(bytes);
  }
  seen_ += bytes.size();
}

ReadStep AnswerReader::whole(std::size_t used) {
  std::optional<Failure> failure;
  if (status_ != expected_->status) {
    failure = Failure::wrong_status;
    why_ = "status " + std::to_string(status_) + " instead of " +
           std::to_string(expected_->status) + ", with " + shown(begin_);
  } else if (expected_->body && (!is_same_ || seen_ != expected_->body->size())) {
    failure = Failure::wrong_body;
    why_ = "body " + shown(begin_) + " instead of " + shown(*expected_->body);
  } else if (expected_->body_bytes && *expected_->body_bytes != seen_) {
    failure = Failure::wrong_body;
    why_ = "body of " + std::to_string(seen_) + " bytes instead of " +
           std::to_string(*expected_->body_bytes);
  }
  reset();
  return {used, true, failure};
}

ReadStep AnswerReader::malformed(std::string why) {
  why_ = std::move(why);
  reset();
  return {0, true, Failure::malformed};
}

void AnswerReader::reset() noexcept {
  part_ = Part::head;
  head_.clear();
  begin_.clear();
  seen_ = 0;
  left_ = 0;
  is_same_ = true;
}

}  // namespace load
