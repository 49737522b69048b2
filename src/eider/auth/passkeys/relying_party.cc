#include "eider/auth/passkeys/relying_party.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <utility>

#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/sha256.h"
#include "eider/core/base/text.h"
#include "eider/core/json/json.h"
#include "eider/core/json/members.h"
#include "eider/core/reflect/type_of.h"
#include "eider/protocols/http/http_url.h"

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

namespace {

constexpr std::size_t kClientDataBytesMax = std::size_t{16} << 10U;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::unexpected<PasskeyError> refuse(PasskeyFault fault, std::string text) {
  return fail(PasskeyError{fault, std::move(text)});
}

/// Quotes untrusted text for logs, shortened to fit on a line.
std::string printable_quoted(std::string_view text) {
  constexpr std::size_t kShownMax = 200;
  std::string shown("'");
  for (const char one : text.substr(0, kShownMax)) {
    shown += one >= ' ' && one <= '~' ? one : '?';
  }
  return shown + "'";
}

Result<void, PasskeyError> check_frames(const json::Value& data,
                                        const ExpectedClientData& expected) {
  const json::Value* crossing = data.find("crossOrigin");
  const json::Value* top = data.find("topOrigin");
  if ((crossing != nullptr && !crossing->is_bool()) || (top != nullptr && !top->is_string())) {
    return refuse(PasskeyFault::malformed, "its client data has a member of the wrong type");
  }
  const bool is_crossing = crossing != nullptr && crossing->boolean();
  if (!is_crossing && top == nullptr) {
    return {};
  }
  if (top == nullptr ||
      std::ranges::find(expected.top_origins, top->text()) == expected.top_origins.end()) {
    return refuse(PasskeyFault::cross_origin, "it was created in a frame of a page of " +
                                                  (top == nullptr ? std::string("an unknown origin")
                                                                  : printable_quoted(top->text())));
  }
  return {};
}

}  // namespace

Result<void, PasskeyError> check_client_data(std::string_view text,
                                             const ExpectedClientData& expected) {
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  const auto data = json::read_object(text, json_limits(kClientDataBytesMax));
  const auto type = data ? json::text_member(*data, "type") : std::nullopt;
  const auto challenge = data ? json::text_member(*data, "challenge") : std::nullopt;
  const auto origin = data ? json::text_member(*data, "origin") : std::nullopt;
  if (!type || !challenge || !origin) {
    return refuse(PasskeyFault::malformed, "its client data cannot be read");
  }
  if (*type != expected.type) {
    return refuse(PasskeyFault::wrong_type, "it was created for " + printable_quoted(*type));
  }
  if (!equals_in_constant_time(*challenge, expected.challenge)) {
    return refuse(PasskeyFault::wrong_challenge, "it has the wrong challenge");
  }
  if (std::ranges::find(expected.origins, *origin) == expected.origins.end()) {
    return refuse(PasskeyFault::wrong_origin,
                  "it was created on a page of " + printable_quoted(*origin));
  }
  return check_frames(*data, expected);
}

