// Creates the application, for main and for tests.
// Layering: must not open sockets or files.
#pragma once

#include <eider/database.h>
#include <eider/eider.h>
#include <eider/mail.h>
#include <eider/passwords.h>

#include <string>

#include "settings.h"

namespace bookstore {

/// Adds all parts to the app.
///
/// mails  null: as in the settings
void add_bookstore(eider::App& app, const Settings& settings, eider::Database database,
                   eider::PasswordOptions passwords = {},
                   std::shared_ptr<eider::MailTransport> mails = {});

/// The OpenAPI document of the API, for --openapi.
[[nodiscard]] std::string api_document();

}  // namespace bookstore
