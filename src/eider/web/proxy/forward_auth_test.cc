#include "eider/web/proxy/forward_auth.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "eider/app/app.h"
#include "eider/client/cookie_jar.h"
#include "eider/core/base/failure.h"
#include "eider/io/runtime/test_peer.h"
#include "eider/server/server.h"
#include "eider/web/middleware/response_cache.h"
#include "eider/web/proxy/proxy.h"

namespace eider {
namespace {

/// An app on a free port.
class Running {
 public:
  explicit Running(const App& app)
      : service_(app.make_service().value()), server_(*service_, {.port = 0, .threads = 1}) {
    EXPECT_TRUE(server_.start());
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() { server_.stop(); }

  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(server_.port());
  }
  /// Returns the whole response. lines: the request line and headers after Host
  [[nodiscard]] std::string ask(std::string_view line, std::string_view lines = {}) const {
    const testing::Peer peer(SocketAddress::parse("127.0.0.1", server_.port()).value());
    EXPECT_TRUE(peer.send(std::string(line) + " HTTP/1.1\r\nHost: shop.example\r\n" +
                          std::string(lines) + "Connection: close\r\n\r\n"));
    return peer.receive_all();
  }

 private:
  std::unique_ptr<RequestService> service_;
  Server server_;
};

std::string all_headers(const Request& request) {
  std::string all;
  for (const Field& field : request.headers()) {
    all.append(field.name).append("=").append(field.value).append("|");
  }
  return all;
}

/// Responds as the header Authorization says, and shows its request headers in X-Seen.
Response decide(const Request& request) {
  const std::string_view wanted = request.header("Authorization").value_or("401");
  if (wanted == "good") {
    return Response().add_header("X-User-Id", "42").add_header("X-Seen", all_headers(request));
  }
  if (wanted == "groups") {
    return Response().add_header("X-Group", "a").add_header("X-Group", "b");
  }
  if (wanted == "empty group") {
    return Response().add_header("X-Group", "a").add_header("X-Group", "");
  }
  if (wanted == "large") {
    return Response::text(std::string(std::size_t{1024} * 1024, 'a'));
  }
  if (wanted == "421") {
    return Response(421);
  }
  if (wanted == "302") {
    return Response(302).add_header("Location", "/login").add_header("Set-Cookie", "a=b");
  }
  Response response(wanted == "500" ? 500 : wanted == "204" ? 204 : wanted == "403" ? 403 : 401);
  response.add_header("WWW-Authenticate", "Bearer").add_header("X-User-Id", "1");
  return response;
}

/// A gateway with a guarded proxy at /api before an upstream that returns its request headers.
class ForwardAuth : public ::testing::Test {
 protected:
  ForwardAuth() {
    auth_.get("/auth", decide);
    upstream_.route(Method::post, "/{rest...}", [this](std::string, const Request& request) {
      ++upstream_requests_;
      return all_headers(request);
    });
    upstream_.get("/{rest...}", [this](std::string, const Request& request) {
      ++upstream_requests_;
      return all_headers(request);
    });
  }

  /// A gateway whose upstream gets the headers that `inner`, a guard after forward_auth, returns.
  [[nodiscard]] App layered(const Running& auth, const Running& upstream,
                            const UpstreamHeaders& inner) const {
    App app;
    app.guard(forward_auth(auth.url() + "/auth", {.response_headers = {"X-User-Id"}}));
    Routes api = app.group("/api");
    api.guard([inner] { return inner; });
    proxy_to(api, "/", {upstream.url()});
    return app;
  }

  [[nodiscard]] App gateway(const Running& auth, const Running& upstream) const {
    App app;
    Routes api = app.group("/api");
    api.guard(forward_auth(auth.url() + "/auth",
                           {.response_headers = {"X-User-Id", "X-Group", "X-Seen"}}));
    proxy_to(api, "/", {upstream.url()});
    return app;
  }

