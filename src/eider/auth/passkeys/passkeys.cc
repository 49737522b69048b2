#include "eider/auth/passkeys/passkeys.h"

#include <stdexcept>
#include <utility>

#include "eider/auth/passkeys/relying_party.h"
#include "eider/io/runtime/loop.h"

namespace eider {

namespace {

std::int64_t clock_s() {
  return Loop::current().wall_seconds();
}

int status_of(PasskeyFault fault) noexcept {
  switch (fault) {
    case PasskeyFault::malformed:
    case PasskeyFault::bad_ticket:
    case PasskeyFault::expired:
    case PasskeyFault::used:
    case PasskeyFault::wrong_type:
    case PasskeyFault::wrong_challenge:
    case PasskeyFault::bad_key:
      return 400;
    case PasskeyFault::unknown:
    case PasskeyFault::wrong_user:
    case PasskeyFault::bad_signature:
    case PasskeyFault::bad_flags:
    case PasskeyFault::counter_not_increased:
      return 401;
    case PasskeyFault::wrong_origin:
    case PasskeyFault::cross_origin:
    case PasskeyFault::wrong_relying_party:
    case PasskeyFault::not_present:
    case PasskeyFault::not_verified:
    case PasskeyFault::bad_attestation:
      return 403;
    case PasskeyFault::already_known:
      return 409;
    case PasskeyFault::busy:
      return 503;
  }
  return 400;
}

const char* detail_of(int status) noexcept {
  switch (status) {
    case 401:
      return "This passkey is not known to this service.";
    case 403:
      return "This passkey cannot be used here.";
    case 409:
      return "This passkey is already registered.";
    case 503:
      return "Too many users are logging in at the moment. Try again later.";
    default:
      return "The response of this passkey is incomplete or too late. Try again, or use another "
             "passkey or browser.";
  }
}

}  // namespace

Error to_error(const PasskeyError& error) {
  const int status = status_of(error.fault);
  return Error(status, detail_of(status)).because("a passkey was rejected: " + error.text);
}

Passkeys::Passkeys(PasskeyOptions options)
    : party_(std::make_shared<detail::passkeys::RelyingParty>(std::move(options))) {}

const PasskeyOptions& Passkeys::options() const noexcept {
  return party_->options();
}

std::string Passkeys::begin_registration(const PasskeyUser& user, std::string_view browser,
                                         const std::vector<Passkey>& known) const {
  return party_->begin_registration(user, browser, known, clock_s());
}

Result<PasskeyRegistration, PasskeyError> Passkeys::finish_registration(
    std::string_view json, std::string_view browser) const {
  return party_->finish_registration(json, browser, clock_s());
}

std::string Passkeys::begin_login(std::string_view browser) const {
  return party_->begin_login("", browser, {}, clock_s());
}

std::string Passkeys::begin_login_of(const std::string& user_key, std::string_view browser,
                                     const std::vector<Passkey>& known) const {
  if (user_key.empty()) {
    throw std::invalid_argument("use begin_login for a login without a user");
  }
  return party_->begin_login(user_key, browser, known, clock_s());
}

Task<Result<PasskeyLogin, PasskeyError>> Passkeys::finish_login(std::string json,
                                                                std::string browser,
                                                                Find find) const {
  const auto party = party_;
  const auto opened = party->open_login(json, browser, clock_s());
  if (!opened) {
    co_return fail(opened.error());
  }
  auto passkey = co_await find(opened->response.id);
  if (!passkey) {
    co_return fail(PasskeyError{PasskeyFault::unknown, "the passkey is unknown"});
  }
  co_return party->finish_login(*opened, std::move(*passkey), clock_s());
}

}  // namespace eider
