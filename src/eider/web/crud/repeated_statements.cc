#include "eider/web/crud/repeated_statements.h"

#include <coroutine>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "eider/app/life/log_stderr.h"
#include "eider/data/db/statement_watch.h"

namespace eider {

namespace {

/// The statements that were logged, with their routes. Thread-safe.
class Told {
 public:
  explicit Told(RepeatedStatements options)
      : times_max_(options.times_max),
        log_(options.log == nullptr ? stderr_log() : std::move(options.log)) {}

  [[nodiscard]] int times_max() const noexcept { return times_max_; }
  void tell(const std::string& route, std::string_view sql) {
    const std::lock_guard lock(mutex_);
    if (told_.emplace(route, sql).second) {
      log_->write(LogLevel::warning, route + " runs the same statement more than " +
                                         std::to_string(times_max_) +
                                         " times in one request: " + std::string(sql) +
                                         " (N+1 queries: load all rows with one statement, for "
                                         "example with a join or Records::load)");
    }
  }

 private:
  const int times_max_;
  const std::shared_ptr<LogSink> log_;
  std::mutex mutex_;
  std::set<std::pair<std::string, std::string>> told_;
};

class RequestWatch final : public db::StatementWatch {
 public:
  RequestWatch(std::shared_ptr<Told> told, std::string route)
      : told_(std::move(told)), route_(std::move(route)) {}

  void on_statement(std::string_view sql) override {
    if (sql.empty()) {  // several statements, or an empty one
      return;
    }
    auto counted = counts_.find(sql);
    if (counted == counts_.end()) {
      counted = counts_.emplace(sql, 0).first;
    }
    if (++counted->second == told_->times_max() + 1) {
      told_->tell(route_, sql);
    }
  }

 private:
  std::shared_ptr<Told> told_;
  std::string route_;
  std::map<std::string, int, std::less<>> counts_;
};

/// Awaits the rest of the chain, which starts during the call that awaits.
class Watched {
 public:
  Watched(Task<Response>& rest, db::StatementWatch& watch) noexcept
      : rest_(rest.operator co_await()), watch_(&watch) {}

  [[nodiscard]] bool await_ready() const noexcept { return rest_.await_ready(); }
  bool await_suspend(std::coroutine_handle<> waiting) const {
    const db::Watching watching(watch_);
    return rest_.await_suspend(waiting);
  }
  Response await_resume() const { return rest_.await_resume(); }

 private:
  Task<Response>::Awaiter rest_;
  db::StatementWatch* watch_;
};

Task<Response> watch_rest(std::shared_ptr<Told> told, std::string route, Next next) {
  const auto watch = std::make_shared<RequestWatch>(std::move(told), std::move(route));
  Task<Response> rest = next();
  Watched watched(rest, *watch);
  co_return co_await watched;
}

}  // namespace

Middleware repeated_statements(RepeatedStatements options) {
  const auto told = std::make_shared<Told>(std::move(options));
  return {[told](Request& request, Next next) {
            std::string route(to_text(request.method()));
            route.append(" ").append(request.route());
            return watch_rest(told, std::move(route), next);
          },
          "repeated_statements"};
}

}  // namespace eider
