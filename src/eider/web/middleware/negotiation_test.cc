#include "eider/web/middleware/negotiation.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/merge_patch.h"
#include "eider/core/json/binary.h"
#include "eider/core/json/read.h"
#include "eider/core/reflect/constraints.h"
#include "eider/core/reflect/validation_errors.h"
#include "eider/testkit/test_client.h"
#include "eider/web/middleware/caching.h"
#include "eider/web/middleware/cross_origin.h"
#include "tests/sim/sim_app.h"
#include "tests/support/h2_server.h"

namespace eider {
namespace {

using json::BinaryFormat;
namespace h2 = detail::http2::test;

struct Offer {
  int id;
  Sized<std::string, 1, 10> title;
};

struct Nested {
  std::vector<int> ids;
};

void add_negotiated(App& app) {
  app.use(conditional_requests());
  app.use(negotiate());
  app.get("/one", [] { return Offer{1, std::string("Milk")}; });
  app.get("/many",
          [] { return std::vector<Offer>{{1, std::string("a")}, {2, std::string("=b")}}; });
  app.get("/nested", [] { return std::vector<Nested>{{{1}}}; });
  app.get("/tagged", [] {
    return ResponseOf(Offer{1, std::string("Milk")})
        .etag("7")
        .cache({.max_age = std::chrono::seconds(60)});
  });
  app.get("/text", [] { return "text"; });
  app.post("/echo", [](Json<Offer> offer) { return *offer; });
  app.post("/text", [](Body body) { return std::string(body.view()); });
}

class NegotiationTest : public ::testing::Test {
 public:
  TestResponse get(std::string target, std::string_view accept, Method method = Method::get) {
    return client_.send({.method = method, .target = target, .headers = {{"Accept", accept}}});
  }
  TestResponse post(std::string_view type, std::string body, std::string target = "/echo") {
    return client_.send({.method = Method::post,
                         .target = target,
                         .headers = {{"Content-Type", type}},
                         .body = body});
  }

