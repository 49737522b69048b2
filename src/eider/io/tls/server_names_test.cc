// Names and wildcards compared with the name that a client requests.
#include "eider/io/tls/server_responses.h"

#include <gtest/gtest.h>

namespace eider::detail::tls {
namespace {

ServerNames names_of(std::initializer_list<std::string_view> all) {
  ServerNames names;
  std::size_t index = 0;
  for (const std::string_view name : all) {
    names.add(name, index++);
  }
  return names;
}

TEST(ServerNames, are_found_as_they_are_and_by_wildcard) {
  const ServerNames names = names_of({"example.org", "*.example.org", "api.example.org", "b.test"});
  const std::pair<std::string_view, int> cases[] = {{"example.org", 0},
                                                    {"EXAMPLE.org", 0},
                                                    {"example.org.", 0},
                                                    {"www.example.org", 1},
                                                    {"WWW.Example.Org.", 1},
                                                    {"api.example.org", 2},
                                                    {"b.test", 3},
                                                    {"a.b.test", -1},
                                                    {"a.www.example.org", -1},
                                                    {".example.org", -1},
                                                    {"org", -1},
                                                    {"", -1},
                                                    {".", -1},
                                                    {"*.example.org", 1},
                                                    {"xexample.org", -1},
                                                    {"example.org..", -1},
                                                    {"www.example.or", -1},
                                                    {"example.orgx", -1}};
  for (const auto& [name, index] : cases) {
    const auto found = names.find(name);
    EXPECT_EQ(found.empty() ? -1 : static_cast<int>(found.front()), index) << name;
  }
}

TEST(ServerNames, have_all_of_one_name) {
  const ServerNames names = names_of({"a.test", "b.test", "a.test"});
  const auto found = names.find("a.test");
  EXPECT_EQ(std::vector<std::size_t>(found.begin(), found.end()), (std::vector<std::size_t>{0, 2}));
}

TEST(ServerNames, leave_out_what_is_no_name) {
  EXPECT_TRUE(names_of({"", "*", "*.", "w*.example.org", "*.*.org", "a b"}).empty());
  EXPECT_TRUE(names_of({std::string(254, 'a')}).empty());
}

TEST(ServerNames, take_the_longest_name_and_refuse_a_longer_one) {
  const std::string longest = std::string(61, 'a') + "." + std::string(61, 'b') + "." +
                              std::string(61, 'c') + "." + std::string(67, 'd');
  const ServerNames names = names_of({longest, "*" + longest.substr(61)});
  EXPECT_EQ(longest.size(), 253U);
  EXPECT_EQ(names.find(longest).front(), 0U);
  EXPECT_EQ(names.find("b" + longest.substr(1)).front(), 1U);
  EXPECT_TRUE(names.find(longest + "x").empty());
  EXPECT_TRUE(names.find(std::string(100'000, 'a')).empty());
}

}  // namespace
}  // namespace eider::detail::tls
