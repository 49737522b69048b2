#include "eider/web/middleware/response_cache.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/producing.h"
#include "eider/core/base/failure.h"
#include "eider/io/runtime/sleep.h"
#include "eider/io/runtime/test_peer.h"
#include "eider/server/server.h"
#include "eider/testkit/test_client.h"
#include "eider/web/middleware/auth.h"
#include "eider/web/middleware/csrf.h"
#include "eider/web/middleware/security_headers.h"
#include "eider/web/middleware/stored_responses.h"
#include "tests/sim/sim_app.h"
#include "tests/support/h2_server.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using detail::middleware::StoredResponse;
using detail::middleware::StoredResponses;
namespace h2 = detail::http2::test;

/// The number of calls of handlers.
int calls = 0;

/// An app whose "/x" returns the number of the call, with headers that the test chooses.
class CachedApp {
 public:
  explicit CachedApp(ResponseCache options = {}, int status = 200) {
    calls = 0;
    app_.use(response_cache(options));
    app_.get("/x", [status](const Request& request) {
      Response response = Response::text(std::to_string(++calls), status);
      for (const Field& field : request.headers()) {
        if (field.name.starts_with("Say-")) {
          response.add_header(field.name.substr(4), field.value);
        }
      }
      return response;
    });
    app_.put("/x", [](Body body) -> Result<void> {
      if (body.view() == "wrong") {
        return fail(Error::conflict("No."));
      }
      return {};
    });
    client_ = std::make_unique<TestClient>(app_);
  }
  TestResponse ask(std::vector<TestHeader> headers, std::string target = "/x") {
    return client_->send({.target = std::move(target), .headers = std::move(headers)});
  }
  /// Returns whether a second, plain request gets the response to this one.
  bool keeps(std::vector<TestHeader> headers) {
    const std::string first = ask(std::move(headers)).body;
    return ask({{"Say-Cache-Control", "no-store"}}).body == first;
  }
  TestClient& client() { return *client_; }

 private:
  App app_;
  std::unique_ptr<TestClient> client_;
};

const TestHeader kMinute("Say-Cache-Control", "max-age=60");

TEST(ResponseCache, gives_a_fresh_response_again_with_its_age) {
  CachedApp app;
  const TestResponse first = app.ask({kMinute, {"Say-ETag", "\"1\""}});
  EXPECT_FALSE(first.header("Age"));
  app.client().advance(42s);
  const TestResponse again = app.ask({});
  EXPECT_EQ(again.body, "1");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.header("Age"), "42");
  EXPECT_EQ(again.header("ETag"), "\"1\"");
  EXPECT_EQ(again.header("Content-Type"), first.header("Content-Type"));
  app.client().advance(18s);
  EXPECT_EQ(app.ask({}).body, "2");
}

TEST(ResponseCache, keeps_what_says_how_long) {
  for (const char* words :
       {"max-age=60", "s-maxage=60", "public, max-age=60", "Max-Age=\"60\"",
        "max-age=0, s-maxage=60", "s-maxage=60, max-age=0", "max-age=99999999999999"}) {
    EXPECT_TRUE(CachedApp().keeps({{"Say-Cache-Control", words}})) << words;
  }
}

TEST(ResponseCache, keeps_nothing_else) {
  for (const char* words :
       {"", "no-store, max-age=60", "private, max-age=60", "no-cache, max-age=60", "max-age=0",
        "max-age=60, s-maxage=0", "max-age=-1", "max-age=a", "max-age", "max-age=", "public",
        "NO-STORE,max-age=60", "private=\"a\", max-age=60", "max-age=99999999999999999999"}) {
    EXPECT_FALSE(CachedApp().keeps({{"Say-Cache-Control", words}})) << words;
  }
  EXPECT_FALSE(CachedApp().keeps({kMinute, {"Say-Set-Cookie", "a=b"}}));
  EXPECT_FALSE(CachedApp().keeps({kMinute, {"Say-Vary", "*"}}));
  EXPECT_FALSE(CachedApp().keeps({kMinute, {"Say-Vary", "Accept, *"}}));
  EXPECT_FALSE(CachedApp().keeps({kMinute, {"Range", "bytes=0-1"}}));
  EXPECT_FALSE(CachedApp().keeps({kMinute, {"Cache-Control", "no-store"}}));
  for (const int status : {201, 206, 302, 400, 403, 500, 503}) {
    EXPECT_FALSE(CachedApp({.ttl = 60s}, status).keeps({kMinute})) << status;
  }
}

