// Sends the content of a request as fast as the socket takes it.
// Must not judge the answer; it stops when one has come.
#pragma once

#include <cstdint>
#include <string_view>

#include "eider/client/detail/exchange.h"
#include "eider/client/detail/request_parts.h"
#include "eider/runtime/task.h"
#include "eider/runtime/time.h"

namespace eider::detail {

enum class ContentSent : std::uint8_t {
  all,
  /// An answer came first, or the connection was lost.
  cut,
  /// The producer gave more or less than it had said.
  wrong_length,
};

class ContentSender {
 public:
  /// Both outlive the sender; `parts` has content.
  ContentSender(ClientExchange& exchange, const RequestParts& parts) noexcept
      : exchange_(exchange), parts_(parts) {}

  /// Waits for 100 Continue, but not longer than `limit`.
  [[nodiscard]] Task<> wait_for_consent(Duration limit);
  /// Behind the head, which is in the cork.
  [[nodiscard]] Task<ContentSent> send();

 private:
  [[nodiscard]] Task<ContentSent> send_bytes();
  [[nodiscard]] Task<ContentSent> send_produced();
  [[nodiscard]] ContentSent end_produced(std::uint64_t bytes);
  [[nodiscard]] bool may_go_on() const noexcept {
    return !exchange_.has_failed() && !exchange_.has_head();
  }

  ClientExchange& exchange_;
  const RequestParts& parts_;
};

}  // namespace eider::detail