 private:
  static App made_app() {
    App app;
    add_negotiated(app);
    return app;
  }
  TestClient client_{made_app()};
};

std::string as_binary(BinaryFormat format, std::string_view text) {
  std::string out;
  json::write_binary(format, out, json::read<json::Value>(text).value());
  return out;
}

constexpr std::string_view kOne = R"({"id":1,"title":"Milk"})";

TEST_F(NegotiationTest, gives_each_client_the_format_that_it_prefers) {
  const struct {
    std::string_view accept;
    std::string type;
    std::string body;
  } rows[] = {
      {"", "application/json", std::string(kOne)},
      {"*/*", "application/json", std::string(kOne)},
      {"application/cbor", "application/cbor", as_binary(BinaryFormat::cbor, kOne)},
      {"application/msgpack", "application/msgpack", as_binary(BinaryFormat::msgpack, kOne)},
      {"application/x-msgpack", "application/x-msgpack", as_binary(BinaryFormat::msgpack, kOne)},
      {"application/json;q=0.5, application/cbor", "application/cbor",
       as_binary(BinaryFormat::cbor, kOne)},
      {"text/csv, application/json;q=0.1", "application/json", std::string(kOne)}};
  for (const auto& row : rows) {
    const TestResponse reply = get("/one", row.accept);
    EXPECT_EQ(reply.status, 200) << row.accept;
    EXPECT_EQ(reply.header("Content-Type"), row.type) << row.accept;
    EXPECT_EQ(reply.body, row.body) << row.accept;
    EXPECT_EQ(reply.header("Vary"), "Accept") << row.accept;
  }
}

TEST_F(NegotiationTest, gives_tables_of_lists_of_flat_objects) {
  const TestResponse reply = get("/many", "text/csv");
  EXPECT_EQ(reply.header("Content-Type"), "text/csv; charset=utf-8");
  EXPECT_EQ(reply.body, "id,title\r\n1,a\r\n2,'=b\r\n");
  EXPECT_EQ(get("/nested", "text/csv").status, 406);
  EXPECT_EQ(get("/nested", "text/csv, */*;q=0.1").header("Content-Type"), "application/json");
}

TEST_F(NegotiationTest, keeps_a_handlers_tag_for_all_formats_as_a_weak_one) {
  EXPECT_EQ(get("/tagged", "application/json").header("ETag"), "\"7\"");
  EXPECT_EQ(get("/tagged", "application/cbor").header("ETag"), "W/\"7\"");
}

TEST_F(NegotiationTest, lets_no_cache_keep_a_406_as_the_response) {
  const TestResponse refused = get("/tagged", "image/png");
  EXPECT_EQ(refused.status, 406);
  for (const std::string_view name : {"ETag", "Last-Modified", "Cache-Control"}) {
    EXPECT_FALSE(refused.header(name)) << name;
  }
}

TEST_F(NegotiationTest, says_406_of_what_it_has_not_where_nothing_was_done) {
  const TestResponse reply = get("/one", "image/png");
  EXPECT_EQ(reply.status, 406);
  EXPECT_EQ(reply.problem().status, 406);
  EXPECT_EQ(get("/one", "image/png", Method::head).status, 406);
  EXPECT_EQ(get("/text", "image/png").body, "text");  // not JSON: the handler chooses the format
}

TEST_F(NegotiationTest, takes_content_in_each_format_by_the_same_rules) {
  for (const auto& [type, format] :
       {std::pair("application/cbor", BinaryFormat::cbor),
        std::pair("Application/MsgPack", BinaryFormat::msgpack),
        std::pair("application/vnd.msgpack; x=y", BinaryFormat::msgpack)}) {
    const TestResponse good = post(type, as_binary(format, kOne));
    EXPECT_EQ(good.status, 200) << type;
    EXPECT_EQ(good.body, kOne) << type;
    const TestResponse wrong = post(type, as_binary(format, R"({"id":"x","title":""})"));
    EXPECT_EQ(wrong.status, 422) << type;
    ASSERT_EQ(wrong.problem().errors.size(), 2U) << type;
    EXPECT_EQ(wrong.problem().errors[0].pointer, "/id");
    const std::string whole = as_binary(format, kOne);
    for (std::size_t size = 1; size < whole.size(); ++size) {
      EXPECT_EQ(post(type, whole.substr(0, size)).status, 400) << type << size;
    }
  }
  EXPECT_EQ(post("application/json", std::string(kOne)).body, kOne);
  EXPECT_EQ(post("text/csv", "id,title\r\n1,a\r\n").status, 415);
  EXPECT_EQ(post("text/plain", "as it is", "/text").body, "as it is");
}

struct Order {
  int id;
  Sized<std::string, 1, 10> title;
  std::vector<int> sizes;
  std::optional<bool> is_gift;
  bool is_read;

  void check(ValidationErrors& errors) const {
    if (id == 13) {
      errors.add(id, "must not be 13");
    }
  }
};

App app_with_forms() {
  App app;
  app.use(negotiate({.forms = true}));
  app.post("/orders", [](Json<Order> order) { return std::move(*order); });
  app.post("/nested", [](Json<std::vector<Nested>> all) { return std::move(*all); });
  app.post("/deep", [](Json<std::map<std::string, Nested>> all) { return std::move(*all); });
  app.patch("/patch", [](MergePatch<Order>) { return "patched"; });
  return app;
}

constexpr std::string_view kForm = "application/x-www-form-urlencoded";

class FormNegotiationTest : public ::testing::Test {
 public:
  TestResponse post(std::string_view type, std::string body, std::string target = "/orders",
                    Method method = Method::post) {
    return client_.send({.method = method,
                         .target = std::move(target),
                         .headers = {{"Content-Type", type}},
                         .body = std::move(body)});
  }

