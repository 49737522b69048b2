// What all requests of one client share.
// Must not outlive its loop.
#pragma once

#include <memory>
#include <utility>

#include "eider/client/client_options.h"
#include "eider/client/detail/dialler.h"
#include "eider/client/detail/policy.h"
#include "eider/client/detail/pool.h"
#include "eider/client/detail/proxy.h"
#include "eider/client/detail/sealer.h"
#include "eider/http/h1/response_reader.h"
#include "eider/runtime/loop.h"

namespace eider::detail {

struct ClientState {
  /// dialler  null: the real one
  ClientState(Loop& on, ClientOptions with, std::unique_ptr<Dialler> by);

  Loop& loop;
  ClientOptions options;
  std::unique_ptr<Dialler> dialler;
  Sealer sealer;
  Proxies proxies;
  h1::ResponseReader reader;
  Pool pool;
  RetryBudget budget;
  Dice dice;
};

}  // namespace eider::detail
