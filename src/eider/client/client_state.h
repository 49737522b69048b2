// The state that all requests of one client share.
// Layering: must not outlive its loop.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "eider/client/client_error.h"
#include "eider/client/client_options.h"
#include "eider/client/policy.h"
#include "eider/client/pool.h"
#include "eider/core/base/buffer.h"
#include "eider/core/base/split_mix.h"
#include "eider/io/net/net.h"
#include "eider/io/net/proxy.h"
#include "eider/io/runtime/loop.h"
#include "eider/protocols/http/h1/response_reader.h"
#include "eider/protocols/http/http_url.h"

namespace eider::detail::client {

struct ClientState {
  /// dialler  null: connect to real servers
  ClientState(Loop& on, ClientOptions with, std::unique_ptr<net::Dialler> by);

  /// Returns the address to connect to for a URL, and the proxy to use.
  [[nodiscard]] net::Route route_to(const http::HttpUrl& url) const;
  /// Returns an error if the URL must not be requested through its proxy. Checked for each request,
  /// because one connection to the proxy serves all hosts.
  [[nodiscard]] std::optional<ClientError> forbids(const net::Route& route) const;
  /// Returns the value for Proxy-Authorization; empty if there is no proxy or it needs none.
  [[nodiscard]] static std::string credentials_for(const net::Route& route);
  /// Calls Pool::lease with the deadlines of the options.
  ///
  /// route  must outlive the task
  [[nodiscard]] Task<Result<Lease, ClientError>> lease(const net::Route& route, Instant due,
                                                       Reuse reuse, Rank rank = Rank::usual);

  Loop& loop;
  ClientOptions options;
  net::Net net;
  net::Proxies proxies;
  h1::ResponseReader reader;
  Pool pool;
  RetryBudget budget;
  SplitMix64 dice;
  Buffer lines;  // of the headers that are being written
};

/// Adds method and URL to the error.
[[nodiscard]] ClientError with_place(ClientError error, Method method, const http::HttpUrl& url);

}  // namespace eider::detail::client
