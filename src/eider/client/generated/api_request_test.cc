#include "eider/client/generated/api_request.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "eider/client/test_client_line.h"
#include "eider/core/reflect/nullable.h"

namespace eider {
namespace {

using testing::ClientLine;
using testing::response;

enum class ApiLevel { low, high };

struct ApiNote {
  int id = 0;
  std::optional<std::string> title = {};
};

struct ApiFilter {
  std::vector<std::string> tags;
  ApiLevel level;
  std::optional<int> page;
  Nullable<int> none;
};

/// One call over a simulated connection, and its result.
template <class T>
class Called {
 public:
  using Ask = std::function<Task<Result<T>>(ApiRequest)>;

  Called(Method method, std::string_view path, Ask ask,
         const std::function<void(ApiRequest&)>& fill = nullptr) {
    line_.loop.call([&] {
      ApiRequest request(server_, method, path);
      if (fill) {
        fill(request);
      }
      task_ = run(ask(std::move(request)), result_);
      task_.start();
    });
  }

  [[nodiscard]] std::string sent() { return line_.peers.empty() ? "" : line_.sent(); }
  Result<T>& told(std::string_view bytes) {
    line_.say(bytes);
    return result();
  }
  Result<T>& result() {
    EXPECT_TRUE(result_.has_value());
    return *result_;
  }

 private:
  static Task<> run(Task<Result<T>> asked, std::optional<Result<T>>& result) {
    result.emplace(co_await std::move(asked));
  }

