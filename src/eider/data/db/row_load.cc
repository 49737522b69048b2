#include "eider/data/db/row_load.h"

#include <memory>
#include <string>

#include "eider/data/db/failure.h"

namespace eider::db {

RowCourse::RowCourse(const Statements& on, SqlText sql, std::string_view name)
    : route_(on.route()), sql_(std::move(sql)), name_(name) {}

Dialect RowCourse::dialect_of(const Statements& on) {
  return on.route().pool()->dialect();
}

void RowCourse::check() const {
  if (failure_ != nullptr) {
    std::rethrow_exception(failure_);
  }
  if (is_asking_ || is_over_) {
    throw Failure(FailureKind::statement,
                  std::string(name_) +
                      (is_over_ ? " was used after its end"
                                : " was used while another call is waiting or was canceled"));
  }
}

Task<> RowCourse::connect(detail::BeginJob::Use use) {
  if (route_.transaction() == nullptr) {
    Pending<detail::BeginJob> begun(route_, Lane::streaming,
                                    std::make_unique<detail::BeginJob>(route_.pool(), use));
    own_.emplace(co_await begun);
    route_ = static_cast<const Statements&>(*own_).route();
  }
}

}  // namespace eider::db