  const App app_ = app_with_forms();
  TestClient client_{app_};
};

TEST_F(FormNegotiationTest, AFlatStructComesAsAForm) {
  const TestResponse made = post("Application/x-www-form-urlencoded; charset=utf-8",
                                 "id=7&title=a+b%26&sizes=1&sizes=2&is_gift=&is_read=on");
  EXPECT_EQ(made.body, R"({"id":7,"title":"a b&","sizes":[1,2],"is_read":true})");
  EXPECT_EQ(post(kForm, "id=7&title=a").body, R"({"id":7,"title":"a","sizes":[],"is_read":false})");
}

TEST_F(FormNegotiationTest, WhatIsWrongIsToldAsOfJson) {
  const TestResponse form = post(kForm, "id=x&title=&sizes=1&is_read=true&a/b=1");
  const TestResponse json =
      post("application/json", R"({"id":"x","title":"","sizes":[1],"is_read":true,"a/b":1})");
  EXPECT_EQ(form.status, 422);
  EXPECT_EQ(form.body, json.body);
  EXPECT_EQ(post(kForm, "id=13&title=a&is_read=true").body,
            post("application/json", R"({"id":13,"title":"a","sizes":[],"is_read":true})").body);
}

TEST_F(FormNegotiationTest, ABadFormIsRefused) {
  for (const std::string_view bad : {"", "id", "id=1", "id=1&title=%zz", "id=1&id=2&title=a",
                                     "id=1&title=a&other=1", "id=99999999999&title=a", "&=&"}) {
    EXPECT_EQ(post(kForm, std::string(bad)).status, 422) << bad;
  }
}

TEST_F(FormNegotiationTest, WhatIsNestedIsRefusedWithTheReason) {
  for (const char* const target : {"/nested", "/deep"}) {
    const TestResponse refused = post(kForm, "ids=1", target);
    EXPECT_EQ(refused.status, 415);
    EXPECT_TRUE(refused.problem().detail.contains(
        "This type has nested members and cannot be sent as a form"))
        << refused.body;
    EXPECT_TRUE(refused.problem().detail.contains("application/json")) << refused.body;
  }
}

TEST_F(FormNegotiationTest, OtherTypesAndPatchesStayAsTheyWere) {
  EXPECT_EQ(post("text/plain", "id=1&title=a").status, 415);
  EXPECT_EQ(post("", "id=1&title=a").status, 415);
  EXPECT_EQ(post(kForm, "id=1", "/patch", Method::patch).status, 415);
}

TEST_F(NegotiationTest, TakesNoFormUnasked) {
  const TestResponse refused = post(kForm, "id=1&title=a");
  EXPECT_EQ(refused.status, 415);
  EXPECT_EQ(refused.problem().detail, "The request body requires Content-Type: application/json.");
}

TEST(Negotiation, FormsThatAnyPageCanSendAreKeptOutByWhatStandsAround) {
  App app;
  app.use(cross_origin_protection()).use(negotiate({.forms = true}));
  app.post("/", [](Json<Offer> offer) { return *offer; });
  TestClient client(app);
  const auto post = [&client](std::string_view site) {
    return client.send({.method = Method::post,
                        .target = "/",
                        .headers = {{"Content-Type", kForm}, {"Sec-Fetch-Site", site}},
                        .body = "id=1&title=a"});
  };
  EXPECT_EQ(post("cross-site").status, 403);
  EXPECT_EQ(post("same-origin").status, 200);
}

TEST_F(NegotiationTest, each_format_has_a_tag_of_its_own) {
  EXPECT_NE(get("/one", "application/json").header("ETag"),
            get("/one", "application/cbor").header("ETag"));
}

TEST_F(NegotiationTest, holds_over_http2_too) {
  h2::H2ServerOf<SimApp<&add_negotiated>> server;
  SimClient client = server.connect();
  client.send(h2::frame(h2::Type::headers, h2::kEndHeaders | h2::kEndStream, 1,
                        h2::head("GET", "/one") + h2::literal("accept", "application/cbor")));
  server.kernel.advance(std::chrono::milliseconds(10));
  EXPECT_EQ(h2::received_on(client.take_received(), 1).content,
            as_binary(BinaryFormat::cbor, kOne));
}

TEST(Negotiation, leaves_large_responses_in_json) {
  App app;
  app.use(negotiate({.response_bytes_max = 10}));
  app.get("/", [] { return Offer{1, std::string("Milk")}; });
  TestClient client(app);
  EXPECT_EQ(client.send({.target = "/", .headers = {{"Accept", "application/cbor"}}}).body, kOne);
}

}  // namespace
}  // namespace eider
