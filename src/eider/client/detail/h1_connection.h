// One HTTP/1.1 connection of the client, which serves one exchange after the other.
// Must not choose what to ask for, nor when to ask again.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "eider/base/buffer.h"
#include "eider/client/detail/exchange.h"
#include "eider/client/detail/wire.h"
#include "eider/http/h1/response_body.h"
#include "eider/http/h1/response_reader.h"
#include "eider/runtime/stream.h"
#include "eider/runtime/time.h"

namespace eider::detail {

class H1Connection final : public ClientExchange, private StreamOwner {
 public:
  /// reader  of the loop's; outlives the connection
  H1Connection(h1::ResponseReader& reader, std::unique_ptr<Wire> wire);
  ~H1Connection() override;

  /// Nothing is under way, and nothing has come that was not asked for. `begin` needs it.
  [[nodiscard]] bool is_idle() const noexcept {
    return phase() == Phase::idle && stream().is_open();
  }
  [[nodiscard]] Instant idle_since() const noexcept { return idle_since_; }
  /// The exchange is over. What is not at its end, or must not be used again, is closed.
  void finish() noexcept;

  /// For heads that are written elsewhere, and content in their framing. Pre: !has_failed().
  [[nodiscard]] Buffer& output() { return stream().output(); }
  void send_head(const RequestParts& parts, const HttpUrl& url, const HeadTerms& terms) override;
  void send_content(std::string_view piece, Piece which) override;
  void flush() override;
  /// The server may still expect the rest of it: the connection is not used again.
  void cut_content() noexcept override { is_spoilt_ = true; }

 private:
  [[nodiscard]] Stream& stream() noexcept { return wire_->stream(); }
  [[nodiscard]] const Stream& stream() const noexcept { return wire_->stream(); }

  void on_bytes(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override { tell(); }
  void on_broken(NetError error) override;

  void on_begin() override;
  void on_ahead(std::size_t bytes) override;
  void on_taken(std::size_t bytes) override;
  void drop(ClientFault why) noexcept override;
  [[nodiscard]] bool has_sent_all() const noexcept override {
    return stream().waiting_bytes() == 0;
  }

  [[nodiscard]] std::string_view read_heads(std::string_view in);
  void keep_pending(std::string_view rest);
  void read_head(const h1::ReplyHead& head);
  void read_body(std::string_view in);

  std::unique_ptr<Wire> wire_;
  h1::ResponseReader& reader_;
  h1::ResponseBodyReader body_;
  h1::HeadSearch search_;
  Buffer pending_;  // of a head that is not whole
  Instant idle_since_;
  bool is_chunked_ = false;  // the request's content
  bool keeps_alive_ = false;
  bool is_spoilt_ = false;
};

}  // namespace eider::detail
