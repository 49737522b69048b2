#include "eider/app/sites.h"

#include <gtest/gtest.h>

#include "eider/app/app.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

TEST(Sites, answer_for_the_most_exact_name) {
  Sites sites;
  (void)sites.named("example.org");
  (void)sites.named("*.example.org");
  (void)sites.named("*.deep.example.org");
  struct Case {
    std::string_view authority;
    std::string_view host;
  };
  for (const auto& [authority, host] : {
           Case{"example.org", "example.org"},
           Case{"EXAMPLE.org:8080", "example.org"},
           Case{"example.org.", "example.org"},
           Case{"a.example.org", "*.example.org"},
           Case{"a.b.example.org:80", "*.example.org"},
           Case{"a.deep.example.org", "*.deep.example.org"},
           Case{"deep.example.org", "*.example.org"},
           Case{"badexample.org", ""},
           Case{".example.org", ""},
           Case{"[::1]:80", ""},
           Case{"[::1]", ""},
           Case{"127.0.0.1", ""},
           Case{"", ""},
       }) {
    EXPECT_EQ(sites.of(authority).host, host) << authority;
  }
}

App two_hosts() {
  App app;
  app.get("/", [] { return "any"; });
  app.get("/only-any", [] { return "any"; });
  Routes api = app.host("api.example.org");
  api.get("/", [] { return "api"; });
  api.group("/v1").get("/x", [] { return "x"; });
  app.host("*.example.org").get("/", [] { return "some"; });
  return app;
}

std::string_view body_of(std::string_view response) {
  return response.substr(response.find("\r\n\r\n") + 4);
}

TEST(Hosts, have_routes_of_their_own) {
  const App app = two_hosts();
  TestClient client(app);
  struct Case {
    std::string_view host;
    std::string_view path;
    std::string_view response;
  };
  for (const auto& [host, path, response] : {
           Case{"elsewhere", "/", "any"},
           Case{"api.example.org", "/", "api"},
           Case{"API.example.org:8080", "/v1/x", "x"},
           Case{"www.example.org", "/", "some"},
       }) {
    const std::string request =
        "GET " + std::string(path) + " HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n";
    EXPECT_EQ(body_of(client.raw(request)), response) << host << path;
  }
  for (const std::string_view host : {"api.example.org", "www.example.org"}) {
    const std::string request = "GET /only-any HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n";
    EXPECT_TRUE(client.raw(request).starts_with("HTTP/1.1 404 ")) << host;
  }
  EXPECT_TRUE(client.raw("GET /v1/x HTTP/1.1\r\nHost: a\r\n\r\n").starts_with("HTTP/1.1 404 "));
  EXPECT_TRUE(client.raw("POST / HTTP/1.1\r\nHost: api.example.org\r\nContent-Length: 0\r\n\r\n")
                  .starts_with("HTTP/1.1 405 "));
}

TEST(Hosts, are_held_by_the_hooks_of_the_app) {
  App app;
  app.on_response([](const Request&, Response& response) { response.add_header("Seen", "yes"); });
  app.host("a.example").get("/", [] { return "a"; });
  TestClient client(app);
  for (const std::string_view path : {"/", "/absent"}) {
    const std::string request = "GET " + std::string(path) + " HTTP/1.1\r\nHost: a.example\r\n\r\n";
    EXPECT_NE(client.raw(request).find("Seen: yes\r\n"), std::string::npos) << path;
  }
}

TEST(Hosts, may_have_the_same_patterns) {
  App app;
  app.host("a").get("/{x}", [](int x) { return x; });
  app.host("b").get("/{y}", [](int y) { return -y; });
  EXPECT_TRUE(app.make_service());
}

}  // namespace
}  // namespace eider
