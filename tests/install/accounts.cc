// The text of a mail that accounts of the installed package send.
#include <eider/accounts.h>

int main() {
  eider::AccountMail letter{.kind = eider::AccountMailKind::reset, .to = "ann@example.org"};
  letter.link = "https://shop.example/reset#token";
  letter.within = std::chrono::hours(1);
  const eider::Mail mail = eider::plain_account_mail(letter, "no-reply@shop.example", "Shop");
  // Uses a function of the library, so that all its dependencies are linked.
  decltype(&eider::add_accounts) volatile add = &eider::add_accounts;
  return mail.text.contains("#token") && add != nullptr ? 0 : 1;
}
