#include "eider/web/middleware/limits.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "eider/app/handlers/operation.h"
#include "eider/app/handlers/respond.h"
#include "eider/core/base/failure.h"
#include "eider/io/runtime/deadline.h"

namespace eider {

namespace {

/// One of the places. It is released with the extensions of the request, even if the client
/// disconnects.
class WorkPlace {
 public:
  using Count = std::atomic<std::uint32_t>;

  explicit WorkPlace(std::shared_ptr<Count> taken) noexcept : taken_(std::move(taken)) {}
  WorkPlace(WorkPlace&&) noexcept = default;
  WorkPlace& operator=(WorkPlace&&) = delete;
  ~WorkPlace() {
    if (taken_ != nullptr) {
      taken_->fetch_sub(1, std::memory_order_relaxed);
    }
  }

 private:
  std::shared_ptr<Count> taken_;
};

}  // namespace

Middleware timeout(Duration limit) {
  if (limit <= Duration::zero()) {
    throw Failure(Error::internal("timeout: The limit must be greater than 0"));
  }
  return {[limit](Request& /*request*/, Next next) -> Task<Response> {
            if (!next.may_be_cancelled()) {
              Response response = co_await next();
              co_return response;
            }
            std::optional<Response> response = co_await with_deadline(next(), limit);
            if (!response) {
              response.emplace();
              render_error(*response, Error::unavailable("The request timed out."));
            }
            co_return std::move(*response);
          },
          "timeout " + format_duration(limit),
          [](Operation& operation) { operation.add_problem(503, "The request timed out."); }};
}

Hook concurrency_limit(ConcurrencyLimit limit) {
  if (limit.requests == 0) {
    throw Failure(Error::internal("concurrency_limit: The limit must be at least 1"));
  }
  const auto taken = std::make_shared<WorkPlace::Count>(0);
  return {.on_request =
              [limit, taken](Request& request, Response& response) {
                if (taken->fetch_add(1, std::memory_order_relaxed) < limit.requests) {
                  request.set(WorkPlace(taken));
                  return true;
                }
                taken->fetch_sub(1, std::memory_order_relaxed);
                render_error(
                    response,
                    Error::unavailable("The server is overloaded. Try again later.")
                        .with_header("Retry-After", std::to_string(limit.retry_after.count())));
                return false;
              },
          .name = "concurrency_limit " + std::to_string(limit.requests),
          .describe =
              [](Operation& operation) {
                operation.add_problem(503, "The server is overloaded. Try again later.")
                    .add_header("Retry-After");
              }};
}

}  // namespace eider