  ClientLine line_;
  ApiServer server_{line_.client, "http://a/v1/",
                    [](ClientRequest& request) { request.bearer("t"); }};
  std::optional<Result<T>> result_;
  Task<> task_;
};

template <class T>
Task<Result<T>> as_json(ApiRequest request) {
  return std::move(request).get_json<T>();
}

Task<Result<void>> nothing(ApiRequest request) {
  return std::move(request).get_nothing();
}

TEST(ApiRequest, sends_what_it_is_filled_with) {
  Called<void> called(Method::post, "/notes/{id}/{id2}", nothing, [](ApiRequest& request) {
    request.path("id", std::string("a/{id2} b"));
    request.path("id2", 7);
    request.query("tag", std::optional(std::vector<std::string>{"x&y", "z"}));
    request.query("none", std::optional<int>());
    request.query("level", ApiLevel::high);
    request.header("If-Match", std::string("\"1\""));
    request.json(ApiNote{.id = 1}, "application/json");
  });
  const std::string sent = called.sent();
  EXPECT_TRUE(sent.starts_with(
      "POST /v1/notes/a%2F%7Bid2%7D%20b/7?tag=x%26y&tag=z&level=high HTTP/1.1\r\n"))
      << sent;
  EXPECT_TRUE(sent.contains("If-Match: \"1\"\r\n")) << sent;
  EXPECT_TRUE(sent.contains("Authorization: Bearer t\r\n")) << sent;
  EXPECT_TRUE(sent.ends_with("{\"id\":1}")) << sent;
}

TEST(ApiRequest, sends_lists_and_objects_as_their_style_says) {
  Called<void> called(Method::get, "/notes/{ids}", nothing, [](ApiRequest& request) {
    request.path("ids", std::vector<std::string>{"1", "2,3"});
    request.query("a", std::vector<std::string>{"d", "e,f", "g h"}, ",");
    request.query("b", std::optional(std::vector<std::string>{"x", "y|z"}), "|");
    request.query("c", std::vector<std::string>(), "%20");
    request.query("s", std::vector<std::string>{"x", "y&z"}, "%20");
    request.query_members("d", ApiFilter{{"e", "f"}, ApiLevel::low, std::nullopt, nullptr});
    request.query_members("g", std::optional(std::map<std::string, int>{{"h", 1}}));
    request.query_members("i", std::optional<ApiFilter>());
  });
  const std::string sent = called.sent();
  EXPECT_TRUE(sent.starts_with(
      "GET "
      "/v1/notes/"
      "1,2%2C3?a=d,e%2Cf,g%20h&b=x%7Cy%7Cz&s=x%20y%26z&d%5Btags%5D=e&d%5Btags%5D=f&d%5Blevel%5D=low"
      "&g%5Bh%5D=1 HTTP/1.1\r\n"))
      << sent;
}

TEST(ApiRequest, sends_a_struct_as_a_form) {
  Called<void> called(Method::post, "/", nothing, [](ApiRequest& request) {
    request.form(ApiFilter{{"a b", "c"}, ApiLevel::low, std::nullopt, nullptr});
  });
  EXPECT_TRUE(called.sent().ends_with("\r\n\r\ntags=a%20b&tags=c&level=low"));
}

TEST(ApiRequest, joins_the_lists_of_a_form_as_their_style_says) {
  Called<void> called(Method::post, "/", nothing, [](ApiRequest& request) {
    request.form(ApiFilter{{"a,b", "c"}, ApiLevel::low, std::nullopt, nullptr}, {{"tags", ","}});
  });
  EXPECT_TRUE(called.sent().ends_with("\r\n\r\ntags=a%2Cb,c&level=low"));
}

TEST(ApiRequest, sends_nothing_where_a_value_would_be_a_step_in_the_path) {
  for (const char* const value : {"", ".", ".."}) {
    Called<void> called(Method::get, "/notes/{id}", nothing,
                        [&](ApiRequest& request) { request.path("id", value); });
    EXPECT_EQ(called.sent(), "");
    EXPECT_EQ(called.result().error().status(), 400);
  }
}

TEST(ApiRequest, reads_json_and_passes_over_what_is_new) {
  Called<ApiNote> called(Method::get, "/", as_json<ApiNote>);
  const Result<ApiNote>& note = called.told(response(R"({"id":7,"title":"t","more":1})"));
  ASSERT_TRUE(note.has_value());
  EXPECT_EQ(note->title, "t");
}

TEST(ApiRequest, tells_a_response_without_content_from_one_with) {
  Called<std::optional<ApiNote>> with(Method::get, "/", as_json<std::optional<ApiNote>>);
  EXPECT_TRUE(with.told(response(R"({"id":7})"))->has_value());
  Called<std::optional<ApiNote>> without(Method::get, "/", as_json<std::optional<ApiNote>>);
  EXPECT_FALSE(without.told(response(""))->has_value());
}

TEST(ApiRequest, fails_as_the_problem_document_says) {
  Called<ApiNote> called(Method::get, "/", as_json<ApiNote>);
  const Error& error =
      called
          .told(response(R"({"status":1,"detail":"No.","more":1,"errors":[{"pointer":"/a",)"
                         R"("detail":"d","code":"c","arguments":{"max":"3"}}]})",
                         {}, "422 No"))
          .error();
  EXPECT_EQ(error.status(), 422);
  EXPECT_EQ(error.detail(), "No.");
  ASSERT_EQ(error.fields().size(), 1U);
  EXPECT_EQ(error.fields()[0].pointer, "/a");
  EXPECT_EQ(error.fields()[0].code, "c");
  EXPECT_EQ(error.fields()[0].arguments[0].value, "3");
}

TEST(ApiRequest, fails_without_a_problem_document_too) {
  Called<ApiNote> called(Method::get, "/", as_json<ApiNote>);
  EXPECT_EQ(called.told(response("<html>", {}, "404 No")).error().status(), 404);
  Called<void> moved(Method::get, "/", nothing);
  EXPECT_EQ(moved.told(response("", {}, "304 No")).error().status(), 502);
}

TEST(ApiRequest, fails_where_the_response_is_not_what_was_told) {
  Called<ApiNote> called(Method::get, "/", as_json<ApiNote>);
  const Error& error = called.told(response(R"({"id":"seven"})")).error();
  EXPECT_EQ(error.status(), 502);
  EXPECT_TRUE(error.cause().contains("/id")) << error.cause();
  EXPECT_TRUE(error.fields().empty());  // the caller is not the cause of the error
}

}  // namespace
}  // namespace eider
