// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::accounts_page {

struct Visit {
  std::string language;
};
struct Login {
  std::string email;
  std::string password;
};
struct ResetMail {
  std::string link;
};
extern AccountsOptions options;
extern const std::shared_ptr<KeptMails> mails;
std::vector<int> orders_of(const std::string& account);

}  // namespace docs::accounts_page