TEST(ResponseCache, keeps_what_says_nothing_as_long_as_it_is_told) {
  EXPECT_TRUE(CachedApp({.ttl = 60s}).keeps({}));
  EXPECT_FALSE(CachedApp({.ttl = 60s}).keeps({{"Say-Cache-Control", "private"}}));
  EXPECT_FALSE(CachedApp({.ttl = 60s}, 404).keeps({}));
  EXPECT_TRUE(CachedApp({}, 404).keeps({kMinute}));
}

TEST(ResponseCache, heeds_expires_unless_cache_control_says_how_long) {
  const TestHeader future("Say-Expires", "Fri, 31 Dec 9999 23:59:59 GMT");
  EXPECT_TRUE(CachedApp().keeps({future}));
  EXPECT_FALSE(CachedApp().keeps({future, {"Say-Cache-Control", "max-age=0"}}));
  for (const char* past : {"Thu, 01 Jan 1970 00:00:00 GMT", "0", "-1", "soon"}) {
    const TestHeader expires("Say-Expires", past);
    EXPECT_FALSE(CachedApp({.ttl = 60s}).keeps({expires})) << past;
    EXPECT_TRUE(CachedApp().keeps({expires, kMinute})) << past;
  }
}

TEST(ResponseCache, counts_the_age_that_a_response_has_already) {
  CachedApp app;
  (void)app.ask({kMinute, {"Say-Age", "50"}});
  app.client().advance(9s);
  const TestResponse again = app.ask({});
  EXPECT_EQ(again.body, "1");
  EXPECT_EQ(again.header("Age"), "59");
  app.client().advance(1s);
  EXPECT_EQ(app.ask({}).body, "2");
  EXPECT_FALSE(CachedApp().keeps({kMinute, {"Say-Age", "60"}}));
  EXPECT_TRUE(CachedApp().keeps({kMinute, {"Say-Age", "x"}}));
}

TEST(ResponseCache, gives_nobody_what_was_made_for_one_who_is_known) {
  for (const TestHeader& who :
       {TestHeader("Authorization", "Bearer ann"), TestHeader("Cookie", "sid=1")}) {
    EXPECT_FALSE(CachedApp().keeps({kMinute, who})) << who.name;
    EXPECT_FALSE(CachedApp({.ttl = 60s}).keeps({who})) << who.name;
    EXPECT_TRUE(CachedApp().keeps({{"Say-Cache-Control", "public, max-age=60"}, who})) << who.name;
    EXPECT_TRUE(CachedApp().keeps({{"Say-Cache-Control", "s-maxage=60"}, who})) << who.name;
  }
}

TEST(ResponseCache, gives_nobody_what_a_guard_knew_another_by) {
  App app;
  app.guard(api_key_auth({.keys = {{"ka", {.name = "ann"}}, {"kb", {.name = "bob"}}}}));
  app.use(response_cache({.ttl = 10s}));
  app.get("/me", [](Extension<Identity> who) { return who->name; });
  TestClient client(app);
  const auto ask = [&client](std::string_view key) {
    return client.send({.target = "/me", .headers = {{"X-API-Key", key}}}).body;
  };
  EXPECT_EQ(ask("ka"), "ann");
  EXPECT_EQ(ask("kb"), "bob");
}

TEST(ResponseCache, keeps_no_page_with_a_token_or_a_nonce) {
  App app;
  app.use(csrf({.key = std::string(32, 'k')}), security_headers());
  app.use(response_cache({.ttl = 10s}));
  app.get("/form", [](const CsrfToken& token) { return token.text(); });
  app.get("/page", [](const CspNonce& nonce) { return nonce.text(); });
  TestClient client(app);
  for (const std::string page : {"/form", "/page"}) {
    EXPECT_NE(client.get(page).body, client.get(page).body) << page;
  }
}

