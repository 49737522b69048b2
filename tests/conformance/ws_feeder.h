// Feeds bytes to a MessageReader in pieces and collects its events, for tests and fuzzers.
// Layering: must not contain checks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/conformance/ws_case.h"

namespace eider::ws {

/// Collects the events of one connection. Pieces of a message are joined, so that messages
/// delivered in pieces and whole messages compare equal.
class Feeder {
 public:
  /// limits  must outlive the feeder
  Feeder(Side side, const MessageLimits& limits) : reader_(side, limits) {}
  Feeder(Side side, const MessageLimits&& limits) = delete;

  [[nodiscard]] MessageReader& reader() noexcept { return reader_; }
  [[nodiscard]] const std::vector<Seen>& seen() const noexcept { return seen_; }

  /// Feeds all of `in` from a buffer of exactly its size, so that sanitizers detect overreads.
  void feed(std::string_view in) {
    const std::vector<char> exact(in.begin(), in.end());
    std::string_view rest(exact.data(), exact.size());
    Event event = reader_.read(rest, scratch_);
    while (event.kind != EventKind::need_more && !is_refused()) {
      note(event);
      rest.remove_prefix(event.consumed);
      event = reader_.read(rest, scratch_);
    }
    is_all_consumed_ = is_all_consumed_ && (is_refused() || event.consumed == rest.size());
  }
  /// Feeds `in` in steps of `bytes` bytes.
  void feed(std::string_view in, std::size_t bytes) {
    for (std::size_t at = 0; at < in.size(); at += bytes) {
      feed(in.substr(at, bytes));
    }
  }

  [[nodiscard]] bool is_refused() const {
    return !seen_.empty() && seen_.back().kind == EventKind::refused;
  }
  /// Returns whether the reader had consumed all bytes each time that it needed more.
  [[nodiscard]] bool is_all_consumed() const noexcept { return is_all_consumed_; }

 private:
  void note(const Event& event) {
    if (event.kind != EventKind::piece) {
      seen_.push_back(
          {event.kind, event.type, event.code, std::string(event.data), reader_.refusal()});
      return;
    }
    message_.append(event.data);
    if (event.is_last) {
      seen_.push_back({EventKind::message, event.type, event.code, message_});
      message_.clear();
    }
  }

  MessageReader reader_;
  Buffer scratch_;
  std::string message_;
  std::vector<Seen> seen_;
  bool is_all_consumed_ = true;
};

}  // namespace eider::ws
