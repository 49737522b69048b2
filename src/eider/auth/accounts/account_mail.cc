#include "eider/auth/accounts/account_mail.h"

#include <string_view>

namespace eider {

namespace {

/// to_do  instruction for the link, if the mail has one
struct Texts {
  std::string_view subject;
  std::string_view text;
  std::string_view to_do = {};
};

Texts texts_of(AccountMailKind kind) {
  switch (kind) {
    case AccountMailKind::confirm:
      return {"Confirm your address",
              "Someone, probably you, requested an account with this address.",
              "Open this page and choose your password:"};
    case AccountMailKind::already_registered:
      return {"You already have an account",
              "Someone, probably you, requested an account with this address, which already "
              "has\none. Log in, or request a new password if you have forgotten yours."};
    case AccountMailKind::reset:
      return {"Choose a new password", "Someone, probably you, requested a new password.",
              "Open this page and choose a new password:"};
    case AccountMailKind::password_changed:
      return {"Your password was changed",
              "The password of your account was changed, and all devices were logged out.\nIf you "
              "did not do this, request a new password immediately."};
    case AccountMailKind::confirm_address:
      return {"Confirm your new address",
              "Someone, probably you, wants to use this address for an account.",
              "Log in to that account, open this page, and press its button:"};
    case AccountMailKind::address_changed:
      return {"Your address was changed",
              "The address of your account was changed. New mails are sent to the new address.\nIf "
              "you did not do this, contact the operators of the service immediately."};
    case AccountMailKind::passkey_added:
      return {"A passkey was added",
              "Someone, probably you, added a passkey to your account and can now log in with "
              "it.\nIf you did not do this, remove the passkey and choose a new password."};
    case AccountMailKind::provider_linked:
      return {"A login with another service was added",
              "Someone, probably you, logged in to your account through another service, "
              "which\nconfirmed this address. Logins through that service are now possible. If you "
              "did\nnot do this, contact the operators of this service immediately."};
    case AccountMailKind::log_in:
      return {"Log in", "Someone, probably you, wants to log in with this address.",
              "Open this page and press its button:"};
    case AccountMailKind::two_factor_on:
      return {"Two-factor authentication was turned on",
              "From now on, logins to your account need a code of an authenticator app.\nIf you "
              "did not do this, contact the operators of the service immediately."};
    case AccountMailKind::two_factor_off:
      return {"Two-factor authentication was turned off",
              "Logins to your account no longer need a code.\nIf you did not do this, choose a new "
              "password and turn it on again."};
    case AccountMailKind::recovery_code_used:
      return {"A recovery code was used",
              "A recovery code was used to log in to your account. It is not valid any more.\nIf "
              "you did not do this, choose a new password immediately."};
    case AccountMailKind::recovery_codes_replaced:
      return {"Your recovery codes were replaced",
              "Someone, probably you, created new recovery codes for your account. The previous "
              "codes are\nnot valid any more. If you did not do this, choose a new password, and "
              "create new\ncodes immediately."};
    case AccountMailKind::api_key_added:
      return {"An API key was created",
              "Someone, probably you, created an API key. Programs can use your account with it.\n"
              "If you did not do this, revoke the key and choose a new password immediately."};
  }
  return {};
}

std::string length_of(Duration within) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(within).count();
  if (seconds % 3600 == 0) {
    return std::to_string(seconds / 3600) + " h";
  }
  return seconds % 60 == 0 ? std::to_string(seconds / 60) + " min" : std::to_string(seconds) + " s";
}

/// Returns the text with the duration instead of the placeholder.
std::string text_of_end(std::string text, Duration within) {
  constexpr std::string_view kWithin = "{within}";
  if (const std::size_t at = text.find(kWithin); at != std::string::npos) {
    text.replace(at, kWithin.size(), length_of(within));
  }
  return text;
}

}  // namespace

Mail plain_account_mail(const AccountMail& letter, const MailAddress& from, const std::string& name,
                        const AccountTranslator& words) {
  const auto say = [&words](std::string_view english) {
    return words ? words(english) : std::string(english);
  };
  const Texts texts = texts_of(letter.kind);
  Mail mail{.from = from, .to = {letter.to}};
  mail.subject = (name.empty() ? "" : name + ": ") + say(texts.subject);
  mail.text = say(texts.text) + "\n";
  if (!letter.link.empty()) {
    mail.text +=
        "\n" + say(texts.to_do) + "\n\n" + letter.link + "\n\n" +
        text_of_end(
            say("This link is valid for {within}. If you did not request it, ignore this message."),
            letter.within) +
        "\n";
  }
  return mail;
}

}  // namespace eider
