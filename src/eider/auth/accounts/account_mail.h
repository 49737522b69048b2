// The mails that accounts send, with their default texts.
// Layering: must not send anything.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "eider/auth/mail/mail.h"
#include "eider/io/runtime/time.h"

namespace eider {

enum class AccountMailKind : std::uint8_t {
  confirm,                  // the link leads to a page that sets a password and creates the account
  already_registered,       // sign-up with an address that already has an account
  reset,                    // the link leads to a page that sets a new password
  password_changed,         // a notice to the owner
  confirm_address,          // the link sets this address for the account
  address_changed,          // a notice to the old address
  passkey_added,            // a notice to the owner
  provider_linked,          // a notice to the owner
  log_in,                   // the link logs in, after its button is pressed
  two_factor_on,            // a notice to the owner
  two_factor_off,           // a notice to the owner
  recovery_code_used,       // a notice to the owner
  recovery_codes_replaced,  // a notice to the owner
  api_key_added,            // a notice to the owner
};

/// A mail to be written.
///
/// to        recipient
/// link      URL with the token, if there is one: "https://shop.example/reset#…"
/// within    validity of the link
/// language  language of the request, for example "de"; empty if unknown
struct AccountMail {
  AccountMailKind kind;
  std::string to;
  std::string link = {};
  Duration within = Duration::zero();
  std::string language = {};
};

/// Returns the translation of an English text, for example with a Translator. The placeholder
/// "{within}" must stay.
using AccountTranslator = std::function<std::string(std::string_view english)>;

/// Returns the default mail, without HTML.
///
/// name   name of the service, as users know it
/// words  null: English
[[nodiscard]] Mail plain_account_mail(const AccountMail& letter, const MailAddress& from,
                                      const std::string& name, const AccountTranslator& words = {});

}  // namespace eider
