// For tests: pages with forms.
// Layering: must not be included outside of tests.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "eider/core/kinds/kinds.h"
#include "eider/core/reflect/optional_initializer.h"
#include "eider/core/reflect/validation_errors.h"
#include "eider/web/forms/forms.h"

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
#define EXPECT_LACKS(text, part) EXPECT_EQ((text).find(part), std::string::npos) << (text)

namespace forms_test {

struct WholePage {
  eider::FormView form;
};
struct PartsPage {
  eider::FormView form;
};

enum class Colour : std::uint8_t { red, dark_green };

struct Address {
  eider::Sized<std::string, 1, 50> street;
  std::string city = eider::kOptional;
};

struct Accepted {
  static bool check(bool is_accepted) { return is_accepted; }
  static eider::Requirement describe() { return {"accepted", "has to be accepted"}; }
};

/// One of each kind of field.
struct Note {
  eider::Sized<std::string, 1, 20> title;
  std::string body = eider::kOptional;
  std::optional<eider::Email> email;
  eider::Bounded<int, 1, 9> count;
  int priority = 3;
  double weight = 1.5;
  Colour colour;
  bool pinned;
  eider::Validated<bool, Accepted> terms;
  std::set<Colour> colours = eider::kOptional;
  std::vector<int> sizes = eider::kOptional;
  std::optional<std::chrono::year_month_day> due;
  std::string new_password = eider::kOptional;
  Address address;
  std::string from = "web";

  static constexpr eider::MemberText kDocs[] = {{"title", "What it is about."}};
  static constexpr eider::FieldText kFormFields[] = {
      {.member = "title", .placeholder = "Milk"},
      {.member = "body", .label = "Text", .control = eider::Control::textarea, .rows = 3},
      {.member = "address.street", .autocomplete = "street-address"},
      {.member = "from", .control = eider::Control::hidden}};

  void check(eider::ValidationErrors& errors) const {
    if (*title == body) {
      errors.add(body, "must differ from the title");
    }
  }
};

struct Photo {
  std::string caption = eider::kOptional;
  std::optional<eider::FormFile> picture;
};

}  // namespace forms_test
