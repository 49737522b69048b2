#include "cli/dev/diagnostics.h"

#include <gtest/gtest.h>

#include <string>

#include "cli/dev/fault_page.h"

namespace eider::dev {
namespace {

std::string told(std::string_view output) {
  std::string all;
  for (const Diagnostic& each : read_diagnostics(output, "/p")) {
    all += each.place() + "|" + each.text + (each.from.empty() ? "" : "|from " + each.from) +
           (each.hint.empty() ? "" : "|hint") + "\n";
  }
  return all;
}

TEST(Diagnostics, each_tool_s_errors_are_read) {
  struct Case {
    std::string_view output;
    std::string_view told;
  };
  for (const auto& [output, expected] : std::vector<Case>{
           {"/p/main.cc:7:3: error: use of undeclared identifier 'x'\n    7 |   x;\n",
            "main.cc:7:3|use of undeclared identifier 'x'|hint\n"},
           {"/p/a.cc:1:10: fatal error: 'b.h' file not found\n",
            "a.cc:1:10|'b.h' file not found|hint\n"},
           {"/p/a.cc: In function 'int f()':\n/p/a.cc:4:1: error: strange\n", "a.cc:4:1|strange\n"},
           {"ld.lld: error: undefined symbol: shop::f()\n>>> referenced by main.cc:9\n",
            "|undefined symbol: shop::f()|hint\n"},
           {"mold: error: undefined symbol: eider::serve()\n",
            "|undefined symbol: eider::serve()|hint\n"},
           {"/usr/bin/ld: main.cc:(.text+0x5): undefined reference to `f()'\n",
            "/usr/bin/ld: main.cc|undefined reference to `f()'|hint\n"},
           {"CMake Error at CMakeLists.txt:3 (find_package):\n  Could not find\n",
            "CMakeLists.txt:3|CMake:\n"},
           {"CMake Error at CMakeLists.txt:23:\n  Parse error.\n", "CMakeLists.txt:23|CMake:\n"},
           {"CMake Error: no sources\n", "|no sources\n"},
           {"pages/front.html:3:8: unknown member titel in FrontPage\n  <h1>\n",
            "pages/front.html:3:8|unknown member titel in FrontPage|hint\n"},
           {"/p/a.cc:4:1: warning: unused\n[1/2] Building\nninja: build stopped\n", ""},
           {"", ""},
           {"error\n: error: \n:::\n", "|\n"}}) {
    EXPECT_EQ(told(output), expected) << output;
  }
}

TEST(Diagnostics, braces_that_do_not_match_a_struct_have_their_own_hint) {
  const auto is_told = [](std::string_view output) {
    const auto all = read_diagnostics(output, "/p");
    return all.size() == 1 && all[0].hint.contains("the compiler names the member");
  };
  // clang
  EXPECT_TRUE(
      is_told("/p/a.cc:6:11: error: no matching function for call to 'rate_limit'\n"
              "    6 |   app.use(rate_limit({.request = 3}));\n"
              "/u/eider/rate_limit.h:60:26: note: candidate function not viable: cannot convert "
              "initializer list argument to 'RateLimit'\n"
              "/u/eider/rate_limit.h:71:32: note: candidate function not viable: requires 2 "
              "arguments, but 1 was provided\n"));
  // g++, with overloads, without them, and for a reference
  EXPECT_TRUE(
      is_told("/p/a.cc:6:21: error: no matching function for call to "
              "'rate_limit(<brace-enclosed initializer list>)'\n"));
  EXPECT_TRUE(
      is_told("/p/a.cc:5:27: error: could not convert '{3}' from '<brace-enclosed initializer "
              "list>' to 'eider::SecurityHeaders'\n"));
  EXPECT_TRUE(is_told(
      "/p/a.cc:6:16: error: invalid initialization of reference of type 'const "
      "eider::OpenApiInfo&' from expression of type '<brace-enclosed initializer list>'\n"));
  EXPECT_FALSE(is_told("/p/a.cc:6:16: error: no matching function for call to 'f'\n"));
}

TEST(Diagnostics, what_eider_refuses_says_why) {
  // clang, and g++ in a UTF-8 locale and in the C locale.
  constexpr std::string_view kConsteval =
      "call to consteval function 'F' is not a constant expression";
  const std::string by_clang =
      std::string("/p/a.cc:4:11: error: ") + std::string(kConsteval) +
      "\n    4 |   app.get(\n/u/eider/p.h:50:7: note: non-constexpr function "
      "'";
  EXPECT_EQ(told(by_clang + "the_handler_has_more_path_parameters_than_the_pattern__or_use_Query"
                            "' cannot be used in a constant expression\n   50 |   x\n"
                            "/p/a.cc:4:11: note: in call to 'PatternFor(0)'\n"),
            "a.cc:4:11|the handler has more path parameters than the pattern: or use Query\n");
  EXPECT_EQ(
      told(by_clang + "the_column_may_be_null__read_it_into_an_optional<N<k.size()>{\"stars\"}>"
                      "' cannot be used in a constant expression\n"),
      "a.cc:4:11|the column may be null: read it into an optional (stars)\n");
  for (const auto& [open, close] :
       {std::pair{"\xE2\x80\x98", "\xE2\x80\x99"}, std::pair{"'", "'"}}) {
    const std::string word = std::string(open) + "constexpr" + close;
    EXPECT_EQ(
        told("/p/a.cc:4:10:   in " + word +
             " expansion of x\n/u/eider/p.h:50:78: error: "
             "call to non-" +
             word + " function " + open +
             "void "
             "eider::detail::app::a_group_prefix_cannot_have_parameters__put_them_into_its_routes("
             ")" +
             close + "\n"),
        "/u/eider/p.h:50:78|a group prefix cannot have parameters: put them into its routes|from "
        "a.cc:4:10\n");
  }
  // clang's attribute: its name is the error.
  EXPECT_EQ(told("/p/a.cc:4:11: error: the_statement_needs_more_values_than_are_passed\n"
                 "    4 |   x\n/u/eider/sql.h:15:60: note: from 'diagnose_if' attribute on 'S':\n"),
            "a.cc:4:11|the statement needs more values than are passed\n");
  EXPECT_EQ(
      told("/p/a.cc:4:11: error: the_column_may_be_null__read_it_into_an_optional (column 2)\n"),
      "a.cc:4:11|the column may be null: read it into an optional (column 2)\n");
  // A user's own error, and a duplicate after another error.
  EXPECT_EQ(told(std::string("/p/a.cc:4:11: error: ") + std::string(kConsteval) +
                 "\n/p/a.cc:1:1: note: non-constexpr function 'compute' cannot be used\n"),
            "a.cc:4:11|" + std::string(kConsteval) + "\n");
  EXPECT_EQ(told(by_clang + "f' \n/p/b.cc:1:1: error: bad\n" + by_clang +
                 "the_handler_takes_fewer_path_values' cannot be used\n"),
            "a.cc:4:11|" + std::string(kConsteval) + "\nb.cc:1:1|bad\n");
}

TEST(Diagnostics, they_keep_their_order_and_are_told_once) {
  EXPECT_EQ(told("/p/b.h:1:1: error: one\n/p/a.cc:1:1: error: two\n/p/b.h:1:1: error: one\n"),
            "b.h:1:1|one\na.cc:1:1|two\n");
}

TEST(Diagnostics, those_of_templates_stand_ahead_of_what_follows_from_them) {
  EXPECT_EQ(told("/p/b.cc:1:1: error: one\n/p/pages/a.html:9:4: error: no member of that "
                 "kind\n/p/a.cc:1:1: error: two\n/p/pages/b.html:1:1: unknown tag fo\n"),
            "pages/a.html:9:4|no member of that kind\npages/b.html:1:1|unknown tag "
            "fo\nb.cc:1:1|one\na.cc:1:1|two\n");
  std::string many;
  for (int line = 1; line <= 60; ++line) {
    many += "/p/a.cc:" + std::to_string(line) + ": error: bad\n";
  }
  EXPECT_TRUE(
      told(many + "/p/a.html:1:1: error: first\n").starts_with("a.html:1:1|first\na.cc:1|"));
}

TEST(Diagnostics, a_fault_in_a_header_of_others_tells_where_it_comes_from) {
  EXPECT_EQ(told("/usr/include/x.h:9:1: error: bad\n/usr/include/y.h:1:1: note: in\n"
                 "/p/main.cc:5:2: note: in instantiation of it\n/p/main.cc:8:2: note: more\n"),
            "/usr/include/x.h:9:1|bad|from main.cc:5:2\n");
  EXPECT_EQ(told("/p/main.cc:5:2:   required from here\n/usr/include/x.h:9:1: error: bad\n"),
            "/usr/include/x.h:9:1|bad|from main.cc:5:2\n");
  EXPECT_EQ(told("/p/a.cc:5:2:   required from here\n/p/b.h:9:1: error: bad\n"), "b.h:9:1|bad\n");
}

TEST(Diagnostics, the_lines_of_source_go_with_their_error) {
  const auto all = read_diagnostics(
      "/p/a.cc:7:3: error: bad\n    7 |   x;\n      |   ^\n/p/a.cc:1:1: note: there\n    1 | int\n",
      "/p");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().source, "    7 |   x;\n      |   ^\n");
}

TEST(FaultPage, everything_that_was_said_is_escaped) {
  const std::string evil = "<script>alert(1)</script>\"'&";
  const Fault fault{
      .title = evil,
      .diagnostics =
          {{.file = evil, .line = 1, .text = evil, .source = evil, .from = evil, .hint = evil}},
      .output = evil};
  const std::string page = fault_page(fault, "<end>");
  EXPECT_EQ(page.find("<script>"), page.npos);
  EXPECT_EQ(page.find("\"'"), page.npos);
  EXPECT_NE(page.find("<end></body>"), page.npos);
}

TEST(FaultPage, the_terminal_is_told_the_first_causes) {
  Fault fault{.title = "The build failed"};
  for (unsigned line = 1; line <= 7; ++line) {
    fault.diagnostics.push_back({.file = "a.cc", .line = line, .text = "bad"});
  }
  const std::string text = fault_text(fault, 5);
  EXPECT_NE(text.find("a.cc:1: bad"), text.npos);
  EXPECT_EQ(text.find("a.cc:6"), text.npos);
  EXPECT_NE(text.find("and 2 more"), text.npos);
}

TEST(Stack, what_the_handler_wrote_is_not_shown_as_it_is) {
  const std::string_view said =
      "before\neider-dev: stack\n/x(+0x1)[0x1]\neider-dev: end of stack\nbehind\n";
  EXPECT_EQ(without_stack(said), "before\nbehind\n");
  EXPECT_EQ(without_stack("eider-dev: stack\n/x"), "");
  EXPECT_EQ(without_stack("plain"), "plain");
  EXPECT_EQ(read_stack("plain", "/x"), "");
  EXPECT_EQ(read_stack("eider-dev: stack\n/y(+0x1)[0x1]\n", "/x"), "");
}

}  // namespace
}  // namespace eider::dev
