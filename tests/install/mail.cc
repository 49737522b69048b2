// Writes a mail and creates an SMTP transport with the installed package.
#include <eider/eider.h>
#include <eider/mail.h>

int main() {
  const auto server = eider::smtp({.url = "smtp://localhost:25"});
  const eider::Mail mail{.from = {"no-reply@shop.example", "Shop"},
                         .to = {"ann@example.org"},
                         .subject = "Hello",
                         .text = "Hello!\n"};
  const auto message = eider::write_message(mail, 0);
  return server != nullptr && message && eider::text_of(*message) == "Hello!\n" ? 0 : 1;
}
