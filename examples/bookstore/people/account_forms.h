// The forms of an account: sign-up, and changes of password and address.
// Layering: must not process the forms; accounts and handlers do.
#pragma once

#include <eider/eider.h>
#include <eider/forms.h>
#include <eider/views.h>

#include <string>

#include "site/frame.h"

namespace bookstore {

inline constexpr std::size_t kPasswordBytesMin = 10;

using NewPassword = eider::Sized<std::string, kPasswordBytesMin, 200>;
using SomeText = eider::Sized<std::string, 1, 254>;

struct EmailForm {
  eider::Email email;

  static constexpr eider::FieldText kFormFields[] = {
      {.member = "email", .label = "Email address", .autocomplete = "username"}};
};

inline constexpr eider::FieldText kNewPassword{.member = "password",
                                               .hint = "Ten characters or more.",
                                               .control = eider::Control::password,
                                               .autocomplete = "new-password"};
/// The script reads it from the URL.
inline constexpr eider::FieldText kToken{
    .member = "token", .label = "Code", .hint = "Code from the link (after #)"};

struct ConfirmForm {
  eider::Sized<std::string, 1, 80> name;
  NewPassword password;
  SomeText token;

  static constexpr eider::FieldText kFormFields[] = {kNewPassword, kToken};
};

struct ResetForm {
  NewPassword password;
  SomeText token;

  static constexpr eider::FieldText kFormFields[] = {kNewPassword, kToken};
};

struct PasswordForm {
  SomeText old_password;
  NewPassword password;

  static constexpr eider::FieldText kFormFields[] = {{.member = "old_password",
                                                      .control = eider::Control::password,
                                                      .autocomplete = "current-password"},
                                                     kNewPassword};
};

struct AddressForm {
  eider::Email email;
  SomeText password;

  static constexpr eider::FieldText kFormFields[] = {{.member = "email", .label = "Email address"},
                                                     {.member = "password",
                                                      .control = eider::Control::password,
                                                      .autocomplete = "current-password"}};
};

struct TokenForm {
  SomeText token;

  static constexpr eider::FieldText kFormFields[] = {kToken};
};

/// A page with only a form.
struct FormPage {
  Frame frame;
  std::string title;
  eider::FormView form;
};

/// Adds /signup, /confirm, /forgotten, /reset, /password, /new-address, /address.
///
/// few  limits the number of attempts
void add_account_forms(eider::Routes& app, const eider::ClientHook& few);

}  // namespace bookstore
