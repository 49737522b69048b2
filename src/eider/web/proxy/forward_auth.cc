#include "eider/web/proxy/forward_auth.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "eider/client/client.h"
#include "eider/client/policy.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
#include "eider/io/runtime/loop_local.h"
#include "eider/protocols/http/http_url.h"
#include "eider/protocols/http/method.h"
#include "eider/web/proxy/forwarding.h"
#include "eider/web/proxy/upstream_call.h"

namespace eider {

struct ForwardAuthGuard::Service {
  Service(std::string its_url, ForwardAuthOptions its_options)
      : url(std::move(its_url)),
        options(std::move(its_options)),
        clients([client = options.client] { return std::make_unique<HttpClient>(client); }) {}

  std::string url;
  ForwardAuthOptions options;
  LoopLocal<HttpClient> clients;
};

namespace {

/// Headers of a rejection that the client needs to continue.
constexpr std::array<std::string_view, 4> kRejectionHeaders{"WWW-Authenticate", "Location",
                                                            "Set-Cookie", "Retry-After"};

/// Statuses about the connection to the service. Clients could send the request again.
constexpr std::array kOfConnections{407, 408, 417, 421, 425, 426};

ForwardAuthOptions checked(const std::string& url, ForwardAuthOptions options) {
  using detail::middleware::kForwardedPrefix;
  if (const auto read = detail::http::read_http_url(url); !read) {
    throw Failure(Error::bad_request("forward_auth: invalid URL '" + url +
                                     "': " + std::string(read.error())));
  }
  UpstreamHeaders names;
  for (const std::string& name : options.response_headers) {
    names.set(name);
  }
  for (const std::string& name : options.request_headers) {
    names.set(name);
    if (detail::middleware::begins_alike(kForwardedPrefix, name)) {
      throw std::invalid_argument("forward_auth: the guard itself sets " + name);
    }
  }
  options.client = detail::proxy::plain_client("forward_auth", std::move(options.client));
  return options;
}

ClientRequest auth_request(HttpClient& client, const std::string& url,
                           const ForwardAuthOptions& options, const Request& request,
                           const ClientInfo& info) {
  ClientRequest to_service = client.request(Method::get, url);
  for (const Field& field : request.headers()) {
    if (std::ranges::any_of(options.request_headers, [&](std::string_view name) {
          return equals_ignoring_case(name, field.name);
        })) {
      to_service.header(field.name, field.value);
    }
  }
  to_service.header("X-Forwarded-Method", to_text(request.method()));
  // The target can be a URL without a path.
  const std::string_view target = detail::proxy::behind_prefix(request.head(), 0);
  to_service.header("X-Forwarded-Uri",
                    std::string(target.starts_with('/') ? "" : "/").append(target));
  to_service.header("X-Forwarded-Proto", info.scheme);
  to_service.header("X-Forwarded-Host", info.host);
  to_service.header("X-Forwarded-For", info.address.empty() ? "unknown" : info.address);
  return to_service;
}

/// Returns all values of that name, joined by commas.
std::string values_of(const ClientResponse& reply, std::string_view name) {
  std::string all;
  for (const Field& field : reply.headers()) {
    if (equals_ignoring_case(field.name, name) && !field.value.empty()) {
      all.append(all.empty() ? "" : ", ").append(field.value);
    }
  }
  return all;
}

Error rejection(const ClientResponse& reply) {
  const int status = reply.status();
  const bool is_redirect =
      detail::client::is_redirect(status) && reply.header("Location").has_value();
  const bool is_rejection =
      status / 100 == 4 && std::ranges::find(kOfConnections, status) == kOfConnections.end();
  if (!is_redirect && !is_rejection) {
    return Error::bad_gateway("The authentication service failed.")
        .because("forward_auth: status " + std::to_string(status) + " from " +
                 std::string(reply.url()));
  }
  Error error(status, "The authentication service rejected the request.");
  error.with_header("Cache-Control", "no-store");  // it is not valid for logged-in users
  for (const Field& field : reply.headers()) {
    if (std::ranges::any_of(kRejectionHeaders, [&](std::string_view name) {
          return equals_ignoring_case(name, field.name);
        })) {
      error.with_header(std::string(field.name), std::string(field.value));
    }
  }
  return error;
}

}  // namespace

ForwardAuthGuard::ForwardAuthGuard(std::string url, ForwardAuthOptions options) {
  options = checked(url, std::move(options));
  service_ = std::make_shared<const Service>(std::move(url), std::move(options));
}

Task<Result<UpstreamHeaders>> ForwardAuthGuard::operator()(const Request& request,
                                                           const ClientInfo& client) const {
  const std::shared_ptr<const Service> service = service_;
  const auto reply = co_await auth_request(service->clients.here(), service->url, service->options,
                                           request, client)
                         .send();
  if (!reply) {
    co_return fail(to_error(reply.error()));
  }
  if (!reply->is_ok()) {
    co_return fail(rejection(*reply));
  }
  UpstreamHeaders headers;
  for (const std::string& name : service->options.response_headers) {
    headers.set(name, values_of(*reply, name));
  }
  co_return headers;
}

void ForwardAuthGuard::describe(Operation& operation) const {
  operation.add_problem(401, "Authentication is required.");
  operation.add_problem(403, "Access is not allowed.");
}

ForwardAuthGuard forward_auth(std::string url, ForwardAuthOptions options) {
  return ForwardAuthGuard(std::move(url), std::move(options));
}

}  // namespace eider
