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

/// email  address of the account; empty if the link is no longer valid
struct LoginLinkPage {
  Frame frame;
  std::string email = {};
  eider::FormView form = {};
};

/// Adds /login/mail and /login/link.
///
/// few  limits the number of attempts
void add_login_link_pages(eider::Routes& app, const eider::ClientHook& few);

}  // namespace bookstore
