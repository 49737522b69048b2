// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::email_page {

struct NewOrder {
  std::string email;
};
struct OrderMail {
  std::string name;
};
extern const NewOrder order;
App make_app(Database database, std::shared_ptr<KeptMails> mails);

}  // namespace docs::email_page
