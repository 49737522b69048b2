// What the observer is told of requests over HTTP/1.1, and when.
// Must not decide anything about them.
#pragma once

#include <cstdint>
#include <memory>

#include "eider/server/connection.h"
#include "eider/server/observer.h"

namespace eider::detail::server {

struct UnsentH1;

/// Made for one call. A caller asks first whether anybody observes, save for the last two.
class ReportH1 {
 public:
  explicit ReportH1(Connection& connection) noexcept : connection_(connection) {}

  /// Of a request that was answered at once. What the socket has refused of the answer leaves
  /// later, and only then is the observer told.
  void of_answer(Request& request, int status, std::uint64_t bytes_out);
  /// The same of one that had to wait.
  void of_answer(Exchange& exchange, int status, std::uint64_t bytes_out);
  /// Of a request whose answer nobody waits for any more.
  void of_abandoned(Exchange& exchange);
  /// The last answer that the socket had refused some of has left, if there is one, or never will.
  void of_sent() noexcept;
  void of_lost() noexcept;

 private:
  [[nodiscard]] AnswerRecord record_of(const Request& request) const noexcept;
  [[nodiscard]] AnswerRecord record_of(Exchange& exchange) const noexcept;
  [[nodiscard]] AnswerRecord record_of(const UnsentH1& unsent) const noexcept;
  void tell_or_keep(const AnswerRecord& record, Request& request);
  [[nodiscard]] std::unique_ptr<UnsentH1> take_unsent() noexcept;

  Connection& connection_;
};

}  // namespace eider::detail::server