namespace {

constexpr std::size_t kChallengeBytes = 32;
constexpr std::size_t kUserHandleBytes = 32;
/// More logins than a person can do while a ticket is valid.
constexpr std::size_t kLoginsOfUserMax = 256;
/// Maximum number of passkeys of one user in a ticket.
constexpr std::size_t kKnownMax = 64;

std::unexpected<PasskeyError> refuse(PasskeyFault fault, const char* text) {
  return fail(PasskeyError{fault, text});
}

Failure bad_options(const std::string& text) {
  return Failure(Error::internal("passkeys: " + text));
}

/// Returns whether the text is a domain as browsers write it, without scheme, port or path. An IP
/// address is not valid (section 5.1.2).
bool is_domain(std::string_view text) {
  const bool has_letters = std::ranges::all_of(text, [](char one) {
    return (one >= 'a' && one <= 'z') || (one >= '0' && one <= '9') || one == '.' || one == '-';
  });
  const std::string_view last = text.substr(text.rfind('.') + 1);
  return has_letters && !last.empty() && !text.starts_with('.') && !text.contains("..") &&
         !std::ranges::all_of(last, [](char one) { return one >= '0' && one <= '9'; });
}

bool is_within(std::string_view host, std::string_view domain) {
  return host == domain || (host.ends_with(domain) && host[host.size() - domain.size() - 1] == '.');
}

/// Returns whether the text is the origin of an Android app.
bool is_android(std::string_view text) {
  return text.starts_with("android:apk-key-hash:");
}

/// Rejects origins that can never match: browsers normalize origins, and support passkeys only on
/// some of them.
void check_origin(const std::string& origin) {
  const auto url = http::read_http_url(origin);
  if (!url) {
    throw bad_options("an origin must look like https://example.com, not '" + origin + "'");
  }
  if (url->origin() != origin) {
    throw bad_options("the origin '" + origin + "' must be written as browsers write it: '" +
                      url->origin() + "'");
  }
  if (!url->is_secure && !is_within(url->host, "localhost")) {
    throw bad_options("browsers support passkeys on https:// and http://localhost, not on '" +
                      origin + "'");
  }
}

void check_own_origin(const std::string& origin, const std::string& domain) {
  check_origin(origin);
  const std::string host = http::read_http_url(origin)->host;
  if (!is_within(host, domain)) {
    throw bad_options("the `relying_party_id` '" + domain +
                      "' covers only this domain and its subdomains, not '" + origin +
                      "'. Use a domain that contains all origins.");
  }
}

PasskeyOptions checked(PasskeyOptions options) {
  if (!is_domain(options.relying_party_id)) {
    throw bad_options("`relying_party_id` must be a domain such as example.com, not '" +
                      options.relying_party_id + "'");
  }
  if (options.origins.empty() || options.algorithms.empty() || options.logins_max == 0) {
    throw bad_options("`origins`, `algorithms` and `logins_max` must not be empty");
  }
  for (const std::string& origin : options.origins) {
    if (!is_android(origin)) {
      check_own_origin(origin, options.relying_party_id);
    }
  }
  std::ranges::for_each(options.top_origins, &check_origin);
  if (options.lifetime < std::chrono::seconds(1)) {
    throw bad_options("`lifetime` must be at least 1 second");
  }
  if (options.name.empty()) {
    options.name = options.relying_party_id;
  }
  return options;
}

CoseAlgorithm cose_of(PasskeyAlgorithm algorithm) noexcept {
  switch (algorithm) {
    case PasskeyAlgorithm::es256:
      return CoseAlgorithm::es256;
    case PasskeyAlgorithm::eddsa:
      return CoseAlgorithm::eddsa;
    case PasskeyAlgorithm::rs256:
      return CoseAlgorithm::rs256;
  }
  return CoseAlgorithm::es256;
}

json::Value words_of(std::string_view text) {
  json::Value words = json::array({});
  while (!text.empty()) {
    words.push_back(take_until(text, " "));
  }
  return words;
}

json::Value descriptors_of(const std::vector<Passkey>& known) {
  json::Value list = json::array({});
  for (const Passkey& passkey : known) {
    json::Value& one = list.push_back(json::object({{"type", "public-key"}, {"id", passkey.id}}));
    if (!passkey.transports.empty()) {
      one["transports"] = words_of(passkey.transports);
    }
    if (list.size() == kKnownMax) {
      break;
    }
  }
  return list;
}

std::string beginning(json::Value options, std::string ticket) {
  return json::to_text(
      json::object({{"publicKey", std::move(options)}, {"ticket", std::move(ticket)}}));
}

std::int64_t milliseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

}  // namespace

RelyingParty::RelyingParty(PasskeyOptions options)
    : options_(checked(std::move(options))),
      party_hash_(to_view(sha256(options_.relying_party_id))),
      roots_(options_.attestation_roots.empty() ? AttestationRoots()
                                                : AttestationRoots(options_.attestation_roots)),
      lifetime_s_(std::chrono::duration_cast<std::chrono::seconds>(options_.lifetime).count()),
      seal_(options_.relying_party_id, options_.keys),
      logged_in_(options_.logins_max, kLoginsOfUserMax) {}

Ticket RelyingParty::new_ticket(CeremonyKind kind, std::string_view browser,
                                std::int64_t now) const {
  return {.kind = kind,
          .challenge = to_base64url(secret_bytes(kChallengeBytes)),
          .ends = now + lifetime_s_,
          .browser = digest_of(browser)};
}

std::string RelyingParty::begin_registration(const PasskeyUser& user, std::string_view browser,
                                             const std::vector<Passkey>& known,
                                             std::int64_t now) const {
  if (user.key.empty() || user.name.empty()) {
    throw std::invalid_argument("a passkey needs a user with a key and a name");
  }
  Ticket ticket = new_ticket(CeremonyKind::registration, browser, now);
  ticket.user = user;
  ticket.handle =
      known.empty() ? to_base64url(secret_bytes(kUserHandleBytes)) : known.front().user_handle;
  json::Value parameters = json::array({});
  for (const PasskeyAlgorithm algorithm : options_.algorithms) {
    parameters.push_back(json::object(
        {{"type", "public-key"}, {"alg", static_cast<std::int64_t>(cose_of(algorithm))}}));
  }
  const std::string& shown = user.display_name.empty() ? user.name : user.display_name;
  const char* const resident = options_.requires_discoverable ? "required" : "preferred";
  json::Value options = json::object(
      {{"rp", json::object({{"id", options_.relying_party_id}, {"name", options_.name}})},
       {"user", json::object({{"id", ticket.handle}, {"name", user.name}, {"displayName", shown}})},
       {"challenge", ticket.challenge},
       {"pubKeyCredParams", std::move(parameters)},
       {"timeout", milliseconds(options_.lifetime)},
       {"excludeCredentials", descriptors_of(known)},
       {"authenticatorSelection",
        json::object({{"residentKey", resident},
                      {"requireResidentKey", options_.requires_discoverable},
                      {"userVerification", reflect::enumerator_name(options_.user_verification)}})},
       {"attestation", roots_.is_empty() ? "none" : "direct"}});
  return beginning(std::move(options), seal_.seal(ticket));
}

