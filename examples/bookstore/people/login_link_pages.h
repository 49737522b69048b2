// Logins by a link in a mail.
// Layering: must not send mails; accounts do.
#pragma once

#include <eider/eider.h>
#include <eider/forms.h>
#include <eider/views.h>

#include <string>

#include "people/account_forms.h"
#include "site/frame.h"

namespace bookstore {

struct LinkForm {
  SomeText link;

  static constexpr eider::FieldText kFormFields[] = {
      {.member = "link", .control = eider::Control::hidden}};
};

/// email  whose account it is; empty if the link is not valid any more
struct LoginLinkPage {
  Frame frame;
  std::string email = {};
  eider::FormView form = {};
};

/// /login/mail, /login/link.
///
/// few  what keeps people from trying too often
void add_login_link_pages(eider::Routes& app, const eider::ClientHook& few);

}  // namespace bookstore
