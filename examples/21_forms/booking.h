// The data of the form and of its pages.
// Layering: must not know requests.
#pragma once

#include <eider/eider.h>
#include <eider/forms.h>
#include <eider/sessions.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace booking {

enum class Room : std::uint8_t { garden_view, sea_view, attic };
enum class Extra : std::uint8_t { breakfast, parking, late_arrival };

struct Address {
  eider::Sized<std::string, 1, 100> street;
  eider::Sized<std::string, 1, 100> city;
};

struct Stay {
  eider::Sized<std::string, 1, 60> name;
  eider::Email email;
  eider::Bounded<int, 1, 4> guests = 2;
  Room room;
  std::set<Extra> extras = eider::kOptional;
  std::chrono::year_month_day from;
  std::optional<std::chrono::year_month_day> to;
  Address address;
  eider::Sized<std::string, 0, 500> wishes = eider::kOptional;
  bool newsletter;

  static constexpr eider::MemberText kDocs[] = {{"to", "Leave this field empty for one night."}};
  static constexpr eider::FieldText kFormFields[] = {
      {.member = "name", .autocomplete = "name"},
      {.member = "room", .control = eider::Control::radios},
      {.member = "from", .label = "First day"},
      {.member = "to", .label = "Last day"},
      {.member = "address.street", .autocomplete = "street-address"},
      {.member = "wishes", .control = eider::Control::textarea, .rows = 4}};

  void check(eider::ValidationErrors& errors) const {
    if (to && *to < from) {
      errors.add(to, "must not be before the first day");
    }
  }
};

struct StayPage {
  std::vector<eider::Flash> messages;
  eider::FormView form;
};

}  // namespace booking
