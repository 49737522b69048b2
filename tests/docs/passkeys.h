// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::passkeys_page {

struct Visit {
  std::string language;
};
struct People {};
extern People* people;
extern const PasskeySite site;
extern const std::string json, browser;
extern const std::vector<Passkey> known;
extern const Passkeys::Find find;

}  // namespace docs::passkeys_page
