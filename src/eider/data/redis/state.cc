#include "eider/data/redis/state.h"

#include <algorithm>
#include <string>
#include <utility>

#include "eider/io/runtime/loop.h"

namespace eider::redis::detail {
namespace {

constexpr std::size_t kConnectionsMax = 16;

[[noreturn]] void refuse(std::string_view why) {
  throw RedisFailure(RedisFault::open, RedisFailure::Done::nothing, std::string(why));
}

/// Other characters would end the argument of the command.
bool is_client_name(std::string_view name) noexcept {
  return std::ranges::all_of(name, [](char c) { return c > ' ' && c <= '~'; });
}

net::Options net_options(const RedisOptions& options) {
  return {.dns = options.dns, .tls = options.tls, .tls_context = options.tls_context};
}

}  // namespace

LoopLines::LoopLines(const std::shared_ptr<const Settings>& settings)
    : net_(std::make_shared<net::Net>(net_options(settings->options))) {
  if (settings->target.kind == TargetKind::cluster) {
    cluster_ = std::make_unique<Cluster>(Loop::current(), *net_, settings);
    return;
  }
  for (std::size_t i = 0; i < settings->options.connections; ++i) {
    links_.push_back(
        std::make_unique<Link>(Loop::current(), *net_, settings, nullptr, ConnectionUse::shared));
  }
}

Link& LoopLines::least_busy() noexcept {
  if (cluster_ != nullptr) {
    return cluster_->front();
  }
  return **std::ranges::min_element(links_, {}, [](const auto& link) { return link->calls(); });
}

std::shared_ptr<State> make_state(std::string_view url, RedisOptions options) {
  auto target = read_target(url);
  if (!target) {
    refuse(target.error());
  }
  if (options.connections == 0 || options.connections > kConnectionsMax) {
    refuse("RedisOptions::connections must be between 1 and 16");
  }
  if (target->kind == TargetKind::cluster && options.connections != 1) {
    refuse("RedisOptions::connections must be 1 for a cluster");
  }
  if (!is_client_name(options.client_name)) {
    refuse("RedisOptions::client_name must not contain spaces");
  }
  // Loaded once, so that a missing file is reported at startup.
  if (target->is_secure && options.tls_context == nullptr) {
    auto context = TlsClientContext::make(options.tls);
    if (!context) {
      refuse(context.error().detail());
    }
    options.tls_context = std::move(*context);
  }
  auto settings = std::make_shared<const Settings>(
      Settings{.target = std::move(*target), .options = std::move(options)});
  return std::make_shared<State>(State{
      .settings = settings,
      .lines = LoopLocal<LoopLines>([settings] { return std::make_unique<LoopLines>(settings); })});
}

}  // namespace eider::redis::detail
