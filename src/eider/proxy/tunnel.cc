#include "eider/proxy/detail/tunnel.h"

#include <optional>
#include <utility>

#include "eider/base/text.h"
#include "eider/client/detail/dialler.h"
#include "eider/client/detail/random_masks.h"
#include "eider/client/detail/sealer.h"
#include "eider/client/detail/tcp_dialler.h"
#include "eider/client/detail/ws_opening.h"
#include "eider/http/h1/response_reader.h"
#include "eider/http/ws/handshake.h"
#include "eider/runtime/deadline.h"
#include "eider/runtime/deferred.h"
#include "eider/runtime/stream.h"
#include "eider/runtime/sync.h"
#include "eider/server/upgrade.h"

namespace eider::detail {

namespace {

constexpr int kOk = 200;
constexpr int kSwitching = 101;

/// Who is told of the upstream's end, once there is a tunnel.
class Near {
 public:
  virtual void on_far_bytes(std::string_view bytes) = 0;
  virtual void on_far_drained() = 0;
  virtual void on_far_ended() = 0;

 protected:
  ~Near() = default;
};

/// The upstream's end: gathers its answer, and hands everything on afterwards.
class FarEnd final : private StreamOwner {
 public:
  explicit FarEnd(Loop& loop) noexcept : stream(loop, *this) {}

  void hand_on(Near* near) noexcept { near_ = near; }
  [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }

  Stream stream;
  Buffer received;
  Event news;
  Load load;

 private:
  void on_bytes(std::string_view bytes) override {
    if (near_ != nullptr) {
      near_->on_far_bytes(bytes);
      return;
    }
    received.append(bytes);
    news.set();
  }
  void on_end() override { note_end(); }
  void on_broken(NetError) override { note_end(); }
  void on_drained() override {
    if (near_ != nullptr) {
      near_->on_far_drained();
    }
  }
  void note_end() {
    has_ended_ = true;
    news.set();
    if (near_ != nullptr) {
      near_->on_far_ended();
    }
  }

  bool has_ended_ = false;
  Near* near_ = nullptr;
};

/// Bytes from one side go to the other. While that is slow, this one is not read from.
class Tunnel final : public Upgraded, private Near, private Deferred {
 public:
  Tunnel(UpgradedLine& line, std::unique_ptr<FarEnd> far) : line_(line), far_(std::move(far)) {
    far_->hand_on(this);
    if (!far_->received.empty() || far_->has_ended()) {
      line_.loop().defer(*this);
    }
  }
  Tunnel(const Tunnel&) = delete;
  Tunnel& operator=(const Tunnel&) = delete;
  ~Tunnel() override { far_->hand_on(nullptr); }

  void on_bytes(std::string_view bytes) override {
    if (!far_->stream.is_open()) {
      return;
    }
    far_->stream.output().append(bytes);
    if (!far_->stream.flush()) {
      line_.pause_reading();
    }
  }
  void on_drained() override {
    if (far_->stream.is_open()) {
      far_->stream.resume_reading();
    }
  }
  void on_end() override { end_far(); }
  void on_broken() override { far_->stream.close(); }
  void on_stopping() override { end_far(); }

 private:
  /// What has come right behind the 101 is handed on when that has left: a stream of HTTP/2 must
  /// have been given its head, which is sent in the round behind this one.
  void run() override {
    if (!std::exchange(is_head_sent_, true)) {
      line_.loop().defer(*this);
      return;
    }
    hand_on_received();
    if (far_->has_ended()) {
      end();
    }
  }
  void hand_on_received() {
    if (!is_over_ && !far_->received.empty()) {
      line_.output().append(far_->received.view());
      far_->received.release();
    }
  }
  void on_far_bytes(std::string_view bytes) override {
    if (is_over_) {
      return;
    }
    hand_on_received();
    line_.output().append(bytes);
    if (!line_.flush()) {
      far_->stream.pause_reading();
    }
  }
  void on_far_drained() override { line_.resume_reading(); }
  void on_far_ended() override {
    hand_on_received();
    end();
  }

  void end_far() {
    if (far_->stream.is_open()) {
      far_->stream.end();
    }
  }
  void end() {
    if (!std::exchange(is_over_, true)) {
      (void)line_.flush();
      line_.close();
    }
  }

  UpgradedLine& line_;
  std::unique_ptr<FarEnd> far_;
  bool is_over_ = false;
  bool is_head_sent_ = false;
};

class TunnelUpgrade final : public Upgrade {
 public:
  explicit TunnelUpgrade(std::unique_ptr<FarEnd> far) noexcept : far_(std::move(far)) {}
  [[nodiscard]] std::unique_ptr<Upgraded> take_over(UpgradedLine& line) override {
    return std::make_unique<Tunnel>(line, std::move(far_));
  }

 private:
  std::unique_ptr<FarEnd> far_;
};

/// What is said of the key: over HTTP/2 there is none, so ours is asked with and checked (RFC 8441,
/// section 5); else it is between the client and the upstream.
struct KeyTerms {
  explicit KeyTerms(const Request& request) : is_ours(request.head().opens_websocket) {
    if (is_ours) {
      RandomMasks random;
      key = make_ws_key(random);
    }
  }
  [[nodiscard]] std::string_view view() const noexcept { return {key.data(), key.size()}; }
  [[nodiscard]] bool holds(std::string_view name) const noexcept {
    return is_ours && (equals_ignoring_case(name, ws::kKeyField) ||
                       equals_ignoring_case(name, ws::kAcceptField));
  }

