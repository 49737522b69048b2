// The page for API keys, with which programs use the API in the name of a user.
// Layering: must not check keys; the library does.
#pragma once

#include <eider/accounts.h>
#include <eider/apikeys.h>
#include <eider/eider.h>
#include <eider/forms.h>
#include <eider/views.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "site/frame.h"

namespace bookstore {

struct KeyForm {
  eider::Sized<std::string, 1, 100> name;
  bool reads_orders = true;
  bool places_orders = false;
  bool writes_books = false;
  eider::Bounded<int, 0, 365> days = 90;

  static constexpr eider::FieldText kFormFields[] = {
      {.member = "name", .label = "Name", .hint = "For example the program that will use it"},
      {.member = "reads_orders", .label = "May read your orders"},
      {.member = "places_orders", .label = "May place orders"},
      {.member = "writes_books", .label = "May change books (staff only)"},
      {.member = "days", .label = "Days", .hint = "How long it is valid; 0: unlimited"}};
};

struct KeyShown {
  std::string id;
  std::string name;
  std::string hint;
  std::string scopes;
  std::chrono::sys_seconds created;
  std::optional<std::chrono::sys_seconds> used;
  std::optional<std::chrono::sys_seconds> expires;
};

/// secret  of a key that was just created; otherwise empty
struct KeysPage {
  Frame frame;
  std::string secret;
  std::vector<KeyShown> keys;
  eider::FormView form;
};

/// accounts  to inform owners of new keys; set later, but before the first request
[[nodiscard]] eider::ApiKeyOptions api_key_options(std::shared_ptr<eider::Accounts*> accounts);

/// Adds /account/api-keys and the routes below it.
void add_api_key_pages(eider::Routes& app);

}  // namespace bookstore
