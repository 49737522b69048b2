// What few connections of HTTP/1.1 need: a balancer's word, early data, another protocol.
// Must not be included outside of ConnectionH1's own files.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "eider/http/proxy_protocol.h"
#include "eider/server/detail/conn_h1.h"
#include "eider/server/detail/stream_line.h"

namespace eider::detail {

class ConnectionH1::Takeover final : public StreamLine {
 public:
  explicit Takeover(ConnectionH1& connection) noexcept
      : StreamLine(connection.stream_), connection_(connection) {}

  [[nodiscard]] std::string address() const override { return connection_.address(); }
  [[nodiscard]] std::optional<SecuredBy> secured_by() const override {
    return connection_.secured_by();
  }
  [[nodiscard]] bool is_early() const noexcept override { return connection_.is_shaking_hands_; }
  void close() noexcept override {
    connection_.state_ = State::closed;
    connection_.context_.loop.arm(connection_.alarm_, connection_.context_.loop.now());
  }

  std::unique_ptr<Upgraded> protocol;
  bool is_told_to_stop = false;

 private:
  ConnectionH1& connection_;
};

/// A client that has sent early data: until when it has to be done with the handshake, whatever
/// else it is waited for meanwhile.
class ConnectionH1::Early final : public Timer {
 public:
  Early(ConnectionH1& connection, Instant due) noexcept : connection_(connection) {
    connection.context_.loop.arm(*this, due);
  }
  void expire() override {
    if (connection_.is_shaking_hands_) {
      connection_.state_ = State::closed;
      connection_.settle();
    }
  }

  std::size_t late_bytes = 0;  // of what is saved, those behind the early ones

 private:
  ConnectionH1& connection_;
};

struct ConnectionH1::Aside {
  std::unique_ptr<ProxyReader> preface;
  SealMaker* seals = nullptr;  // for behind the preface
  std::string proxied_address;
  std::unique_ptr<Early> early;
  std::optional<Takeover> takeover;
};

}  // namespace eider::detail