  std::atomic<int> upstream_requests_ = 0;
  App auth_;
  App upstream_;
};

TEST_F(ForwardAuth, sets_the_response_headers_of_the_service_for_the_upstream) {
  const Running auth(auth_);
  const Running upstream(upstream_);
  const Running front(gateway(auth, upstream));
  const std::string response = front.ask("GET /api/items/1?a=b",
                                         "Authorization: good\r\nX-User-Id: 7\r\nx_user_id: 8\r\n"
                                         "X-Group: admin\r\nCookie: a=1\r\nX-Other: 1\r\n");
  EXPECT_TRUE(response.starts_with("HTTP/1.1 200")) << response;
  EXPECT_TRUE(response.contains("|X-User-Id=42|")) << response;
  for (const std::string_view absent : {"=7|", "=8|", "X-Group="}) {
    EXPECT_FALSE(response.contains(absent)) << response;
  }
  // X-Seen contains the request headers that the service got.
  const std::string seen = response.substr(response.find("X-Seen="));
  for (const std::string_view header :
       {"Authorization=good|", "Cookie=a=1|", "X-Forwarded-Method=GET|",
        "X-Forwarded-Uri=/api/items/1?a=b|", "X-Forwarded-For=127.0.0.1|",
        "X-Forwarded-Host=shop.example|", "X-Forwarded-Proto=http|"}) {
    EXPECT_TRUE(seen.contains(header)) << header << " " << seen;
  }
  EXPECT_FALSE(seen.substr(0, seen.find("||")).contains("X-Other")) << seen;
}

TEST_F(ForwardAuth, joins_repeated_headers_of_the_service) {
  const Running auth(auth_);
  const Running upstream(upstream_);
  const Running front(gateway(auth, upstream));
  const std::string response = front.ask("GET /api/x", "Authorization: groups\r\n");
  EXPECT_TRUE(response.contains("|X-Group=a, b|")) << response;
  const std::string single = front.ask("GET /api/x", "Authorization: empty group\r\n");
  EXPECT_TRUE(single.contains("|X-Group=a|")) << single;
}

TEST_F(ForwardAuth, keeps_its_headers_if_a_later_guard_sets_others) {
  const Running auth(auth_);
  const Running upstream(upstream_);
  const Running front(layered(auth, upstream, UpstreamHeaders().set("X-Tenant", "t")));
  const std::string response =
      front.ask("GET /api/x", "Authorization: good\r\nX-User-Id: 1\r\nX-Tenant: 2\r\n");
  EXPECT_TRUE(response.contains("|X-Tenant=t|X-User-Id=42|")) << response;
  EXPECT_FALSE(response.contains("=1|")) << response;
}

TEST_F(ForwardAuth, a_later_guard_can_replace_its_headers) {
  const Running auth(auth_);
  const Running upstream(upstream_);
  const Running front(layered(auth, upstream, UpstreamHeaders().set("x.user.id", "guest")));
  const std::string response = front.ask("GET /api/x", "Authorization: good\r\nX-User-Id: 1\r\n");
  EXPECT_TRUE(response.contains("|x.user.id=guest|")) << response;
  EXPECT_FALSE(response.contains("42|")) << response;
}

TEST_F(ForwardAuth, does_not_repeat_requests_to_the_service) {
  std::atomic<int> auth_requests = 0;
  auth_.get("/limited", [&auth_requests] {
    ++auth_requests;
    return Response(429).add_header("Retry-After", "5");
  });
  const Running auth(auth_);
  const Running upstream(upstream_);
  App app;
  app.guard(forward_auth(auth.url() + "/limited"));
  proxy_to(app, "/", {upstream.url()});
  const Running front(app);
  const std::string response = front.ask("GET /x");
  EXPECT_TRUE(response.starts_with("HTTP/1.1 429")) << response;
  EXPECT_TRUE(response.contains("Retry-After: 5\r\n")) << response;
  EXPECT_EQ(auth_requests, 1);
}

TEST_F(ForwardAuth, does_not_send_cookies_of_other_clients_to_the_service) {
  auth_.get("/cookies", [](const Request& request) {
    return Response()
        .add_header("X-User-Id", request.header("Cookie") ? "known" : "unknown")
        .add_header("Set-Cookie", "user=a");
  });
  const Running auth(auth_);
  const Running upstream(upstream_);
  App app;
  ForwardAuthOptions options{.response_headers = {"X-User-Id"}};
  options.client.cookies = std::make_shared<CookieJar>();
  app.guard(forward_auth(auth.url() + "/cookies", options));
  proxy_to(app, "/", {upstream.url()});
  const Running front(app);
  for (int request = 0; request < 2; ++request) {
    const std::string response = front.ask("GET /x");
    EXPECT_TRUE(response.contains("|X-User-Id=unknown|")) << response;
  }
}

TEST_F(ForwardAuth, reports_the_client_of_a_trusted_proxy) {
  const Running auth(auth_);
  const Running upstream(upstream_);
  App app = gateway(auth, upstream);
  app.trust_proxies({"127.0.0.1"});
  const Running front(app);
  const std::string response =
      front.ask("GET /api/x",
                "Authorization: good\r\nX-Forwarded-For: 203.0.113.9\r\n"
                "X-Forwarded-Proto: https\r\nX-Forwarded-Host: public.example\r\n");
  const std::string seen = response.substr(response.find("X-Seen="));
  for (const std::string_view header : {"X-Forwarded-For=203.0.113.9|", "X-Forwarded-Proto=https|",
                                        "X-Forwarded-Host=public.example|"}) {
    EXPECT_TRUE(seen.contains(header)) << header << " " << seen;
  }
}

TEST_F(ForwardAuth, reports_a_path_for_a_target_without_one) {
  const Running auth(auth_);
  const Running upstream(upstream_);
  App app;
  app.guard(forward_auth(auth.url() + "/auth", {.response_headers = {"X-Seen"}}));
  proxy_to(app, "/", {upstream.url()});
  const Running front(app);
  for (const auto& [target, path] :
       {std::pair("http://shop.example", "/"), std::pair("http://shop.example?x=1", "/?x=1")}) {
    const std::string response = front.ask("GET " + std::string(target), "Authorization: good\r\n");
    EXPECT_TRUE(response.contains("X-Forwarded-Uri=" + std::string(path) + "|")) << response;
  }
}

TEST_F(ForwardAuth, its_headers_choose_the_upstream_instead_of_the_client) {
  const Running auth(auth_);
  const Running one(upstream_);
  const Running other(upstream_);
  App app;
  app.guard(forward_auth(auth.url() + "/auth", {.response_headers = {"X-User-Id"}}));
  proxy_to(app, "/", {one.url(), other.url()},
           {.balancing = Balancing::consistent_hash, .hash_header = "X-User-Id"});
  const Running front(app);
  std::set<std::string> bodies;  // each has the Host of its upstream
  for (int id = 0; id < 20; ++id) {
    const std::string response =
        front.ask("GET /x", "Authorization: good\r\nX-User-Id: " + std::to_string(id) + "\r\n");
    bodies.insert(response.substr(response.find("\r\n\r\n")));
  }
  EXPECT_EQ(bodies.size(), 1U);
}

TEST_F(ForwardAuth, responses_of_the_upstream_are_not_shared_by_a_cache) {
  auth_.get("/keys", [](const Request& request) {
    return Response().add_header("X-User-Id", request.header("X-Api-Key").value_or("nobody"));
  });
  upstream_.get("/api/shared", [](const Request& request) {
    return Response::text(std::string(request.header("X-User-Id").value_or("none")))
        .add_header("Vary", "X-User-Id")
        .add_header("Cache-Control", "public, max-age=60");
  });
  const Running auth(auth_);
  const Running upstream(upstream_);
  App app;
  Routes api = app.group("/api");
  api.use(response_cache({.ttl = std::chrono::minutes(1)}));
  api.guard(forward_auth(auth.url() + "/keys",
                         {.request_headers = {"X-Api-Key"}, .response_headers = {"X-User-Id"}}));
  proxy_to(api, "/", {upstream.url()});
  const Running front(app);
  for (const char* const key : {"a", "b"}) {
    const std::string response =
        front.ask("GET /api/shared", "X-Api-Key: " + std::string(key) + "\r\n");
    EXPECT_TRUE(response.ends_with("\r\n\r\n" + std::string(key))) << response;
  }
}

TEST_F(ForwardAuth, passes_on_rejections_without_a_request_to_the_upstream) {
  const Running auth(auth_);
  const Running upstream(upstream_);
  const Running front(gateway(auth, upstream));
  const std::string anonymous = front.ask("GET /api/x");
  EXPECT_TRUE(anonymous.starts_with("HTTP/1.1 401")) << anonymous;
  EXPECT_TRUE(anonymous.contains("WWW-Authenticate: Bearer\r\n")) << anonymous;
  EXPECT_FALSE(anonymous.contains("X-User-Id")) << anonymous;
  EXPECT_TRUE(front.ask("GET /api/x", "Authorization: 403\r\n").starts_with("HTTP/1.1 403"));
  for (const std::string_view failure : {"500", "421", "large"}) {
    const std::string response =
        front.ask("GET /api/x", "Authorization: " + std::string(failure) + "\r\n");
    EXPECT_TRUE(response.starts_with("HTTP/1.1 502")) << failure << response;
  }
  const std::string login = front.ask("GET /api/x", "Authorization: 302\r\n");
  EXPECT_TRUE(login.starts_with("HTTP/1.1 302")) << login;
  EXPECT_TRUE(login.contains("Location: /login\r\n")) << login;
  EXPECT_TRUE(login.contains("Set-Cookie: a=b\r\n")) << login;
  EXPECT_TRUE(login.contains("Cache-Control: no-store\r\n")) << login;
  // The body is not requested.
  const std::string post = front.ask("POST /api/x",
                                     "Content-Length: 5\r\n"
                                     "Expect: 100-continue\r\n");
  EXPECT_TRUE(post.starts_with("HTTP/1.1 401")) << post;
  EXPECT_EQ(upstream_requests_, 0);
}

TEST_F(ForwardAuth, rejects_requests_if_the_service_cannot_be_reached) {
  const Running upstream(upstream_);
  App app;
  ForwardAuthOptions options;
  options.client.allow_address = [](const IpAddress&) { return false; };
  app.guard(forward_auth("http://127.0.0.1:1/auth", options));
  proxy_to(app, "/", {upstream.url()});
  const Running front(app);
  EXPECT_TRUE(front.ask("GET /x").starts_with("HTTP/1.1 502"));
  EXPECT_EQ(upstream_requests_, 0);
}

TEST_F(ForwardAuth, keeps_the_headers_of_outer_groups) {
  const Running auth(auth_);
  const Running upstream(upstream_);
  App app;
  app.guard([] { return UpstreamHeaders().set("X-Tenant", "t").set("X-User-Id"); });
  Routes api = app.group("/api");
  api.guard(forward_auth(auth.url() + "/auth", {.response_headers = {"X-User-Id"}}));
  proxy_to(api, "/", {upstream.url()});
  proxy_to(app, "/public", {upstream.url()});
  const Running front(app);
  const std::string lines = "Authorization: good\r\nX-Tenant: 1\r\nX-User-Id: 1\r\n";
  const std::string inner = front.ask("GET /api/x", lines);
  EXPECT_TRUE(inner.contains("|X-User-Id=42|X-Tenant=t|")) << inner;
  const std::string outer = front.ask("GET /public/x", lines);
  EXPECT_TRUE(outer.contains("|X-Tenant=t|")) << outer;
  EXPECT_FALSE(outer.contains("X-User-Id")) << outer;
}

TEST(ForwardAuthOptions, are_checked_at_startup) {
  EXPECT_THROW(static_cast<void>(forward_auth("ftp://a/")), Failure);
  EXPECT_THROW(static_cast<void>(forward_auth("http://a/", {.response_headers = {"Host"}})),
               std::invalid_argument);
  for (const char* const name : {"Host", "Content-Length", "Connection", "A B", "X-Forwarded-For",
                                 "x_forwarded_uri", "X-Forwarded-Method"}) {
    EXPECT_THROW(static_cast<void>(forward_auth("http://a/", {.request_headers = {name}})),
                 std::invalid_argument)
        << name;
  }
  EXPECT_THROW(static_cast<void>(forward_auth("http://a/", {.client = {.http_proxy = "ftp://x"}})),
               Failure);
}

TEST(UpstreamHeaders, contain_each_name_once) {
  UpstreamHeaders headers;
  headers.set("X-User-Id", "1").set("x_user_id", "2");
  ASSERT_EQ(headers.all().size(), 1U);
  EXPECT_EQ(headers.all().front().value, "2");
  EXPECT_TRUE(headers.replaces("X-USER_ID"));
  EXPECT_EQ(headers.find("X.User.Id"), "2");
  headers.set("X-User-Id");
  EXPECT_TRUE(headers.replaces("X-User-Id"));
  EXPECT_EQ(headers.find("X-User-Id"), std::nullopt);
}

TEST(UpstreamHeaders, reject_invalid_names_and_values) {
  UpstreamHeaders headers;
  for (const std::string_view name : {"", "A B", "A\r\nB", "Host", "content_length", "Connection",
                                      "Transfer-Encoding", "Via", "X-Forwarded-For"}) {
    EXPECT_THROW(headers.set(std::string(name), "1"), std::invalid_argument) << name;
  }
  EXPECT_THROW(headers.set("A", "1\r\nB: 2"), std::invalid_argument);
  EXPECT_TRUE(headers.all().empty());
}

}  // namespace
}  // namespace eider
