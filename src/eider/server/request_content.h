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
  /// budget  of the bodies of all; outlives it
  RequestContent(const ExchangeContext& context, BodyBudget& budget) noexcept
      : context_(context), body_(budget) {}

  /// Gathers it, or lets the handler read it, as planned. The client is told to send when it waits
  /// for that and has not begun.
  ///
  /// returns  whether the request is to be served now: nothing is gathered
  [[nodiscard]] bool begin(const RequestPlan& plan, const RequestHead& head, Transport& transport,
                           bool has_begun);
  /// Some may still be of use.
  [[nodiscard]] bool is_taken() const noexcept { return is_awaited_ || !inbox_.is_over(); }
  // What arrives. Each returns whether the request is to be served now: it is complete or refused.
  // Pre: is_taken()
  [[nodiscard]] bool take(std::string_view content);
  [[nodiscard]] bool take_end(std::string_view trailer_lines);
  [[nodiscard]] bool fail(const RequestRefusal& refusal);
  /// Looks whether it comes too slowly, at the time that the transport was told to watch. Of use
  /// at any time. returns  as above
  [[nodiscard]] bool check();

  /// As much lies here as is taken ahead of a handler that reads it.
  [[nodiscard]] bool is_full() const noexcept;
  /// What comes is kept until all is there.
  [[nodiscard]] bool is_gathering() const noexcept { return is_awaited_ || inbox_.is_gathering(); }
  /// What has come so far, but for what the handler has taken.
  [[nodiscard]] std::string_view view() const noexcept { return body_.view(); }
  /// How much has come.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return body_.bytes(); }
  /// Why the request is refused, if it is.
  [[nodiscard]] const std::optional<RequestRefusal>& refusal() const noexcept { return refusal_; }
  /// For a handler that reads it.
  [[nodiscard]] BodyInbox& inbox() noexcept { return inbox_; }

  /// The head of the response leaves: behind it no interim response may stand, or the rest would be
  /// read as another response. The client need not wait for one either (RFC 9110, 10.1.1).
  void note_response_begun() noexcept { may_ask_ = false; }
  /// The client has left: its content does not come, and nobody is to be told of it.
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
  std::uint64_t progress_ = 0;  // when the span began that is watched
  bool is_awaited_ = false;     // by the handler, which gets it whole
  bool may_ask_ = false;        // 100 Continue is waited for
};

}  // namespace eider::detail::server