std::string RelyingParty::begin_login(const std::string& user_key, std::string_view browser,
                                      const std::vector<Passkey>& known, std::int64_t now) const {
  Ticket ticket = new_ticket(CeremonyKind::login, browser, now);
  ticket.user.key = user_key;
  if (!user_key.empty()) {
    ticket.allowed.emplace();  // an empty list accepts no passkey
    for (const Passkey& passkey : known) {
      if (ticket.allowed->size() < kKnownMax) {
        ticket.allowed->push_back(digest_of(passkey.id));
      }
    }
  }
  json::Value options =
      json::object({{"challenge", ticket.challenge},
                    {"timeout", milliseconds(options_.lifetime)},
                    {"rpId", options_.relying_party_id},
                    {"allowCredentials", descriptors_of(known)},
                    {"userVerification", reflect::enumerator_name(options_.user_verification)}});
  return beginning(std::move(options), seal_.seal(ticket));
}

Result<void, PasskeyError> RelyingParty::check_client(const CredentialResponse& response,
                                                      const Ticket& ticket) const {
  const bool is_login = ticket.kind == CeremonyKind::login;
  return check_client_data(response.client_data,
                           {.type = is_login ? "webauthn.get" : "webauthn.create",
                            .challenge = ticket.challenge,
                            .origins = options_.origins,
                            .top_origins = options_.top_origins});
}

/// Checks relying party, presence, verification and flags: the same in both ceremonies.
Result<void, PasskeyError> RelyingParty::check_data(const AuthenticatorData& data) const {
  if (data.relying_party_hash != party_hash_) {
    return refuse(PasskeyFault::wrong_relying_party, "it was created for another relying party");
  }
  if (!data.is_present()) {
    return refuse(PasskeyFault::not_present, "user presence is missing");
  }
  if (options_.user_verification == UserVerification::required && !data.is_verified()) {
    return refuse(PasskeyFault::not_verified, "user verification is missing");
  }
  if (data.is_backed_up() && !data.is_backup_eligible()) {
    return refuse(PasskeyFault::bad_flags, "it is backed up, but not eligible for backup");
  }
  return {};
}

bool RelyingParty::is_allowed(CoseAlgorithm algorithm) const {
  return std::ranges::any_of(
      options_.algorithms, [algorithm](PasskeyAlgorithm one) { return cose_of(one) == algorithm; });
}

Result<Passkey, PasskeyError> RelyingParty::check_registration(const CredentialResponse& response,
                                                               std::int64_t now) const {
  const auto object = parse_attestation_object(response.data);
  if (!object) {
    return fail(object.error());
  }
  const auto data = parse_authenticator_data(object->data);
  if (!data) {
    return fail(data.error());
  }
  if (auto good = check_data(*data); !good) {
    return fail(std::move(good.error()));
  }
  if (!data->credential || to_base64url(data->credential->id) != response.id) {
    return refuse(PasskeyFault::malformed,
                  "its credential id does not match its authenticator data");
  }
  const auto key = parse_cose_key(data->credential->public_key);
  if (!key) {
    return fail(key.error());
  }
  if (!is_allowed(key->algorithm)) {
    return refuse(PasskeyFault::bad_key, "its algorithm was not offered");
  }
  const Sha256Digest hash = sha256(response.client_data);
  auto attestation = verify_attestation(
      {.object = *object, .data = *data, .key = *key, .client_hash = to_view(hash)}, roots_, now);
  if (!attestation) {
    return fail(std::move(attestation.error()));
  }
  if (!roots_.is_empty() && *attestation != "certified") {
    return refuse(PasskeyFault::bad_attestation, "its attestation is not trusted");
  }
  return Passkey{.id = response.id,
                 .user = {},
                 .user_handle = {},
                 .public_key = to_base64url(data->credential->public_key),
                 .counter = data->counter,
                 .is_backup_eligible = data->is_backup_eligible(),
                 .is_backed_up = data->is_backed_up(),
                 .is_verified = data->is_verified(),
                 .transports = response.transports,
                 .aaguid = aaguid_text(data->credential->aaguid),
                 .attestation = std::move(*attestation),
                 .created = now,
                 .used = now};
}

