// E-mail over SMTP, and an outbox that survives a crash.
// Component: mail. Guide: docs/guides/users/email.md.
#pragma once

#include "eider/auth/mail/mail.h"
#include "eider/auth/mail/mail_transport.h"
#include "eider/auth/mail/outbox.h"
#include "eider/auth/mail/smtp.h"
