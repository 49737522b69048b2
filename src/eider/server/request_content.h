// The body of one request as it arrives: collected, or read by the handler, at a minimum rate.
// Layering: must not know framing, nor send responses: it returns whether the request is complete
// or rejected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/core/base/result.h"
#include "eider/io/runtime/read_blocks.h"
#include "eider/io/runtime/sync.h"
#include "eider/protocols/http/head.h"
#include "eider/protocols/http/refusal.h"
#include "eider/server/body.h"
#include "eider/server/body_stream.h"
#include "eider/server/service.h"
#include "eider/server/transport.h"

namespace eider::detail::server {

struct ExchangeContext;
class RequestContent;

/// A request body that a handler reads as it arrives. Its owner limits how much the client sends.
class Inbox final : public BodyInbox {
 public:
  /// body  contains the bytes that were not taken
  Inbox(Body& body, RequestContent& owner) noexcept : body_(body), owner_(owner) {}

  void begin(const RequestHead& head);
  /// Called with bytes of the body, and at its end.
  void put(std::string_view content);
  void end(std::string_view trailer_lines);
  /// Called if the body cannot be completed; `take` throws after the bytes that arrived before.
  void fail(const RequestRefusal& refusal);

  /// Returns whether the body is collected until it is complete.
  [[nodiscard]] bool is_gathering() const noexcept { return is_gathering_ && !is_over_; }
  /// Called when no more bytes will come: a handler that waits for them gets an error.
  void abandon() noexcept;
  /// Returns whether nothing more is expected from the client.
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }
  /// Returns the number of copied bytes that were not taken; lent bytes are in the loop's memory.
  [[nodiscard]] std::size_t waiting_bytes() const noexcept { return body_.view().size(); }

  void reset() noexcept;

  void want() noexcept override;
  [[nodiscard]] bool has_news() const noexcept override {
    return is_over_ || ((has_lent_ || waiting_bytes() != 0) && !is_gathering_);
  }
  [[nodiscard]] std::string_view take() override;
  void gather() noexcept override;
  [[nodiscard]] std::string_view gathered() override;
  [[nodiscard]] AsyncEvent& arrival() noexcept override { return arrival_; }
  [[nodiscard]] std::optional<std::uint64_t> length() const noexcept override { return length_; }
  [[nodiscard]] std::string_view trailer_lines() const noexcept override { return trailers_; }

 private:
  /// Lends the bytes without a copy, if the handler waits for them.
  [[nodiscard]] bool borrow(std::string_view content);

  Body& body_;
  RequestContent& owner_;
  Buffer given_;
  ReadLoan loan_;  // of the next part, or of the part that the handler uses
  AsyncEvent arrival_;
  std::optional<std::uint64_t> length_;
  std::optional<Error> error_;
  std::string trailers_;
  bool has_lent_ = false;  // the lent part was not taken yet
  bool is_over_ = true;
  bool is_wanted_ = false;
  bool is_gathering_ = false;
};

class RequestContent {
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

  // Called by the inbox.

  /// The handler waits for the body for the first time.
  void on_content_wanted();
  /// The handler has taken the bytes that have arrived.
  void on_content_taken();

 private:
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
