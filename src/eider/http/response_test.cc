#include "eider/http/response.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <utility>

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

TEST(Response, has_its_content_in_place_of_a_body) {
  Response response;
  response.set_content(std::make_unique<Content>());
  EXPECT_NE(response.content(), nullptr);
  EXPECT_EQ(response.body(), "");
  response.set_body("text");
  EXPECT_EQ(response.content(), nullptr);
  EXPECT_EQ(response.body(), "text");
  response.set_content(std::make_unique<Content>());
  EXPECT_NE(response.take_content(), nullptr);
  EXPECT_EQ(response.content(), nullptr);
}

}  // namespace
}  // namespace eider
