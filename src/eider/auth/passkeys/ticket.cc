#include "eider/auth/passkeys/ticket.h"

#include <utility>

#include "eider/core/base/base64.h"
#include "eider/core/base/sha256.h"
#include "eider/core/base/text.h"
#include "eider/core/json/json.h"

namespace eider::detail::passkeys {

namespace {

std::unexpected<PasskeyError> bad_ticket(const char* text) {
  return fail(PasskeyError{PasskeyFault::bad_ticket, text});
}

}  // namespace

TicketSeal::TicketSeal(std::string_view space, std::vector<std::string> keys)
    : seal_("passkeys", std::string("eider passkeys\n").append(space), std::move(keys)) {}

std::string TicketSeal::seal(const Ticket& ticket) const {
  return seal_.seal(json::to_text(ticket));
}

Result<Ticket, PasskeyError> TicketSeal::open(std::string_view text, CeremonyKind kind,
                                              std::string_view browser, std::int64_t now) const {
  const auto plain = seal_.open(text);
  auto ticket = plain ? json::read<Ticket>(*plain) : fail(Error::bad_request(""));
  if (!ticket) {
    return bad_ticket("its ticket was not issued by this server");
  }
  if (ticket->kind != kind) {
    return bad_ticket("its ticket was issued for another purpose");
  }
  if (!equals_in_constant_time(ticket->browser, digest_of(browser))) {
    return bad_ticket("its ticket belongs to another browser");
  }
  if (now >= ticket->ends) {
    return fail(PasskeyError{PasskeyFault::expired, "its ticket has expired"});
  }
  return std::move(*ticket);
}

std::string digest_of(std::string_view text) {
  return to_base64url(to_view(sha256(text)));
}

}  // namespace eider::detail::passkeys
