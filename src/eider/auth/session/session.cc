#include "eider/auth/session/session.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace eider {

namespace detail::session {

/// Whether the request body has not arrived with the headers.
struct BodyIsToCome {
  bool value = false;
};

}  // namespace detail::session

template <>
struct Extract<detail::session::BodyIsToCome> {
  using Held = detail::session::BodyIsToCome;
  static constexpr ArgumentKind kKind = ArgumentKind::request;
  static Result<Held> from(const Context& context, ArgumentPlace) {
    return Held{context.ongoing != nullptr && context.ongoing->content != nullptr};
  }
};

namespace detail::session {

namespace {

/// Runs for handlers with any form of a session parameter; the middleware stores the changes
/// afterwards.
class LoadSession {
 public:
  explicit LoadSession(std::shared_ptr<const Keeper> keeper) noexcept
      : keeper_(std::move(keeper)) {}

  Task<Entry> operator()(Request& request, BodyIsToCome body) const {
    Entry entry = co_await keeper_->load(request);
    if (body.value) {
      co_await keeper_->note_use_before_body(entry);
    }
    co_return entry;
  }
  void describe(Operation& operation) const {
    operation.add_problem(503, "Sessions are not available at the moment.");
  }
  [[nodiscard]] std::string name() const { return "session"; }
  [[nodiscard]] Middleware middleware() const {
    return Middleware(
        [keeper = keeper_](Request& request, Next next) { return keeper->respond(request, next); },
        "session");
  }

 private:
  std::shared_ptr<const Keeper> keeper_;
};

}  // namespace

Sessions add_sessions(App& app, SessionOptions options) {
  const auto keeper = std::make_shared<const Keeper>(std::move(options));
  Sessions all(keeper);
  app.state(all);
  app.provide(LoadSession(keeper));
  app.on_start("sessions", [keeper] { return keeper->start(); });
  const Duration idle = keeper->options().idle;
  app.every("forget old sessions",
            std::clamp<Duration>(idle, std::chrono::seconds(1), std::chrono::minutes(10)),
            [keeper] { return keeper->sweep(); });
  return all;
}

}  // namespace detail::session

Task<std::size_t> Sessions::log_out_others(Session<> session) const {
  const auto keeper = keeper_;
  session.entry().renew();
  co_return co_await keeper->log_out_others(session.entry());
}

Task<std::size_t> Sessions::end_others(Session<> session) const {
  const auto keeper = keeper_;
  if (session.user().empty()) {
    throw std::invalid_argument("Sessions::end_others needs a session of a user");
  }
  co_return co_await keeper->log_out_others(session.entry());
}

Task<bool> Sessions::end(std::string user_key, std::string name) const {
  const auto keeper = keeper_;
  const std::vector<KnownSession> all = co_await keeper->list(std::move(user_key));
  const bool is_his = std::ranges::find(all, name, &KnownSession::name) != all.end();
  if (is_his) {
    co_await keeper->end(std::move(name));
  }
  co_return is_his;
}

}  // namespace eider
