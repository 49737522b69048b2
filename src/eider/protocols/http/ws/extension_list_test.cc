#include "eider/protocols/http/ws/extension_list.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace eider::ws {
namespace {

/// Returns the list in a uniform format: a;b=c,d
std::string spelled(const std::vector<Extension>& list) {
  std::string text;
  for (const Extension& extension : list) {
    text.append(text.empty() ? "" : ",");
    text += extension.name;
    for (const ExtensionParam& param : extension.params) {
      text.append(";").append(param.name);
      text.append(param.value.has_value() ? "=" : "").append(param.value.value_or(""));
    }
  }
  return text;
}

std::string read(std::string_view value) {
  const auto list = read_extension_list(value);
  return list.has_value() ? spelled(*list) : "bad";
}

struct Known {
  std::string_view value;
  std::string_view spelled;
};

TEST(ExtensionList, good_lists_are_read) {
  const Known all[] = {
      {"foo", "foo"},
      {"foo, bar; baz=2", "foo,bar;baz=2"},
      {"foo; a; b=1; c", "foo;a;b=1;c"},
      {"foo;a;b=1,bar", "foo;a;b=1,bar"},
      {" foo ;\ta = 1 ; b ,\tbar ", "foo;a=1;b,bar"},
      {"foo; a=\"1\"", "foo;a=1"},
      {"foo; a=\"x-y\" ; b=\"z\", bar", "foo;a=x-y;b=z,bar"},
      {"foo; a=\"1\\5\"", "foo;a=15"},
      {",foo,,bar,", "foo,bar"},
      {"foo, foo", "foo,foo"},
      {"permessage-deflate; client_max_window_bits", "permessage-deflate;client_max_window_bits"},
      {"deflate-stream", "deflate-stream"},
  };
  for (const Known& one : all) {
    EXPECT_EQ(read(one.value), one.spelled) << one.value;
  }
}

TEST(ExtensionList, an_empty_field_has_no_extensions) {
  for (const std::string_view empty : {"", " ", "\t", ",", " ,\t, "}) {
    const auto list = read_extension_list(empty);
    ASSERT_TRUE(list.has_value());
    EXPECT_EQ(list->size(), 0U);
  }
}

TEST(ExtensionList, bad_lists_are_refused) {
  for (const std::string_view bad : {";",
                                     ";a",
                                     "foo;",
                                     "foo;;a",
                                     "foo; =1",
                                     "foo; a=",
                                     "foo; a=;b",
                                     "foo; a=1=2",
                                     "foo; a b",
                                     "foo bar",
                                     "foo=1",
                                     "\"foo\"",
                                     "foo; \"a\"",
                                     "foo; a=\"",
                                     "foo; a=\"1",
                                     "foo; a=\"\"",
                                     "foo; a=\"1 2\"",
                                     "foo; a=\"1,2\"",
                                     "foo; a=\"1\\\"2\"",
                                     "foo; a=\"1\\",
                                     "foo; a=\"1\"2",
                                     "foo; a=\"1\" 2",
                                     "foo/1",
                                     "foo; a=1/2",
                                     "f\xC3\xB6",
                                     "foo, ;a",
                                     "foo; a=\"\\\"",
                                     "foo;a=1;"}) {
    EXPECT_EQ(read(bad), "bad") << bad;
  }
}

TEST(ExtensionList, no_cut_of_a_good_list_is_read_beyond_its_end) {
  const std::string whole = "foo; a=\"1\\5\"; b , bar; c = 2,d";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const std::vector<char> exact(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    (void)read_extension_list({exact.data(), exact.size()});
  }
  EXPECT_EQ(read(whole), "foo;a=15;b,bar;c=2,d");
}

TEST(ExtensionList, several_fields_count_as_one) {
  const Field fields[] = {{"Sec-WebSocket-Extensions", "foo"},
                          {"Host", "a"},
                          {"sec-websocket-extensions", "bar; baz=2"}};
  EXPECT_EQ(spelled(*read_extensions(fields)), "foo,bar;baz=2");
  EXPECT_TRUE(read_extensions({fields + 1, 1})->empty());
  const Field with_empty[] = {{"Sec-WebSocket-Extensions", ","},
                              {"Sec-WebSocket-Extensions", "foo"},
                              {"Sec-WebSocket-Extensions", ", ,"}};
  EXPECT_EQ(spelled(*read_extensions(with_empty)), "foo");
}

std::string repeated(std::string_view text, std::size_t count) {
  std::string all;
  for (std::size_t done = 0; done < count; ++done) {
    all += text;
  }
  return all;
}

TEST(ExtensionList, there_is_an_end_to_what_is_taken_in) {
  EXPECT_EQ(read_extension_list(repeated("a,", 16))->size(), 16U);
  EXPECT_EQ(read_extension_list(repeated("a,", 17)).error(), ExtensionFault::too_many);
  EXPECT_EQ(read_extension_list(std::string("a").append(repeated(";b", 16)))->front().params.size(),
            16U);
  EXPECT_EQ(read_extension_list(std::string("a").append(repeated(";b", 17))).error(),
            ExtensionFault::too_many);
}

}  // namespace
}  // namespace eider::ws
