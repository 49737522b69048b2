// The application as the server sees it: resolved routes, states and hooks.
// Layering: must not change after construction, because all event loops share it.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "eider/app/handlers/endpoint.h"
#include "eider/app/handlers/guard_ways.h"
#include "eider/app/handlers/thrown.h"
#include "eider/app/life/lifetime.h"
#include "eider/app/life/states.h"
#include "eider/app/route_table.h"
#include "eider/app/sites.h"
#include "eider/protocols/route/method_set.h"
#include "eider/server/service.h"

namespace eider {

class AppService final : public RequestService {
 public:
  /// errors  everything that is wrong with the table, one error per line
  [[nodiscard]] static Result<std::unique_ptr<RequestService>> create(
      std::shared_ptr<const RouteTable> table);

  [[nodiscard]] Task<Result<void>> start() override { return lifetime_.start(); }
  void begin() noexcept override;
  void leave() noexcept override { lifetime_.leave_on_loop(); }
  void drain() noexcept override;
  [[nodiscard]] Task<> end() override;
  [[nodiscard]] Task<> stop() override { return lifetime_.stop(); }
  [[nodiscard]] RequestPlan plan(Request& request) noexcept override;
  void respond(const RequestPlan& plan, Request& request, Response& response) noexcept override;
  [[nodiscard]] Task<> respond_later(const RequestPlan& plan, Request& request, Response& response,
                                     const Ongoing& ongoing) override;
  void finish(const RequestPlan& plan, Request& request, Response& response) noexcept override;
  [[nodiscard]] bool is_observed() const noexcept override {
    return has_after_work_ || !table_->observers.empty();
  }
  [[nodiscard]] bool trusts_proxies() const noexcept override {
    return !table_->proxy_trust->peers.is_empty();
  }
  void observe(const ResponseEvent& record) noexcept override;
  [[nodiscard]] Duration slow_after(Duration beyond) const noexcept override;
  void observe_slow(const Request& request, const RequestState& state,
                    Duration after) noexcept override;
  void respond_failed(const Request& request, Response* response,
                      std::exception_ptr thrown) noexcept override;
  void refuse(int status, std::string_view detail, Response& response) noexcept override;
  [[nodiscard]] PlanName plan_name(const void* endpoint) const noexcept override;
  [[nodiscard]] std::vector<BackgroundState> background(std::size_t count_max) const override {
    return lifetime_.on_this_loop(count_max);
  }
  [[nodiscard]] std::size_t unfinished(Loop& loop) noexcept override;

 private:
  explicit AppService(std::shared_ptr<const RouteTable> table);

  /// Copies the routes, and resolves what each one refers to. Returns the errors, one per line.
  [[nodiscard]] std::string resolve();
  void resolve_arguments(Endpoint& endpoint, std::string& wrong);
  void resolve_scopes(Endpoint& endpoint) const;
  void resolve_unrouted(Endpoint& endpoint) const;
  void rewrite(Request& request) const noexcept;
  void add_for_any_method(std::string& wrong);
  void add_edges();
  void resolve_sites();
  void add_unrouted(std::size_t scope);
  [[nodiscard]] const Endpoint& unrouted_of(const Site& site, MethodSet allowed,
                                            Request& request) const noexcept;

  std::shared_ptr<const RouteTable> table_;
  States states_;
  GuardWays guard_ways_;
  std::vector<Endpoint> endpoints_;
  std::vector<Endpoint> unrouted_;          // one for each scope with routes or states, by the
                                            // index of the scope
  std::vector<const Endpoint*> by_prefix_;  // of groups and mounts, the longest prefix first
  Sites sites_;
  Lifetime lifetime_;
  bool has_after_work_ = false;  // a handler or guard uses AfterResponse
};

}  // namespace eider
