#include "eider/protocols/http/response.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "eider/server/content.h"
#include "eider/server/upgrade.h"

namespace eider {
namespace {

TEST(Response, finds_a_field_by_its_name_without_case) {
  Response response;
  EXPECT_EQ(response.find_header("Vary"), std::nullopt);
  response.add_header("Vary", "Accept").add_header("ETag", "\"1\"").add_header("Vary", "Origin");
  EXPECT_EQ(response.find_header("vary"), "Accept");
  EXPECT_EQ(response.find_header("ETAG"), "\"1\"");
  EXPECT_EQ(response.find_header("Va"), std::nullopt);
  EXPECT_EQ(response.find_header("Vary: Accept"), std::nullopt);
}

TEST(Response, writes_urls_in_fields_as_ascii) {
  Response response;
  response.add_header("Location", "/caf\xC3\xA9 \"x\"?a=%20")
      .add_header("content-location", "/a b")
      .add_header("Refresh", "5; URL=/a b")
      .add_header("Refresh", "0;url='/\xC3\xA4'")
      .add_header("Refresh", "5")
      .add_header("Link", "</a b>; rel=\"a <b c>\", <?q=\xC3\xA4>; title=\"\xC3\xA4\"")
      .add_header("X-Other", "/a b");
  EXPECT_EQ(response.field_lines(),
            "Location: /caf%C3%A9%20%22x%22?a=%20\r\n"
            "content-location: /a%20b\r\n"
            "Refresh: 5; URL=/a%20b\r\n"
            "Refresh: 0;url='/%C3%A4'\r\n"
            "Refresh: 5\r\n"
            "Link: </a%20b>; rel=\"a <b c>\", <?q=%C3%A4>; title=\"\xC3\xA4\"\r\n"
            "X-Other: /a b\r\n");
}

TEST(Response, refuses_line_ends_in_urls) {
  for (const char* name : {"Location", "Content-Location", "Link", "Refresh"}) {
    Response response;
    EXPECT_THROW(response.add_header(name, "/a\r\nX: y"), std::invalid_argument) << name;
    EXPECT_THROW(response.add_header(name, "<url=/a\n>"), std::invalid_argument) << name;
    EXPECT_THROW(response.add_header(name, std::string_view("/a\0", 3)), std::invalid_argument)
        << name;
  }
}

TEST(Response, replaces_all_fields_of_a_name_by_one) {
  Response response;
  response.add_header("A", "1").add_header("B", "2").add_header("a", "3");
  response.replace_header("A", "4");
  EXPECT_EQ(response.field_lines(), "B: 2\r\nA: 4\r\n");
  response.replace_header("C", "5");
  EXPECT_EQ(response.field_lines(), "B: 2\r\nA: 4\r\nC: 5\r\n");
}

TEST(Response, may_replace_a_field_by_a_part_of_it) {
  Response response;
  response.add_header("Vary", "Accept, Origin").add_header("B", "2");
  response.replace_header("Vary", response.find_header("Vary")->substr(0, 6));
  EXPECT_EQ(response.field_lines(), "B: 2\r\nVary: Accept\r\n");
}

TEST(Response, removes_all_fields_of_a_name) {
  Response response;
  response.add_header("A", "1").add_header("AA", "2").add_header("A", "3");
  response.remove_header("a");
  EXPECT_EQ(response.field_lines(), "AA: 2\r\n");
}

TEST(Response, keeps_whole_lines_of_those_that_are_shared_whatever_was_changed) {
  const auto shared = [] {
    Response response;
    response.add_header("A", "1").add_header("Vary", "Cookie").add_header("B", "2");
    response.share_field_lines(response.field_lines().size());
    response.add_header("C", "3");
    return response;
  };
  Response replaced = shared();
  replaced.replace_header("Vary", "Cookie, Accept-Encoding").replace_header("C", "4");
  EXPECT_EQ(replaced.field_lines(), "A: 1\r\nB: 2\r\nVary: Cookie, Accept-Encoding\r\nC: 4\r\n");
  replaced.reset_to_shared();
  EXPECT_EQ(replaced.field_lines(), "A: 1\r\nB: 2\r\nVary: Cookie, Accept-Encoding\r\n");
  Response removed = shared();
  removed.remove_header("A").remove_header("C").add_header("Long", "and longer than A");
  removed.reset_to_shared();
  EXPECT_EQ(removed.field_lines(), "Vary: Cookie\r\nB: 2\r\n");
}

struct Nothing final : ProducedContent {
  explicit Nothing(int& its_count) : count(its_count) { ++count; }
  ~Nothing() override { --count; }
  Task<> produce(BodyWriter&) override { co_return; }
  int& count;
};

TEST(Response, has_its_content_in_place_of_a_body) {
  int alive = 0;
  Response response;
  EXPECT_TRUE(std::holds_alternative<BytesContent>(response.content()));
  response.set_content(std::make_unique<Nothing>(alive));
  EXPECT_FALSE(is_in_memory(response));
  EXPECT_NE(content_as<ProducedContent>(response), nullptr);
  EXPECT_EQ(content_as<FileContent>(response), nullptr);
  EXPECT_EQ(response.body(), "");
  response.set_body("text");
  EXPECT_TRUE(is_in_memory(response));
  EXPECT_EQ(content_as<ProducedContent>(response), nullptr);
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(response.body(), "text");
  response.set_content(std::make_unique<Nothing>(alive));
  const Content taken = response.take_content();
  EXPECT_EQ(alive, 1);
  EXPECT_TRUE(std::holds_alternative<ContentPtr<ProducedContent>>(taken));
  EXPECT_TRUE(is_in_memory(response));
  EXPECT_EQ(response.body(), "");
}

TEST(Response, visits_its_content_by_its_kind) {
  int alive = 0;
  const auto kind = ContentCases{[](const BytesContent&) { return 'b'; },
                                 [](const ContentPtr<FileContent>&) { return 'f'; },
                                 [](const ContentPtr<ProducedContent>&) { return 'p'; },
                                 [](const ContentPtr<Upgrade>&) { return 'u'; }};
  Response response = Response::text("text");
  EXPECT_EQ(std::visit(kind, response.content()), 'b');
  response.set_content(std::make_unique<FileContent>(nullptr, std::vector<FileContent::Piece>()));
  EXPECT_EQ(std::visit(kind, response.content()), 'f');
  response.set_content(std::make_unique<Nothing>(alive));
  EXPECT_EQ(std::visit(kind, response.content()), 'p');
  response.reset();
  EXPECT_EQ(std::visit(kind, response.content()), 'b');
  EXPECT_EQ(alive, 0);
}

TEST(Response, has_one_content_type_whoever_set_it) {
  Response response;
  EXPECT_EQ(response.find_header("Content-Type"), std::nullopt);
  response.set_static_type(kTextPlain).add_header("content-type", "text/csv");
  EXPECT_EQ(response.content_type(), "text/csv");
  EXPECT_EQ(response.find_header("Content-Type"), "text/csv");
  response.set_type("text/a").set_type("text/b");
  EXPECT_EQ(response.content_type(), "text/b");
  response.set_static_type(kTextHtml);
  EXPECT_EQ(response.content_type(), kTextHtml);
  response.replace_header("Content-Type", "text/c");
  EXPECT_EQ(response.content_type(), "text/c");
  response.remove_header("CONTENT-TYPE");
  EXPECT_EQ(response.content_type(), "");
  EXPECT_EQ(response.field_lines(), "");
  EXPECT_THROW(response.set_type("a\r\nb: c"), std::invalid_argument);
}

TEST(Response, keeps_its_type_where_it_is_moved_to) {
  Response from;
  from.set_type("a/b");  // short enough for std::string's internal buffer
  const Response to = std::move(from);
  EXPECT_EQ(to.content_type(), "a/b");
  EXPECT_LT(static_cast<const void*>(&to), static_cast<const void*>(to.content_type().data()));
  EXPECT_LT(static_cast<const void*>(to.content_type().data()), static_cast<const void*>(&to + 1));
}

TEST(Response, as_new_has_no_type) {
  Response response;
  response.set_type("text/csv");
  response.reset();
  EXPECT_EQ(response.content_type(), "");
}

}  // namespace
}  // namespace eider
