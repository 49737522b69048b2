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
  /// dialler  null: the real one
  ClientState(Loop& on, ClientOptions with, std::unique_ptr<net::Dialler> by);

  /// Where to connect to for a URL, and by which proxy.
  [[nodiscard]] net::Route route_to(const http::HttpUrl& url) const;
  /// Of what may not be asked for at its proxy. One connection there serves all hosts, so that it
  /// is not enough to ask when it is made.
  [[nodiscard]] std::optional<ClientError> forbids(const net::Route& route) const;
  /// For Proxy-Authorization; empty where no proxy is asked, or it does not want to know.
  [[nodiscard]] static std::string credentials_for(const net::Route& route);
  /// Pool::lease, within the deadlines of the options.
  ///
  /// route  outlives the task
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
  Buffer lines;  // of the head that is being written
};

/// With the place where it happened.
[[nodiscard]] ClientError with_place(ClientError error, Method method, const http::HttpUrl& url);

}  // namespace eider::detail::client