TEST(ResponseCache, keeps_nothing_of_a_request_with_content) {
  App app;
  app.use(response_cache({.ttl = 10s}));
  app.get("/q", [](Body body) { return "<" + std::string(body.view()) + ">"; });
  TestClient client(app);
  EXPECT_EQ(client.send({.target = "/q", .body = "evil"}).body, "<evil>");
  EXPECT_EQ(client.get("/q").body, "<>");
}

TEST(ResponseCache, tells_hosts_queries_and_varying_fields_apart) {
  CachedApp app;
  EXPECT_EQ(app.ask({kMinute}, "/x?a=1").body, "1");
  EXPECT_EQ(app.ask({kMinute}, "/x?a=2").body, "2");
  EXPECT_EQ(app.ask({kMinute}, "http://other/x?a=1").body, "3");
  EXPECT_EQ(app.ask({kMinute}, "/x?a=1").body, "1");
  const TestHeader vary("Say-Vary", "Accept-Language, ACCEPT");
  const auto in = [&app, &vary](std::string_view language) {
    return app.ask({kMinute, vary, {"Accept-Language", language}}).body;
  };
  EXPECT_EQ(in("de"), "4");
  EXPECT_EQ(in("fr"), "5");
  EXPECT_EQ(in("de"), "4");
  EXPECT_EQ(in("fr"), "5");
  EXPECT_EQ(app.ask({kMinute, vary}).body, "6");
  EXPECT_EQ(app.ask({kMinute, vary}).body, "6");
}

TEST(ResponseCache, tells_origins_apart_as_trusted_proxies_name_them) {
  calls = 0;
  App app;
  app.trust_proxies("127.0.0.1");
  app.use(response_cache({.ttl = 60s}));
  app.get("/x", [] { return std::to_string(++calls); });
  const auto service = app.make_service().value();
  Server server(*service, {.port = 0, .threads = 1});
  ASSERT_TRUE(server.start());
  const auto ask = [&server](std::string_view proto, std::string_view host) {
    const testing::Peer peer(SocketAddress::parse("127.0.0.1", server.port()).value());
    std::string request("GET /x HTTP/1.1\r\nHost: inner\r\nConnection: close\r\n");
    request.append("X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: ").append(proto);
    request.append("\r\nX-Forwarded-Host: ").append(host).append("\r\n\r\n");
    EXPECT_TRUE(peer.send(request));
    const std::string response = peer.receive_all();
    return response.substr(response.rfind('\n') + 1);
  };
  EXPECT_EQ(ask("https", "a.example"), "1");
  EXPECT_EQ(ask("https", "b.example"), "2");
  EXPECT_EQ(ask("http", "a.example"), "3");
  EXPECT_EQ(ask("https", "a.example"), "1");
  server.stop();
}

