// What an exchange, the content of its request and that of its answer tell the connection.
// Must not know connections: whoever takes no part in something leaves its default.
#pragma once

#include <string>

#include "eider/base/buffer.h"
#include "eider/http/h1/writer.h"
#include "eider/http/request.h"

namespace eider::detail {

class Exchange;
class Production;

class ExchangeOwner : public Peer {
 public:
  /// The response is complete; told on the loop, never from within `begin`.
  virtual void on_answered(Exchange& exchange) = 0;

  /// The handler waits for the request's content for the first time.
  virtual void on_content_wanted() {}
  /// The handler has taken what had come of it.
  virtual void on_content_taken() {}

 protected:
  ~ExchangeOwner() override = default;
};

/// Who sends what a producer makes.
class ContentOwner : public ExchangeOwner {
 public:
  /// Before the first byte that a producer writes: corks the head, and says how the content that
  /// follows is framed.
  [[nodiscard]] virtual h1::Framing on_content_begins(const Production& production) = 0;
  /// Where the content goes, framed like that. Asked for anew each time.
  [[nodiscard]] virtual Buffer& content_output() = 0;
  /// Hands on what is there. False when some has to wait: `go_on` when it has left.
  virtual bool flush_content() = 0;
  /// Something waits.
  [[nodiscard]] virtual bool is_content_waiting() const noexcept = 0;
  /// The client's side refuses more: `go_on` when it has drained.
  virtual void on_content_blocked() = 0;
  /// The producer has come to its end; told on the loop, never from within a call.
  virtual void on_produced(Production& production) = 0;

 protected:
  ~ContentOwner() override = default;
};

}  // namespace eider::detail