  bool is_ours;
  WsKey key{};
};

void write_field(Buffer& out, std::string_view name, std::string_view value) {
  out.append(name);
  out.append(": ");
  out.append(value);
  out.append("\r\n");
}

/// The handshake as the client has asked for it, fields of one hop but those of the upgrade anew.
void write_handshake(Buffer& out, const Request& request, const HttpUrl& url, ForwardedTrust trust,
                     const KeyTerms& key) {
  out.append("GET ");
  out.append(url.target);
  out.append(" HTTP/1.1\r\n");
  write_field(out, "Host", url.authority);
  write_field(out, "Connection", "Upgrade");
  write_field(out, "Upgrade", "websocket");
  if (key.is_ours) {
    write_field(out, ws::kKeyField, key.view());
  }
  forward_request_fields(request, trust, [&](std::string_view name, std::string_view value) {
    if (!key.holds(name)) {
      write_field(out, name, value);
    }
  });
  out.append("\r\n");
}

/// Whether the 101 is what was asked for, where that is for us to say.
bool is_accepted(const h1::ReplyHead& head, const KeyTerms& key) {
  if (!key.is_ours) {
    return true;
  }
  const auto accept = ws::accept_value(key.view());
  return head.find(ws::kAcceptField) == std::string_view(accept.data(), accept.size());
}

Response answer_of(const h1::ReplyHead& head, const KeyTerms& key) {
  const bool is_open = head.status == kSwitching;
  Response response(is_open && key.is_ours ? kOk : head.status);
  forward_answer_fields(head.fields, [&](std::string_view name, std::string_view value) {
    if (!key.holds(name)) {
      response.add_header(name, value);
    }
  });
  if (is_open && !key.is_ours) {
    response.add_header("Upgrade", "websocket");
  }
  return response;
}

ClientError bad_answer() {
  return {ClientFault::bad_answer, "The upstream's answer to a WebSocket's handshake is no HTTP."};
}

enum class HeadRead : std::uint8_t { whole, partial, bad };

/// Passes interim answers over: the client has asked for none.
HeadRead read_head(h1::ResponseReader& reader, Buffer& received) {
  for (;;) {
    switch (reader.read(received.view(), Method::get, h1::ResponseLimits())) {
      case h1::HeadStatus::need_more:
        return HeadRead::partial;
      case h1::HeadStatus::refused:
        return HeadRead::bad;
      case h1::HeadStatus::complete:
        break;
    }
    if (!reader.head().is_interim()) {
      return HeadRead::whole;
    }
    received.consume(reader.head_bytes());
  }
}

Task<Result<Response, ClientError>> shake_hands(std::unique_ptr<FarEnd> far, KeyTerms key) {
  h1::ResponseReader reader;
  for (;;) {
    const HeadRead read = read_head(reader, far->received);
    if (read == HeadRead::bad) {
      co_return fail(bad_answer());
    }
    if (read == HeadRead::whole) {
      break;
    }
    if (far->has_ended()) {
      co_return fail(ClientError{ClientFault::connection_lost,
                                 "The upstream ended the connection in a WebSocket's handshake."});
    }
    far->news.reset();
    co_await far->news.wait();
  }
  const bool is_open = reader.head().status == kSwitching;
  if (is_open && !is_accepted(reader.head(), key)) {
    co_return fail(bad_answer());
  }
  Response response = answer_of(reader.head(), key);
  far->received.consume(reader.head_bytes());
  if (is_open) {
    response.set_content(std::make_unique<TunnelUpgrade>(std::move(far)));
  }
  co_return response;
}

}  // namespace

bool wants_websocket(const Request& request) noexcept {
  const auto upgrade = request.header("Upgrade");
  const RequestHead& head = request.head();
  // With content in front of the first frame both ends might disagree where that begins.
  const bool is_upgrade = head.method == Method::get && head.wants_upgrade &&
                          head.body == BodyKind::none && upgrade &&
                          equals_ignoring_case(*upgrade, "websocket");
  return is_upgrade || head.opens_websocket;
}

Task<Result<Response, ClientError>> open_tunnel(const Request& request, const HttpUrl& url,
                                                const ClientOptions& options, ForwardedTrust trust,
                                                Load load) {
  const Route route{url.origin(), url.host, url.port, url.is_secure};
  TcpDialler dialler({.servers = options.dns_servers});
  auto dialling = dialler.dial(route, Loop::current().now() + options.connect);
  auto fd = co_await std::move(dialling);
  if (!fd) {
    co_return fail(std::move(fd.error()));
  }
  auto far = std::make_unique<FarEnd>(Loop::current());
  far->load = std::move(load);
  far->stream.open(std::move(*fd));
  if (url.is_secure) {
    Sealer sealer(options.tls, options.tls_context);
    auto seal = sealer.seal_for(url.host, url.port);
    if (!seal) {
      co_return fail(std::move(seal.error()));
    }
    far->stream.secure(std::move(*seal));
  }
  const KeyTerms key(request);
  write_handshake(far->stream.output(), request, url, trust, key);
  auto shaking = with_deadline(shake_hands(std::move(far), key), options.first_byte);
  auto shaken = co_await std::move(shaking);
  if (!shaken) {
    co_return fail(ClientError{ClientFault::timed_out,
                               "The upstream does not answer a WebSocket's handshake in time."});
  }
  co_return std::move(*shaken);
}

}  // namespace eider::detail