Result<PasskeyRegistration, PasskeyError> RelyingParty::finish_registration(
    std::string_view json, std::string_view browser, std::int64_t now) const {
  const auto response = parse_credential_response(json, CeremonyKind::registration);
  if (!response) {
    return fail(response.error());
  }
  auto ticket = seal_.open(response->ticket, CeremonyKind::registration, browser, now);
  if (!ticket) {
    return fail(std::move(ticket.error()));
  }
  if (auto good = check_client(*response, *ticket); !good) {
    return fail(std::move(good.error()));
  }
  auto passkey = check_registration(*response, now);
  if (!passkey) {
    return fail(std::move(passkey.error()));
  }
  passkey->user = ticket->user.key;
  passkey->user_handle = std::move(ticket->handle);
  return PasskeyRegistration{.user = std::move(ticket->user), .passkey = std::move(*passkey)};
}

Result<OpenLogin, PasskeyError> RelyingParty::open_login(std::string_view json,
                                                         std::string_view browser,
                                                         std::int64_t now) const {
  auto response = parse_credential_response(json, CeremonyKind::login);
  if (!response) {
    return fail(std::move(response.error()));
  }
  auto ticket = seal_.open(response->ticket, CeremonyKind::login, browser, now);
  if (!ticket) {
    return fail(std::move(ticket.error()));
  }
  if (ticket->allowed &&
      std::ranges::find(*ticket->allowed, digest_of(response->id)) == ticket->allowed->end()) {
    return refuse(PasskeyFault::wrong_user, "the passkey is not in the list of allowed passkeys");
  }
  if (ticket->user.key.empty() && !response->user_handle) {
    return refuse(PasskeyFault::malformed, "its user handle is missing");
  }
  return OpenLogin{std::move(*response), std::move(*ticket)};
}

Result<PasskeyLogin, PasskeyError> RelyingParty::finish_login(const OpenLogin& login,
                                                              Passkey passkey, std::int64_t now) {
  const auto& [response, ticket] = login;
  if (passkey.id != response.id || (!ticket.user.key.empty() && passkey.user != ticket.user.key) ||
      (response.user_handle && *response.user_handle != passkey.user_handle)) {
    return refuse(PasskeyFault::wrong_user, "it belongs to another user");
  }
  if (auto good = check_client(response, ticket); !good) {
    return fail(std::move(good.error()));
  }
  const auto data = parse_authenticator_data(response.data);
  if (!data) {
    return fail(data.error());
  }
  if (auto good = check_data(*data); !good) {
    return fail(std::move(good.error()));
  }
  if (data->is_backup_eligible() != passkey.is_backup_eligible) {
    return refuse(PasskeyFault::bad_flags, "its backup eligibility has changed");
  }
  const auto key_bytes = from_base64url(passkey.public_key);
  const auto key = parse_cose_key(key_bytes.value_or(""));
  if (!key) {
    return fail(key.error());
  }
  std::string signed_bytes = response.data;
  signed_bytes.append(to_view(sha256(response.client_data)));
  if (!verify_signature(key->algorithm, key->key.get(), signed_bytes, response.signature)) {
    return refuse(PasskeyFault::bad_signature, "its signature is invalid");
  }
  const bool went_back =
      (data->counter != 0 || passkey.counter != 0) && data->counter <= passkey.counter;
  if (went_back && options_.requires_counter_increase) {
    return refuse(PasskeyFault::counter_not_increased,
                  "its counter did not increase: the passkey may have been copied");
  }
  switch (logged_in_.use(ticket.challenge, passkey.user, now + lifetime_s_ - 1, now)) {
    case base::UsedTokens::Use::first:
      break;
    case base::UsedTokens::Use::again:
      return refuse(PasskeyFault::used, "its challenge was already used");
    case base::UsedTokens::Use::too_many:
      return refuse(PasskeyFault::busy, "too many challenges are in use");
    case base::UsedTokens::Use::too_many_of_owner:
      return refuse(PasskeyFault::busy, "one user has too many challenges in use");
  }
  passkey.counter = std::max<std::int64_t>(passkey.counter, data->counter);
  passkey.is_backed_up = data->is_backed_up();
  passkey.used = now;
  return PasskeyLogin{.passkey = std::move(passkey),
                      .is_verified = data->is_verified(),
                      .counter_not_increased = went_back};
}

}  // namespace eider::detail::passkeys
