#include "eider/web/proxy/forward_auth.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "eider/app/app.h"
#include "eider/core/base/failure.h"
#include "eider/io/runtime/test_peer.h"
#include "eider/server/server.h"
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
  EXPECT_TRUE(front.ask("GET /api/x", "Authorization: 500\r\n").starts_with("HTTP/1.1 502"));
  const std::string login = front.ask("GET /api/x", "Authorization: 302\r\n");
  EXPECT_TRUE(login.starts_with("HTTP/1.1 302")) << login;
  EXPECT_TRUE(login.contains("Location: /login\r\n")) << login;
  EXPECT_TRUE(login.contains("Set-Cookie: a=b\r\n")) << login;
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
  EXPECT_TRUE(inner.contains("|X-Tenant=t|X-User-Id=42|")) << inner;
  const std::string outer = front.ask("GET /public/x", lines);
  EXPECT_TRUE(outer.contains("|X-Tenant=t|")) << outer;
  EXPECT_FALSE(outer.contains("X-User-Id")) << outer;
}

TEST(ForwardAuthOptions, are_checked_at_startup) {
  EXPECT_THROW(static_cast<void>(forward_auth("ftp://a/")), Failure);
  EXPECT_THROW(static_cast<void>(forward_auth("http://a/", {.response_headers = {"Host"}})),
               std::invalid_argument);
}

TEST(UpstreamHeaders, contain_each_name_once) {
  UpstreamHeaders headers;
  headers.set("X-User-Id", "1").set("x_user_id", "2");
  ASSERT_EQ(headers.all().size(), 1U);
  EXPECT_EQ(headers.all().front().value, "2");
  EXPECT_TRUE(headers.has("X-USER_ID"));
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
