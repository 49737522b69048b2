// An App as the service of a simulated server.
// Layering: must not be used if one client at a time is enough; TestClient reports more.
#pragma once

#include <exception>
#include <memory>
#include <string_view>
#include <utility>

#include "eider/app/app.h"
#include "eider/server/service.h"
#include "tests/sim/sim_server.h"

namespace eider {

/// The service of an app. Derive from it, add routes to `app_`, then call `make_service`.
class SimAppService : public RequestService {
 public:
  RequestPlan plan(Request& request) noexcept override { return inner_->plan(request); }
  void respond(const RequestPlan& plan, Request& request, Response& response) noexcept override {
    inner_->respond(plan, request, response);
  }
  Task<> respond_later(const RequestPlan& plan, Request& request, Response& response,
                       const Ongoing& ongoing) override {
    return inner_->respond_later(plan, request, response, ongoing);
  }
  void finish(const RequestPlan& plan, Request& request, Response& response) noexcept override {
    inner_->finish(plan, request, response);
  }
  [[nodiscard]] bool is_observed() const noexcept override { return inner_->is_observed(); }
  void observe(const ResponseEvent& record) noexcept override { inner_->observe(record); }
  [[nodiscard]] Duration slow_after(Duration beyond) const noexcept override {
    return inner_->slow_after(beyond);
  }
  void observe_slow(const Request& request, const RequestState& state,
                    Duration after) noexcept override {
    inner_->observe_slow(request, state, after);
  }
  void respond_failed(const Request& request, Response* response,
                      std::exception_ptr thrown) noexcept override {
    inner_->respond_failed(request, response, std::move(thrown));
  }
  void refuse(int status, std::string_view detail, Response& response) noexcept override {
    inner_->refuse(status, detail, response);
  }

  std::size_t unfinished(Loop& loop) noexcept override { return inner_->unfinished(loop); }

 protected:
  void make_service() { inner_ = app_.make_service().value(); }

  App app_;

 private:
  std::unique_ptr<RequestService> inner_;
};

/// kAdd  adds routes to the app
template <void (*kAdd)(App&)>
class SimApp final : public SimAppService {
 public:
  SimApp() {
    kAdd(app_);
    make_service();
  }
};

template <void (*kAdd)(App&)>
using SimAppServer = SimServerOf<SimApp<kAdd>>;

}  // namespace eider
