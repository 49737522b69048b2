// The body of one request as it arrives: collected, or read by the handler, at a minimum rate.
// Layering: must not know framing, nor send responses: it returns whether the request is complete
// or rejected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "eider/protocols/http/head.h"
#include "eider/protocols/http/refusal.h"
#include "eider/server/body.h"
#include "eider/server/inbox.h"
#include "eider/server/service.h"
#include "eider/server/transport.h"

namespace eider::detail::server {

struct ExchangeContext;

class RequestContent final : private InboxOwner {
 public:
  /// budget  shared by all bodies of the loop; must outlive this
  RequestContent(const ExchangeContext& context, BodyBudget& budget) noexcept
      : context_(context), body_(budget) {}

  /// Starts to collect the body, or lets the handler read it, as planned. Sends 100 Continue, if
  /// the client waits for it and has not begun to send.
  ///
  /// returns  whether to handle the request now, because nothing is collected
  [[nodiscard]] bool begin(const RequestPlan& plan, const RequestHead& head, Transport& transport,
                           bool has_begun);
  /// Returns whether more of the body may still be used.
  [[nodiscard]] bool is_taken() const noexcept { return is_awaited_ || !inbox_.is_over(); }
  // Called with the received body. Each returns whether to handle the request now, because it is
  // complete or rejected. Pre: is_taken()
  [[nodiscard]] bool take(std::string_view content);
  [[nodiscard]] bool take_end(std::string_view trailer_lines);
  [[nodiscard]] bool fail(const RequestRefusal& refusal);
  /// Checks the minimum rate at the time for which the transport was asked to watch. May be called
  /// at any time. returns  as above
  [[nodiscard]] bool check();

  /// Returns whether the maximum that is read before the handler needs it has arrived.
  [[nodiscard]] bool is_full() const noexcept;
  /// Returns whether the body is collected until it is complete.
  [[nodiscard]] bool is_gathering() const noexcept { return is_awaited_ || inbox_.is_gathering(); }
  /// Returns the bytes that have arrived and that the handler has not taken.
  [[nodiscard]] std::string_view view() const noexcept { return body_.view(); }
  /// Returns the number of bytes that have arrived.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return body_.bytes(); }
  /// Returns the rejection of the request, if it is rejected.
  [[nodiscard]] const std::optional<RequestRefusal>& refusal() const noexcept { return refusal_; }
  /// For a handler that reads the body.
  [[nodiscard]] BodyInbox& inbox() noexcept { return inbox_; }

  /// Called when the response headers are sent. No interim response may follow, or the client would
  /// take the rest for another response. It need not wait for one any more (RFC 9110, 10.1.1).
  void note_response_begun() noexcept { may_ask_ = false; }
  /// Called when the client has disconnected: no more bytes will come.
  void abandon() noexcept;
  void reset() noexcept;

 private:
  void on_content_wanted() override;
  void on_content_taken() override;
  [[nodiscard]] bool refuse(const RequestRefusal& refusal) noexcept;
  void ask();
  void watch();
  void watch_nothing() noexcept;

  const ExchangeContext& context_;
  Transport* transport_ = nullptr;
  Body body_;
  Inbox inbox_{body_, *this};
  std::optional<RequestRefusal> refusal_;
  std::uint64_t progress_ = 0;  // at the start of the watched interval
  bool is_awaited_ = false;     // the handler gets the complete body
  bool may_ask_ = false;        // the client waits for 100 Continue
};

}  // namespace eider::detail::server
