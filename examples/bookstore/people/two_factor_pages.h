// The second step of a login, and the pages on which users turn it on and off.
// Layering: must not check codes; accounts do.
#pragma once

#include <eider/accounts.h>
#include <eider/eider.h>
#include <eider/forms.h>
#include <eider/views.h>

#include <string>
#include <vector>

#include "people/account_forms.h"
#include "site/frame.h"

namespace bookstore {

using TypedCode = eider::Sized<std::string, 1, 64>;

struct CodeForm {
  TypedCode code;
  std::string next = "/";

  static constexpr eider::FieldText kFormFields[] = {
      {.member = "code",
       .label = "Code",
       .hint = "Six digits from your authenticator app, or a recovery code",
       .autocomplete = "one-time-code"},
      {.member = "next", .control = eider::Control::hidden}};
};

struct SetupForm {
  eider::Sized<std::string, 1, 1000> setup;
  TypedCode code;

  static constexpr eider::FieldText kFormFields[] = {
      {.member = "setup", .control = eider::Control::hidden},
      {.member = "code",
       .label = "Code",
       .hint = "Six digits that the app shows now",
       .autocomplete = "one-time-code"}};
};

/// qr, secret, form  for the setup; empty if it is on
/// codes             recovery codes that were just created
struct TwoFactorPage {
  Frame frame;
  bool is_offered = false;
  bool is_on = false;
  int codes_left = 0;
  eider::Markup qr = {};
  std::string secret = {};
  eider::FormView form = {};
  eider::RecoveryCodes codes = {};
};

/// Adds /two-factor, /account/two-factor and the routes below it.
///
/// few  limits the number of attempts
void add_two_factor_pages(eider::Routes& app, const eider::ClientHook& few);

}  // namespace bookstore
