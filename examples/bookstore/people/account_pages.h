// The pages for login, logout and the user's account.
// Layering: must not know the layout; pages/*.html does.
#pragma once

#include <eider/eider.h>
#include <eider/forms.h>
#include <eider/views.h>

#include <chrono>
#include <string>
#include <vector>

#include "people/account_forms.h"
#include "people/user.h"
#include "site/frame.h"

namespace bookstore {

struct LoginForm {
  SomeText email;
  SomeText password;
  std::string next = "/";

  static constexpr eider::FieldText kFormFields[] = {
      {.member = "email", .label = "Email address", .autocomplete = "username"},
      {.member = "password",
       .control = eider::Control::password,
       .autocomplete = "current-password"},
      {.member = "next", .control = eider::Control::hidden}};
};

/// openid  name of the OpenID provider; empty: none
struct LoginPage {
  Frame frame;
  eider::FormView form;
  std::string openid;
};

/// A passkey in the list of the account.
struct PasskeyShown {
  std::string id;
  std::chrono::sys_seconds added;
};

struct AccountPage {
  Frame frame;
  User user;
  std::vector<PasskeyShown> passkeys;
};

/// Adds /login, /logout, /account.
///
/// few  limits the number of attempts
void add_account_pages(eider::Routes& app, const eider::ClientHook& few);

}  // namespace bookstore
