// The application as the server sees it: routes resolved, states found, hooks laid flat.
// Must not change once made: all loops share it.
#pragma once

#include <memory>
#include <string_view>

#include "eider/app/endpoint.h"
#include "eider/app/route_table.h"
#include "eider/app/sites.h"
#include "eider/server/service.h"

namespace eider {

class AppService final : public Service {
 public:
  /// errors  everything that is wrong with the table, one line each
  [[nodiscard]] static Result<std::unique_ptr<Service>> create(
      std::shared_ptr<const RouteTable> table);

  [[nodiscard]] Plan plan(Request& request) noexcept override;
  void answer(const Plan& plan, Request& request, Response& response) noexcept override;
  [[nodiscard]] Task<> answer_later(const Plan& plan, Request& request, Response& response,
                                    const Ongoing& ongoing) override;
  void answer_failed(const Request& request, Response* response,
                     std::exception_ptr thrown) noexcept override;
  void refuse(int status, std::string_view detail, Response& response) noexcept override;
  [[nodiscard]] std::size_t unfinished(Loop& loop) noexcept override;

 private:
  explicit AppService(std::shared_ptr<const RouteTable> table);

  /// Copies the routes and finds what each refers to; the lines of what is wrong.
  [[nodiscard]] std::string resolve();
  void resolve_states(Endpoint& endpoint, std::string& wrong) const;
  void resolve_scopes(Endpoint& endpoint) const;
  void resolve_sites();
  /// Turns what a handler threw into an answer and a line in the log.
  void answer_thrown(const Request& request, Response& response) noexcept;

  std::shared_ptr<const RouteTable> table_;
  std::vector<Endpoint> endpoints_;
  Sites sites_;
};

}  // namespace eider
