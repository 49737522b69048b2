// For tests: an application with sessions, and a browser.
// Layering: must not be included outside of tests.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/auth/session/session.h"
#include "eider/testkit/test_client.h"

namespace eider::detail::session::test {

struct Visit {
  std::vector<int> cart = {};
  std::optional<std::int64_t> seen_note = {};
  std::string language = "en";
};

inline void add_visit_routes(App& app) {
  app.get("/plain", [] { return "plain"; });
  app.get("/cart", [](Session<const Visit> session) { return json::to_text(session->cart); });
  app.get("/look", [](Session<Visit> session) { return json::to_text(*session); });
  app.post("/cart/{id}", [](int id, Session<Visit> session) {
    session->cart.push_back(id);
    return json::to_text(session->cart);
  });
  app.post("/language/{language}", [](std::string language, Session<Visit> session) {
    session->language = std::move(language);
    return "ok";
  });
  app.post("/login/{user}", [](std::string user, Session<> session) {
    session.log_in(std::move(user));
    return "in";
  });
  app.post("/logout", [](Session<> session) {
    session.log_out();
    return "out";
  });
  app.post("/end-all/{user}", [](std::string user, State<Sessions> all) -> Task<std::string> {
    const std::size_t count = co_await all->log_out_all(std::move(user));
    co_return std::to_string(count);
  });
  app.get("/me", [](Session<> session) {
    return session.user().empty() ? std::string("nobody") : session.user();
  });
}

/// Returns the cookie of Set-Cookie: "name=value"; empty if it was not set, "name=" if it was
/// removed.
inline std::string cookie_of(const TestResponse& reply) {
  const std::string set(reply.header("Set-Cookie").value_or(""));
  return set.substr(0, set.find(';'));
}

/// Sends requests with the cookies that a test passes, and no others.
class VisitApp {
 public:
  explicit VisitApp(SessionOptions options = {})
      : sessions_(eider::add_sessions<Visit>(app_, std::move(options))) {
    add_visit_routes(app_);
  }

  TestResponse send(Method method, std::string target, std::string cookie = "") {
    TestRequest request = {.method = method, .target = std::move(target)};
    if (!cookie.empty()) {
      request.headers.emplace_back("Cookie", cookie);
    }
    return client().send(request);
  }
  TestResponse get(std::string target, std::string cookie = "") {
    return send(Method::get, std::move(target), std::move(cookie));
  }
  TestResponse post(std::string target, std::string cookie = "") {
    return send(Method::post, std::move(target), std::move(cookie));
  }
  std::string log_in(const std::string& user, std::string cookie = "") {
    return cookie_of(post("/login/" + user, std::move(cookie)));
  }
  App& app() { return app_; }
  TestClient& client() {
    if (client_ == nullptr) {
      client_ = std::make_unique<TestClient>(app_);
    }
    return *client_;
  }

 private:
  App app_;
  Sessions sessions_;
  std::unique_ptr<TestClient> client_;
};

}  // namespace eider::detail::session::test
