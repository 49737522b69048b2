// The mails that accounts send: what each is about, and its words where an application has none.
// Must not send anything.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "eider/auth/mail/mail.h"
#include "eider/io/runtime/time.h"

namespace eider {

enum class AccountLetterKind : std::uint8_t {
  confirm,           // the link leads to a password, and so makes the account
  already_there,     // somebody wants an account with an address that has one
  reset,             // the link leads to a new password
  password_changed,  // a notice to the owner
  confirm_address,   // the link makes this the account's address
  address_changed,   // a notice to the old address
  passkey_added,     // a notice to the owner
  provider_linked,   // likewise
};

/// One mail to be written.
///
/// to        whom it goes to
/// link      with its token, where it has one: "https://shop.example/reset#…"
/// within    for how long the link is good
/// language  that it was asked for in: "de"; empty where nobody said one
struct AccountLetter {
  AccountLetterKind kind;
  std::string to;
  std::string link = {};
  Duration within = Duration::zero();
  std::string language = {};
};

/// What an English text is in the letter's language, such as a Translator. Texts have "{within}",
/// which stays.
using AccountWords = std::function<std::string(std::string_view english)>;

/// Without HTML.
///
/// name   of the service, as people know it
/// words  null: English
[[nodiscard]] Mail plain_account_mail(const AccountLetter& letter, const MailAddress& from,
                                      const std::string& name, const AccountWords& words = {});

}  // namespace eider