TEST(ResponseCache, tells_a_client_that_has_the_response_that_it_does) {
  CachedApp app;
  const TestHeader tag("Say-ETag", "\"one\"");
  const TestHeader modified("Say-Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(app.ask({kMinute, tag, modified}).body, "1");
  for (const TestHeader& known :
       {TestHeader("If-None-Match", "\"one\""), TestHeader("If-None-Match", "\"two\", W/\"one\""),
        TestHeader("If-None-Match", "*"),
        TestHeader("If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT")}) {
    const TestResponse reply = app.ask({known});
    EXPECT_EQ(reply.status, 304) << known.value;
    EXPECT_EQ(reply.body, "");
    EXPECT_EQ(reply.header("ETag"), "\"one\"");
    EXPECT_EQ(reply.header("Cache-Control"), "max-age=60");
    EXPECT_TRUE(reply.header("Age").has_value());
  }
  for (const TestHeader& other :
       {TestHeader("If-None-Match", "\"two\""), TestHeader("If-None-Match", "one"),
        TestHeader("If-Modified-Since", "Sun, 06 Nov 1993 08:49:37 GMT"),
        TestHeader("If-Modified-Since", "yesterday")}) {
    EXPECT_EQ(app.ask({other}).body, "1") << other.value;
  }
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(app.ask({{"If-Match", "\"one\""}}).body, "2");  // only the handler can evaluate it
}

TEST(ResponseCache, asks_anew_for_a_client_that_says_so_and_keeps_that) {
  CachedApp app;
  EXPECT_EQ(app.ask({kMinute}).body, "1");
  for (const TestHeader& anew :
       {TestHeader("Cache-Control", "no-cache"), TestHeader("Cache-Control", "max-age=0"),
        TestHeader("Pragma", "no-cache")}) {
    const std::string body = app.ask({kMinute, anew}).body;
    EXPECT_EQ(body, std::to_string(calls));
    EXPECT_EQ(app.ask({}).body, body);
  }
  EXPECT_EQ(calls, 4);
}

TEST(ResponseCache, forgets_what_has_been_written_to) {
  CachedApp app;
  const auto put = [&app](std::string body) {
    return app.client()
        .send({.method = Method::put, .target = "/x", .body = std::move(body)})
        .status;
  };
  const TestHeader vary("Say-Vary", "Accept");
  EXPECT_EQ(app.ask({kMinute, vary}).body, "1");
  EXPECT_EQ(put("wrong"), 409);
  EXPECT_EQ(app.ask({kMinute, vary}).body, "1");
  EXPECT_EQ(put("right"), 204);
  EXPECT_EQ(app.ask({kMinute, vary, {"Accept", "a"}}).body, "2");
  EXPECT_EQ(app.ask({kMinute, vary}).body, "3");  // other old variants are removed
}

void add_flights(App& app) {
  calls = 0;
  app.use(response_cache());
  app.get("/slow/{fields}", [](std::string fields) -> Task<Response> {
    ++calls;
    co_await sleep_for(100ms);
    Response response = Response::text(std::to_string(calls));
    response.add_header("Cache-Control", fields);
    response.add_header("Vary", "Accept");
    co_return response;
  });
}

using FlightServer = SimAppServer<&add_flights>;

std::string get_slow(const std::string& fields) {
  return "GET /slow/" + fields + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

TEST(ResponseCache, hands_one_of_many_on) {
  FlightServer server;
  std::vector<SimClient> clients;
  for (int index = 0; index < 20; ++index) {
    clients.push_back(server.connect());
    clients.back().send(get_slow("max-age=9"));
  }
  server.kernel.advance(150ms);
  EXPECT_EQ(calls, 1);
  for (SimClient& client : clients) {
    EXPECT_TRUE(client.take_received().ends_with("\r\n\r\n1"));
  }
}

TEST(ResponseCache, lets_nobody_wait_for_what_is_not_kept_more_than_once) {
  FlightServer server;
  std::vector<SimClient> clients;
  for (int index = 0; index < 20; ++index) {
    clients.push_back(server.connect());
    clients.back().send(get_slow("no-store"));
  }
  server.kernel.advance(250ms);
  EXPECT_EQ(calls, 20);
  for (SimClient& client : clients) {
    EXPECT_TRUE(client.take_received().starts_with("HTTP/1.1 200"));
  }
}

TEST(ResponseCache, hands_all_on_at_once_to_whom_the_response_does_not_fit) {
  FlightServer server;
  std::vector<SimClient> clients;
  for (int index = 0; index < 20; ++index) {
    clients.push_back(server.connect());
    clients.back().send("GET /slow/max-age=9 HTTP/1.1\r\nHost: a\r\nAccept: a/" +
                        std::to_string(index) + "\r\n\r\n");
  }
  server.kernel.advance(250ms);
  EXPECT_EQ(calls, 20);
  for (SimClient& client : clients) {
    EXPECT_TRUE(client.take_received().starts_with("HTTP/1.1 200"));
  }
}

TEST(ResponseCache, hands_all_on_at_once_when_the_first_has_left) {
  FlightServer server;
  SimClient first = server.connect();
  SimClient second = server.connect();
  SimClient third = server.connect();
  first.send(get_slow("max-age=9"));
  server.kernel.advance(10ms);
  second.send(get_slow("max-age=9"));
  third.send(get_slow("max-age=9"));
  server.kernel.advance(10ms);
  first.reset();
  server.kernel.advance(150ms);
  EXPECT_EQ(calls, 3);
  EXPECT_TRUE(second.take_received().starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(third.take_received().starts_with("HTTP/1.1 200"));
}

TEST(ResponseCache, hands_one_of_many_streams_of_http2_on) {
  h2::H2ServerOf<SimApp<&add_flights>> server;
  std::string asked;
  for (std::uint32_t stream = 1; stream < 20; stream += 2) {
    asked += h2::frame(h2::Type::headers, h2::kEndHeaders | h2::kEndStream, stream,
                       h2::head("GET", "/slow/max-age=9"));
  }
  SimClient client = server.connect(asked);
  server.kernel.advance(150ms);
  const std::string received = client.take_received();
  EXPECT_EQ(calls, 1);
  for (std::uint32_t stream = 1; stream < 20; stream += 2) {
    EXPECT_EQ(h2::received_on(received, stream).content, "1") << stream;
  }
}

TEST(ResponseCache, leaves_streams_errors_and_large_responses_alone) {
  calls = 0;
  App app;
  app.use(response_cache({.response_bytes_max = 100, .ttl = 60s}));
  app.get("/streamed",
          [](ResponseStream out) -> Task<> { co_await out.write(std::to_string(++calls)); });
  app.get("/large", [] { return std::string(101, 'a') + std::to_string(++calls); });
  app.get("/throws", []() -> int { throw Failure(Error::conflict(std::to_string(++calls))); });
  TestClient client(app);
  EXPECT_EQ(client.get("/streamed").body, "1");
  EXPECT_EQ(client.get("/streamed").body, "2");
  EXPECT_TRUE(client.get("/large").body.ends_with("3"));
  EXPECT_TRUE(client.get("/large").body.ends_with("4"));
  EXPECT_EQ(client.get("/throws").problem().detail, "5");
  EXPECT_EQ(client.get("/throws").problem().detail, "6");
}

TEST(StoredResponses, take_no_more_than_they_may_and_keep_what_was_used_last) {
  StoredResponses responses(100'000);
  const StoredResponses::FieldOf none = [](std::string_view) { return std::string_view(); };
  const auto response = [](std::size_t bytes) {
    return StoredResponse{.status = 200,
                          .type = "a/b",
                          .field_lines = "",
                          .body = std::make_shared<const std::string>(bytes, 'x'),
                          .made = Instant(),
                          .fresh_until = Instant(1h)};
  };
  const auto store = [&](std::string target, std::size_t bytes) {
    const StoredResponses::Asked asked(responses, std::move(target));
    return responses.store(asked, {}, none, response(bytes));
  };
  EXPECT_TRUE(store("/kept", 10));
  for (int index = 0; index < 10'000; ++index) {
    ASSERT_TRUE(store("/" + std::to_string(index), 100));
    ASSERT_LE(responses.bytes(), 100'000U);
    ASSERT_NE(responses.find("/kept", none, Instant()), nullptr) << index;
  }
  EXPECT_EQ(responses.find("/0", none, Instant()), nullptr);
  EXPECT_NE(responses.find("/9999", none, Instant()), nullptr);
  EXPECT_FALSE(store("/larger", 200'000));
  EXPECT_LE(responses.bytes(), 100'000U);
  EXPECT_EQ(responses.find("/larger", none, Instant()), nullptr);
}

TEST(StoredResponses, keep_nothing_that_was_asked_for_ahead_of_a_write_to_it) {
  StoredResponses responses(100'000);
  const StoredResponses::FieldOf none = [](std::string_view) { return std::string_view(); };
  const StoredResponse response{.status = 200,
                                .type = "",
                                .field_lines = "",
                                .body = std::make_shared<const std::string>("old"),
                                .made = Instant(),
                                .fresh_until = Instant(1h)};
  const StoredResponses::Asked ahead(responses, "/x");
  const StoredResponses::Asked other(responses, "/other");
  responses.forget("/x");
  const StoredResponses::Asked behind(responses, "/x");
  EXPECT_FALSE(responses.store(ahead, {}, none, response));
  EXPECT_TRUE(responses.store(other, {}, none, response));
  EXPECT_TRUE(responses.store(behind, {}, none, response));
}

}  // namespace
}  // namespace eider
