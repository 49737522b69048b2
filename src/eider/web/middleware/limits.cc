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

/// One of the places, until the request's slots end: whatever becomes of it, also when its client
/// leaves.
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

Around timeout(Duration limit) {
  if (limit <= Duration::zero()) {
    throw Failure(Error::internal("timeout: a limit is longer than nothing"));
  }
  return {[limit](Request& /*request*/, Next next) -> Task<Response> {
            if (!next.may_be_given_up()) {
              Response response = co_await next();
              co_return response;
            }
            std::optional<Response> response = co_await with_deadline(next(), limit);
            if (!response) {
              response.emplace();
              render_error(*response, Error::unavailable("This took too long, and was given up."));
            }
            co_return std::move(*response);
          },
          "timeout " + format_duration(limit),
          [](Operation& operation) {
            operation.answer_problem(503, "It took too long, and was given up.");
          }};
}

Hook concurrency_limit(ConcurrencyLimit limit) {
  if (limit.requests == 0) {
    throw Failure(Error::internal("concurrency_limit: there is one request at least"));
  }
  const auto taken = std::make_shared<WorkPlace::Count>(0);
  return {.before =
              [limit, taken](Request& request, Response& response) {
                if (taken->fetch_add(1, std::memory_order_relaxed) < limit.requests) {
                  request.put(WorkPlace(taken));
                  return true;
                }
                taken->fetch_sub(1, std::memory_order_relaxed);
                render_error(response, Error::unavailable("There is too much to do just now.")
                                           .with_header("Retry-After",
                                                        std::to_string(limit.retry_after.count())));
                return false;
              },
          .name = "concurrency_limit " + std::to_string(limit.requests),
          .describe =
              [](Operation& operation) {
                operation.answer_problem(503, "There is too much to do just now.")
                    .add_field("Retry-After");
              }};
}

}  // namespace eider
