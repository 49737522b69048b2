// What an exchange, the content of its request and that of its answer tell the connection.
// Must not know connections: whoever takes no part in something leaves its default.
#pragma once

#include <string>

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

  /// Before the first byte that a producer writes: corks the head, and says how the content that
  /// follows is framed.
  [[nodiscard]] virtual h1::Framing on_content_begins(const Production& /*production*/) {
    return h1::Framing::none;
  }
  /// The socket refuses more: `go_on` when it has drained.
  virtual void on_content_blocked() {}
  /// The producer has come to its end; told on the loop, never from within a call.
  virtual void on_produced(Production& /*production*/) {}

 protected:
  ~ExchangeOwner() override = default;
};

}  // namespace eider::detail
