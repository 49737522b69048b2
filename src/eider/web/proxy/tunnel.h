// A WebSocket between a client and an upstream: forwards the handshake, then copies bytes.
// Layering: must not parse frames; both ends check them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "eider/client/client_error.h"
#include "eider/client/client_state.h"
#include "eider/io/net/route.h"
#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/pace.h"
#include "eider/io/runtime/stream.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/tcp.h"
#include "eider/io/runtime/time.h"
#include "eider/io/runtime/timer.h"
#include "eider/protocols/http/http_url.h"
#include "eider/protocols/http/request.h"
#include "eider/protocols/http/response.h"
#include "eider/server/upgrade.h"
#include "eider/web/proxy/forwarding.h"
#include "eider/web/proxy/proxy.h"
#include "eider/web/proxy/upstreams.h"

namespace eider::detail::proxy {

struct TunnelLimits {
  /// Maximum time in which neither side sends anything.
  Duration idle;
  /// Maximum time in which a side accepts too little of the waiting data, or stays open after the
  /// other side has ended.
  Duration patience;
};

/// Copies bytes from each side to the other. While one side is slow, the other is not read.
class Tunnel final : public Upgraded, private Deferred, private Timer {
 public:
  /// upstream  connected; bytes that it has received but that were not read are sent to the client
  /// load      kept as long as the tunnel is open
  Tunnel(UpgradedLine& line, std::unique_ptr<TcpStream> upstream, Load load, TunnelLimits limits);
  Tunnel(const Tunnel&) = delete;
  Tunnel& operator=(const Tunnel&) = delete;

  void on_bytes(std::string_view bytes) override;
  void on_drained() override;
  void on_end() override { end_upstream(); }
  void on_broken() override;
  void on_stopping() override { end_upstream(); }

 private:
  /// Receives the events of the upstream's stream.
  class UpstreamOwner final : public StreamOwner {
   public:
    explicit UpstreamOwner(Tunnel& tunnel) noexcept : tunnel_(tunnel) {}
    void on_bytes(std::string_view bytes) override { tunnel_.on_upstream_bytes(bytes); }
    void on_end() override { tunnel_.end_client(); }
    void on_drained() override { tunnel_.on_upstream_drained(); }
    void on_broken(NetError) override { tunnel_.end_client(); }

   private:
    Tunnel& tunnel_;
  };

  void run() override;
  void expire() override;
  void on_upstream_bytes(std::string_view bytes);
  void on_upstream_drained();

  [[nodiscard]] Instant now() const noexcept { return line_.loop().now(); }
  void end_upstream();
  void end_client();
  void note_end();
  void leave();
  void cut();
  [[nodiscard]] Instant due() const noexcept;
  [[nodiscard]] bool keep_up() noexcept;
  void watch() { line_.loop().arm(*this, due()); }

  UpgradedLine& line_;
  UpstreamOwner upstream_owner_;
  std::unique_ptr<TcpStream> upstream_;
  Load load_;
  TunnelLimits limits_;
  Instant heard_;                   // time of the last bytes from either side
  Instant ended_ = Instant::max();  // time when one side ended
  Pace client_pace_;
  Pace upstream_pace_;
  bool has_upstream_ended_ = false;
  bool is_over_ = false;
  bool is_head_sent_ = false;
};

class TunnelUpgrade final : public Upgrade {
 public:
  TunnelUpgrade(std::unique_ptr<TcpStream> upstream, Load load, TunnelLimits limits) noexcept
      : upstream_(std::move(upstream)), load_(std::move(load)), limits_(limits) {}
  [[nodiscard]] UpgradedPtr take_over(UpgradedLine& line) override {
    return std::make_unique<Tunnel>(line, std::move(upstream_), std::move(load_), limits_);
  }

 private:
  std::unique_ptr<TcpStream> upstream_;
  Load load_;
  TunnelLimits limits_;
};

/// Returns whether a request opens a WebSocket (RFC 6455, section 4.1; RFC 8441, section 5).
[[nodiscard]] bool wants_websocket(const Request& request) noexcept;

/// Requests the same WebSocket from the upstream.
///
/// client     outlives the task, like request and options: its names, proxies, TLS and timeouts
///            apply
/// url        contains the target, and the authority for Host
/// route      to the upstream
/// load       kept as long as the tunnel is open
/// has_asked  outlives the task; set when the upstream may have started to process the request
/// returns    the 101 (a 200 for HTTP/2), whose body connects both sides; or another response of
///            the upstream, without its body
/// errors     those of the client: not connected, timed out, not HTTP
[[nodiscard]] Task<Result<Response, ClientError>> open_tunnel(
    client::ClientState& client, const Request& request, http::HttpUrl url, net::Route route,
    const ProxyOptions& options, ForwardedTrust trust, Load load, bool& has_asked);

}  // namespace eider::detail::proxy
