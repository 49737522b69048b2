// All that an App was told, until it starts: endpoints, scopes, states.
// Must not be included by applications.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "eider/app/endpoint.h"
#include "eider/app/make_seals.h"
#include "eider/app/middleware.h"
#include "eider/base/log.h"

namespace eider {

class ConnectionProtocol;

/// A group: its prefix in full and what holds for all within it.
struct RouteScope {
  std::string host;  // see Site::host
  std::string prefix;
  std::size_t parent = 0;  // the root is its own parent
  std::deque<Hook> hooks;
  std::deque<Around> arounds;
};

class RouteTable {
 public:
  RouteTable() : scopes(1) {}

  std::deque<Endpoint> endpoints;
  std::deque<RouteScope> scopes;  // [0] is the app
  std::map<detail::TypeKey, std::shared_ptr<void>> states;
  std::size_t body_bytes_max = std::size_t{1} << 20;
  std::shared_ptr<LogSink> log;
  std::shared_ptr<const ConnectionProtocol> protocol;
  MakeSeals make_seals;
};

}  // namespace eider
