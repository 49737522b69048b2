#include "cli/bench/response_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace eider::bench {

namespace {

constexpr std::size_t kShownBytesMax = 80;
constexpr std::uint64_t kBesidesDigits = std::string_view("data: \n\n").size();

std::string shown(std::string_view text) {
  return fmt::format("\"{}{}\"", text.substr(0, kShownBytesMax),
                     text.size() > kShownBytesMax ? "…" : "");
}

}  // namespace

void ResponseCheck::reset() noexcept {
  seen_ = 0;
  begin_.clear();
  is_alike_ = true;
}

void ResponseCheck::compare(std::string_view content) {
  if (begin_.size() <= kShownBytesMax) {
    begin_.append(content.substr(0, kShownBytesMax + 1 - begin_.size()));
  }
  if (expected_->body) {
    const std::string_view all = *expected_->body;
    is_alike_ = is_alike_ && seen_ <= all.size() && all.substr(seen_).starts_with(content);
  }
  seen_ += content.size();
}

std::optional<Difference> ResponseCheck::end(int status) {
  auto found = is_looking_ ? difference(status) : std::nullopt;
  reset();
  return found;
}

std::optional<Difference> ResponseCheck::difference(int status) const {
  if (expected_->status && *expected_->status != status) {
    return Difference{Fault::wrong_status, fmt::format("Status {} instead of {}, with {}.", status,
                                                       *expected_->status, shown(begin_))};
  }
  if (expected_->body && (!is_alike_ || seen_ != expected_->body->size())) {
    return Difference{Fault::differs, fmt::format("Response body {} instead of {}.", shown(begin_),
                                                  shown(*expected_->body))};
  }
  if (expected_->body_bytes && *expected_->body_bytes != seen_) {
    return Difference{Fault::differs, fmt::format("Response of {} bytes instead of {}.", seen_,
                                                  *expected_->body_bytes)};
  }
  return std::nullopt;
}

std::string stream_text(unsigned events) {
  std::string text;
  for (unsigned i = 0; i < events; ++i) {
    text += fmt::format("data: {}\n\n", i);
  }
  return text;
}

std::uint64_t events_within(std::uint64_t bytes, unsigned events) noexcept {
  std::uint64_t count = 0;
  std::uint64_t first_longer = 10;  // the first number with one more digit
  for (std::uint64_t digits = 1; count < events; ++digits, first_longer *= 10) {
    const std::uint64_t event_bytes = kBesidesDigits + digits;
    const std::uint64_t alike = std::min<std::uint64_t>(first_longer, events) - count;
    const std::uint64_t whole = std::min(alike, bytes / event_bytes);
    count += whole;
    bytes -= whole * event_bytes;
    if (whole < alike) {
      break;
    }
  }
  return count;
}

}  // namespace eider::bench
