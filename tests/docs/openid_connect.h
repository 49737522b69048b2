// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::openid_connect_page {

struct Visit {
  std::string id_token;
};
struct Profile {
  std::string email;
  bool email_verified = false;
};
struct Known {
  std::string key;
};
struct People {
  Task<Result<Known>> find_or_add(std::string issuer, std::string subject, Profile profile);
};
struct GithubUser {
  std::int64_t id;
  std::string login;
};
extern OAuthOptions options;
extern const OAuthLogin login;
extern const OAuthTokens kept;
std::string page_of(OAuthFault fault);

}  // namespace docs::openid_connect_page
