#include "eider/auth/accounts/account_letter.h"

#include <string_view>

namespace eider {

namespace {

/// to_do  with the link, where the letter has one
struct Texts {
  std::string_view subject;
  std::string_view text;
  std::string_view to_do = {};
};

Texts texts_of(AccountLetterKind kind) {
  switch (kind) {
    case AccountLetterKind::confirm:
      return {"Confirm your address",
              "Somebody, most likely you, wants an account with this address.",
              "Open this page, and choose your password there:"};
    case AccountLetterKind::already_there:
      return {"You have an account already",
              "Somebody, most likely you, wants an account with this address, which has one\n"
              "already. Log in, or ask for a new password if you have forgotten yours."};
    case AccountLetterKind::reset:
      return {"Choose a new password", "Somebody, most likely you, has asked for a new password.",
              "Open this page, and choose it there:"};
    case AccountLetterKind::password_changed:
      return {"Your password was changed",
              "The password of your account was changed just now, and all devices were logged\n"
              "out. If that was not you, ask for a new password at once."};
    case AccountLetterKind::confirm_address:
      return {"Confirm your new address",
              "Somebody, most likely you, wants this to be the address of an account.",
              "Open this page where you are logged in to that account, and press its button:"};
    case AccountLetterKind::address_changed:
      return {"Your address was changed",
              "Your account has another address now, and mails go there. If that was not you,\n"
              "tell those who run the service at once."};
    case AccountLetterKind::passkey_added:
      return {"A passkey was added",
              "Somebody, most likely you, has added a passkey to your account, and can log in by\n"
              "it from now on. If that was not you, remove it, and choose a new password."};
    case AccountLetterKind::provider_linked:
      return {"A login by another service was added",
              "Somebody, most likely you, has logged in to your account by another service, which\n"
              "says that this address is theirs, and can do so from now on. If that was not you,\n"
              "tell those who run this service at once."};
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

/// With the time in its place.
std::string text_of_end(std::string text, Duration within) {
  constexpr std::string_view kWithin = "{within}";
  if (const std::size_t at = text.find(kWithin); at != std::string::npos) {
    text.replace(at, kWithin.size(), length_of(within));
  }
  return text;
}

}  // namespace

Mail plain_account_mail(const AccountLetter& letter, const MailAddress& from,
                        const std::string& name, const AccountWords& words) {
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
        text_of_end(say("It is good for {within}. If it was not you, do nothing."), letter.within) +
        "\n";
  }
  return mail;
}

}  // namespace eider
