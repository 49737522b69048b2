#include "eider/web/proxy/forward_auth.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "eider/client/client.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
#include "eider/io/runtime/loop_local.h"
#include "eider/protocols/http/http_url.h"
#include "eider/protocols/http/method.h"
#include "eider/web/proxy/forwarding.h"

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

ForwardAuthOptions checked(const std::string& url, ForwardAuthOptions options) {
  if (const auto read = detail::http::read_http_url(url); !read) {
    throw Failure(Error::bad_request("forward_auth: invalid URL '" + url +
                                     "': " + std::string(read.error())));
  }
  UpstreamHeaders names;
  for (const std::string& name : options.response_headers) {
    names.set(name);
  }
  options.client.redirects_max = 0;
  options.client.decompresses = false;  // its body is not used
  return options;
}

ClientRequest question(HttpClient& client, const std::string& url,
                       const ForwardAuthOptions& options, const Request& request) {
  ClientRequest asked = client.request(Method::get, url);
  for (const Field& field : request.headers()) {
    if (std::ranges::any_of(options.request_headers, [&](std::string_view name) {
          return equals_ignoring_case(name, field.name);
        })) {
      asked.header(field.name, field.value);
    }
  }
  asked.header("X-Forwarded-Method", to_text(request.method()));
  asked.header("X-Forwarded-Uri", detail::proxy::behind_prefix(request.head(), 0));
  detail::proxy::take_forwarded(
      request, detail::proxy::ForwardedTrust::none,
      [&](std::string_view name, std::string_view value) { asked.header(name, value); });
  return asked;
}

/// Returns all values of that name, joined by commas.
std::string values_of(const ClientResponse& reply, std::string_view name) {
  std::string all;
  for (const Field& field : reply.headers()) {
    if (equals_ignoring_case(field.name, name)) {
      all.append(all.empty() ? "" : ", ").append(field.value);
    }
  }
  return all;
}

Error rejection(const ClientResponse& reply) {
  const int status = reply.status();
  const bool is_redirect = status / 100 == 3 && reply.header("Location").has_value();
  if (!is_redirect && status / 100 != 4) {
    return Error::bad_gateway("The authentication service failed.")
        .because("forward_auth: status " + std::to_string(status) + " from " +
                 std::string(reply.url()));
  }
  Error error(status, "The authentication service rejected the request.");
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

Task<Result<UpstreamHeaders>> ForwardAuthGuard::operator()(const Request& request) const {
  const std::shared_ptr<const Service> service = service_;
  auto sending = question(service->clients.here(), service->url, service->options, request).send();
  const auto reply = co_await std::move(sending);
  if (!reply) {
    co_return fail(to_error(reply.error()));
  }
  if (!reply->is_ok()) {
    co_return fail(rejection(*reply));
  }
  // Those of a guard of an outer group stay.
  const auto* const outer = request.find<UpstreamHeaders>();
  UpstreamHeaders headers = outer == nullptr ? UpstreamHeaders() : *outer;
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
