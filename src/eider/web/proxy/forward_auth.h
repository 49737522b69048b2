// A guard that lets another service decide about each request, such as one that verifies tokens.
// Layering: must not read credentials: the service does.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "eider/app/handlers/client.h"
#include "eider/app/handlers/operation.h"
#include "eider/client/client_options.h"
#include "eider/core/base/result.h"
#include "eider/io/runtime/task.h"
#include "eider/protocols/http/request.h"
#include "eider/web/middleware/upstream_headers.h"

namespace eider {

struct ForwardAuthOptions {
  /// Headers of the client that the service gets, such as Authorization. The service also gets
  /// X-Forwarded-Method, -Uri, -Proto, -Host and -For.
  std::vector<std::string> request_headers = {"Authorization", "Cookie"};
  /// Headers of the service's response that the upstream gets, such as X-User-Id. The client's
  /// headers of these names are removed.
  std::vector<std::string> response_headers = {};
  /// Timeouts, pool and TLS of connections to the service. Redirects, retries and cookies are off.
  /// A response with a larger body is a failure of the service.
  ClientOptions client = {.total = std::chrono::seconds(5),
                          .body_bytes_max = std::size_t{64} * 1024,
                          .connections_per_host_max = 1024,
                          .connections_max = 4096};
};

/// The guard that `forward_auth` returns.
class ForwardAuthGuard {
 public:
  ForwardAuthGuard(std::string url, ForwardAuthOptions options);
  Task<Result<UpstreamHeaders>> operator()(const Request& request, const ClientInfo& client) const;
  void describe(Operation& operation) const;
  [[nodiscard]] std::string name() const { return "forward_auth"; }

 private:
  struct Service;
  std::shared_ptr<const Service> service_;
};

/// Returns a guard that sends a GET request to `url` for each request, without its body. With a 2xx
/// status, the request continues.
///
///     Routes api = app.group("/api");
///     api.guard(forward_auth("http://127.0.0.1:9090/auth", {.response_headers = {"X-User-Id"}}));
///     proxy_to(api, "/", {"http://127.0.0.1:9000"});
///
/// Handlers can take the response headers as Extension<UpstreamHeaders>.
///
/// errors     throws a Failure (400) for an invalid URL or proxy, and std::invalid_argument for an
///            invalid name of a header
/// responses  the service's status if it is 4xx, or a redirect with Location; its WWW-Authenticate,
///            Location, Set-Cookie and Retry-After are passed on. 502 for other statuses, for those
///            about a connection (407, 408, 417, 421, 425, 426), or if the service cannot be
///            reached; 504 if it is too slow
[[nodiscard]] ForwardAuthGuard forward_auth(std::string url, ForwardAuthOptions options = {});

}  // namespace eider
