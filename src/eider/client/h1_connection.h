// One HTTP/1.1 connection of the client, for one exchange at a time.
// Layering: must not choose what to request, nor when to retry.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "eider/client/exchange.h"
#include "eider/core/base/buffer.h"
#include "eider/io/runtime/stream.h"
#include "eider/io/runtime/tcp.h"
#include "eider/io/runtime/time.h"
#include "eider/protocols/http/h1/response_body.h"
#include "eider/protocols/http/h1/response_reader.h"

namespace eider::detail::client {

class H1Connection final : public ClientExchange, private StreamOwner {
 public:
  /// reader  shared by the loop; must outlive the connection
  H1Connection(h1::ResponseReader& reader, std::unique_ptr<TcpStream> line);
  ~H1Connection() override;

  /// Returns whether no exchange is active and no unsolicited bytes have arrived. Required by
  /// `begin`.
  [[nodiscard]] bool is_idle() const noexcept {
    return phase() == Phase::idle && stream().is_open();
  }
  /// Ends the exchange. Closes the connection if it is incomplete or must not be reused.
  void finish() noexcept;

  void send_head(const OutHead& head) override;
  void send_content(std::string_view piece, Piece which) override;
  void end_content(std::string_view trailer_lines) override;
  void flush() override;

 private:
  [[nodiscard]] Stream& stream() noexcept { return line_->stream(); }
  [[nodiscard]] const Stream& stream() const noexcept { return line_->stream(); }

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

  std::unique_ptr<TcpStream> line_;
  h1::ResponseReader& reader_;
  h1::ResponseBodyReader body_;
  h1::HeadSearch search_;
  Buffer pending_;             // incomplete headers
  bool is_chunked_ = false;    // of the request body
  bool owes_content_ = false;  // the server may still expect the rest of the request body
  bool keeps_alive_ = false;
  bool is_spoilt_ = false;
};

}  // namespace eider::detail::client
