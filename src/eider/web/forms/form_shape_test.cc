// The structs that can be forms, and reading pairs into them without a request.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/app/app.h"
#include "eider/core/base/failure.h"
#include "eider/web/forms/forms.h"
#include "eider/web/forms/html_rules.h"
#include "eider/web/forms/test_pages.h"

namespace eider {
namespace {

struct Nested {
  std::vector<forms_test::Address> addresses;
};

TEST(FormShapes, that_cannot_be_shown_are_refused_when_their_route_is_added) {
  App app;
  EXPECT_THROW(app.get("/", [](EmptyForm<Nested>) {}), Failure);
  EXPECT_THROW(app.post("/", [](BoundForm<Nested>) {}), Failure);
}

struct OptionalList {
  std::optional<std::vector<int>> sizes;
};
struct Files {
  std::vector<FormFile> photos;
};
struct HiddenList {
  std::vector<int> sizes;
  static constexpr FieldText kFormFields[] = {{.member = "sizes", .control = Control::hidden}};
};
struct HiddenGroup {
  forms_test::Address address;
  static constexpr FieldText kFormFields[] = {{.member = "address", .control = Control::hidden}};
};
struct SecretChoice {
  forms_test::Colour colour;
  static constexpr FieldText kFormFields[] = {{.member = "colour", .control = Control::password}};
};

TEST(FormShapes, refuse_lists_and_controls_that_would_not_come_back_as_they_were) {
  EXPECT_THROW((void)forms::detail::shape_of<OptionalList>(), Failure);
  EXPECT_THROW((void)forms::detail::shape_of<Files>(), Failure);
  EXPECT_THROW((void)forms::detail::shape_of<HiddenList>(), Failure);
  EXPECT_THROW((void)forms::detail::shape_of<HiddenGroup>(), Failure);
  EXPECT_THROW((void)forms::detail::shape_of<SecretChoice>(), Failure);
}

/// The value that was read, its errors, and the form that is shown again.
template <class T>
struct Read {
  explicit Read(std::string_view pairs) {
    const auto& shape = forms::detail::shape_of<T>();
    const auto typed = forms::detail::read_pairs(shape, pairs, "");
    faults = forms::detail::fill(shape, &value, typed);
    page = views::form(forms::detail::view_again(shape, {}, {}, typed, faults)).html();
  }
  [[nodiscard]] bool has(std::string_view pointer, std::string_view detail) const {
    return std::ranges::any_of(faults, [&](const FieldError& fault) {
      return fault.pointer == pointer && fault.detail == detail;
    });
  }
  T value{};
  std::vector<FieldError> faults;
  std::string page;
};

struct Span {
  int from = 0;
  int to = 0;
};
struct Ordered {
  static bool check(const Span& span) { return span.from <= span.to; }
  static Requirement describe() { return {"ordered", "must not end before it begins"}; }
};
struct Here {
  static bool check(const std::optional<int>& value) { return value.has_value(); }
  static Requirement describe() { return {"here", "must be there"}; }
};
struct Ruled {
  Validated<Span, Ordered> span;
  Validated<std::optional<int>, Here> number;
};

TEST(FormRules, are_asked_of_a_struct_within_and_of_an_optional_that_is_empty) {
  const Read<Ruled> wrong("span.from=9&span.to=1&number=");
  EXPECT_TRUE(wrong.has("span", "must not end before it begins"));
  EXPECT_TRUE(wrong.has("number", "must be there"));
  EXPECT_HAS(wrong.page, R"(name="number" required)");
  EXPECT_TRUE(Read<Ruled>("span.from=1&span.to=9&number=1").faults.empty());
}

struct Secrets {
  Bounded<int, 0, 9999> pin;
  std::optional<Decimal> sum;
  std::optional<std::string> word;
  static constexpr FieldText kFormFields[] = {{.member = "sum", .control = Control::password},
                                              {.member = "word", .control = Control::password}};
};

TEST(FormSecrets, are_not_shown_again_whatever_their_type) {
  const Read<Secrets> wrong("pin=71717&sum=81818x&word=91919");
  EXPECT_FALSE(wrong.faults.empty());
  for (const char* const secret : {"71717", "81818", "91919"}) {
    EXPECT_LACKS(wrong.page, secret);
  }
  EXPECT_HAS(wrong.page, R"(<input type="password" id="pin")");
  EXPECT_HAS(wrong.page, R"(<input type="password" id="sum")");
}

struct Hidden {
  bool pinned;
  std::string body = kOptional;
  static constexpr FieldText kFormFields[] = {{.member = "pinned", .control = Control::hidden},
                                              {.member = "body", .control = Control::hidden}};
};

TEST(HiddenFields, come_back_as_they_were) {
  const Read<Hidden> first("body=a%0D%0Ab");
  EXPECT_HAS(first.page, R"(name="pinned" value="false")");
  EXPECT_EQ(first.value.body, "a\nb");
  const Read<Hidden> again("pinned=false&body=");
  EXPECT_TRUE(again.faults.empty());
  EXPECT_TRUE(Read<Hidden>("pinned=true&body=").value.pinned);
}

struct Checked {
  int x = 0;
  void check(ValidationErrors& errors) const { errors.add(x, "was asked"); }
};
struct Full {
  std::vector<int> sizes = kOptional;
  Checked inner;
};

TEST(FormRules, of_a_struct_are_not_asked_of_members_that_were_not_read) {
  std::string pairs = "inner.x=bad&sizes=";
  for (int i = 0; i < 40; ++i) {
    pairs += "x%0A";
  }
  const Read<Full> wrong(pairs);
  EXPECT_EQ(wrong.faults.size(), ValidationErrors::kMax);
  EXPECT_FALSE(wrong.has("inner/x", "was asked"));
  EXPECT_TRUE(Read<Full>("inner.x=1").has("inner/x", "was asked"));
}

struct Picked {
  std::optional<forms_test::Colour> none;
  forms_test::Colour colour = forms_test::Colour::dark_green;
  Bounded<std::int64_t, INT64_MIN, INT64_MAX> wide = 0;
  Bounded<std::int64_t, INT64_MAX - 1, INT64_MAX> last = INT64_MAX;
  static constexpr FieldText kFormFields[] = {{.member = "none", .control = Control::radios},
                                              {.member = "wide", .control = Control::select},
                                              {.member = "last", .control = Control::select}};
};

TEST(FormChoices, are_nobodys_where_none_is_known_and_can_be_taken_back) {
  const Read<Picked> wrong("none=&colour=purple");
  EXPECT_HAS(wrong.page, R"(<option value="" selected></option><option value="red">)");
  EXPECT_HAS(wrong.page, R"(name="none" value="" checked> None</label>)");
  EXPECT_HAS(wrong.page, R"(<option value="9223372036854775807")");
  EXPECT_HAS(wrong.page, R"(<input type="number" id="wide")");
}

struct Listed {
  Validated<std::vector<int>, HasLength<1, 3>> sizes = std::vector<int>{7, 8};
  std::vector<std::string> lines = kOptional;
};

TEST(FormLists, that_may_not_be_empty_are_required_whatever_they_begin_with) {
  const Read<Listed> emptied("sizes=&lines=");
  EXPECT_FALSE(emptied.faults.empty());
  EXPECT_HAS(emptied.page, R"(<textarea id="sizes" name="sizes" rows="4" required)");
  EXPECT_EQ(*Read<Listed>("lines=").value.sizes, (std::vector<int>{7, 8}));
}

TEST(FormLists, say_which_entries_would_not_stay_as_they_are) {
  const auto page_of = [](std::vector<std::string> lines) {
    const Listed listed{.sizes = std::vector<int>{1}, .lines = std::move(lines)};
    return views::form(
               forms::detail::view_of(forms::detail::shape_of<Listed>(), {}, {}, &listed, false))
        .html();
  };
  constexpr const char* kTold = "<a href=\"#lines\">Lines: Entries that contain line breaks";
  EXPECT_HAS(page_of({"a", "b\nc"}), kTold);
  EXPECT_HAS(page_of({"b\rc"}), kTold);
  EXPECT_HAS(page_of({"a", ""}), kTold);
  EXPECT_HAS(page_of({" \t"}), kTold);
  EXPECT_LACKS(page_of({" a ", "b"}), "Entries that");
  EXPECT_LACKS(Read<Listed>("sizes=x&lines=a%0D%0Ab").page, "Entries that") << "typed as two";
}

TEST(FormLists, keep_texts_as_they_were_typed) {
  const Read<Listed> read("sizes=+7+&lines=+a%0D%0A++%0D%0Ab+");
  EXPECT_TRUE(read.faults.empty());
  EXPECT_EQ(read.value.lines, (std::vector<std::string>{" a", "b "}));
}

struct Times {
  std::chrono::local_time<std::chrono::microseconds> at;
  TimeOfDay fine;
  TimeOfDay coarse;
  std::chrono::year_month_day day;
};

std::string page_of(const Times& times) {
  return views::form(
             forms::detail::view_of(forms::detail::shape_of<Times>(), {}, {}, &times, false))
      .html();
}

TEST(FormTimes, that_browsers_would_drop_stand_in_fields_of_text) {
  using namespace std::chrono;
  const std::string dropped =
      page_of({local_time<microseconds>(microseconds(1'234'567)), TimeOfDay::at(nanoseconds(1)),
               TimeOfDay::at(hours(9)), year_month_day(year(0), month(2), day(29))});
  EXPECT_HAS(dropped, R"(<input type="text" id="at" name="at")");
  EXPECT_HAS(dropped, R"(value="1970-01-01T00:00:01.234567")");
  EXPECT_HAS(dropped, R"(<input type="text" id="fine")");
  EXPECT_HAS(dropped, R"(<input type="time" id="coarse")");
  EXPECT_HAS(dropped, R"(<input type="text" id="day" name="day" required value="0000-02-29">)");
  const std::string shown =
      page_of({local_time<microseconds>(milliseconds(1'250)), TimeOfDay::at(milliseconds(5)),
               TimeOfDay::at(hours(9)), year_month_day(year(1), month(1), day(1))});
  EXPECT_HAS(shown, R"(<input type="datetime-local" id="at")");
  EXPECT_HAS(shown, R"(value="1970-01-01T00:00:01.250")");
  EXPECT_HAS(shown, R"(<input type="time" id="fine")");
  EXPECT_HAS(shown, R"(<input type="date" id="day")");
  const Read<Times> typed("at=0000-01-01T10%3A00&fine=10%3A00%3A00.0001&coarse=9&day=2026-11-23");
  EXPECT_HAS(typed.page, R"(<input type="text" id="at")");
  EXPECT_HAS(typed.page, R"(value="10:00:00.0001")");
  EXPECT_HAS(typed.page, R"(<input type="date" id="day")");
}

/// Each pattern was tested with `new RegExp(…, "v")`, like in browsers.
TEST(FormPatterns, are_such_as_browsers_read) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"^(?:[a-z][a-z0-9_]{2,30})$", "^(?:[a-z][a-z0-9_]{2,30})$"},
      {"[a-z-]", R"([a-z\-])"},
      {"[-a]", R"([\-a])"},
      {"[+--]", R"([+-\-])"},
      {R"([\w.-]+@[^@\s()]+)", R"([\w.\-]+@[^@\s\(\)]+)"},
      {"[a&&b]", R"([a\&&b])"},
      {"[[{}/|]", R"([\[\{\}\/\|])"},
      {R"([\_\&\-\u0041-\x5A\]])", R"([_\&\-\u0041-\x5A\]])"},
      {R"(\-\_\@\.\/)", R"(-_@\.\/)"},
      {R"([\p{L}\u{1F600}-\u{1F64F}]\p{Nd})", R"([\p{L}\u{1F600}-\u{1F64F}]\p{Nd})"},
      {"[a", ""},
      {"a\\", ""},
  };
  for (const auto& [pattern, translated] : cases) {
    EXPECT_EQ(forms::detail::browser_pattern(pattern), translated) << pattern;
  }
}

struct Passing {
  std::string title;
  static constexpr std::string_view kIgnoredFields[] = {"commit", "g-recaptcha-response"};
};

TEST(FormNames, that_are_the_pages_own_are_passed_over) {
  EXPECT_TRUE(Read<Passing>("title=a&commit=Save&g-recaptcha-response=x").faults.empty());
  EXPECT_TRUE(Read<Passing>("title=a&Commit=Save").has("Commit", "is not an allowed member"));
}

struct Versioned {
  int version;
  static constexpr FieldText kFormFields[] = {{.member = "version", .control = Control::hidden}};
};

TEST(HiddenFields, say_above_what_is_wrong_with_them) {
  EXPECT_HAS(Read<Versioned>("version=x").page, "<li>Version: Must be an integer</li>");
}

}  // namespace
}  // namespace eider
