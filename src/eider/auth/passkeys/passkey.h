// A passkey as it is kept, whose it is, and why one is refused.
// Must not know how one is checked: passkeys.h does.
#pragma once

#include <cstdint>
#include <string>

#include "eider/core/base/result.h"

namespace eider {

/// Somebody for whom a passkey is made.
///
/// key           as Session::begin_for takes it; no authenticator sees it, the browser does
/// name          what he is called where passkeys are chosen: "ann@example.com"
/// display_name  the same for people: "Ann Miller"; empty: the name
struct PasskeyUser {
  std::string key;
  std::string name;
  std::string display_name = {};
};

/// What is kept of one: nothing of it is secret. A plain struct, for a table or a JSON text.
///
/// id           that of the credential (at most 1023 bytes), in base64url; nobody else's
/// user         the key of whose it is
/// user_handle  by which authenticators know him: random bytes in base64url, the same for all of
///              his passkeys
/// public_key   a COSE_Key in base64url
/// counter      of signatures, as it was told last; 0 of those that do not count, as synced ones do
/// is_backup_eligible  it may be synced between devices; it never changes
/// is_backed_up  it was there in a copy when it was used last
/// is_verified   the authenticator has once verified the user: by a PIN, a finger, a face
/// transports   how browsers reach its authenticator, in words with blanks between: "hybrid
/// internal" aaguid       the model of the authenticator, as a UUID; all zeros: not told
/// attestation  "none", "self", or "certified": a certificate below one of PasskeyOptions'
///              attestation_roots says the model
/// name         what its user calls it; not looked at here
/// created, used  seconds since 1970
///
/// source  WebAuthn Level 3, section 4, "credential record"
struct Passkey {
  std::string id;
  std::string user;
  std::string user_handle;
  std::string public_key;
  std::int64_t counter = 0;
  bool is_backup_eligible = false;
  bool is_backed_up = false;
  bool is_verified = false;
  std::string transports = {};
  std::string aaguid = {};
  std::string attestation = {};
  std::string name = {};
  std::int64_t created = 0;
  std::int64_t used = 0;
};

enum class PasskeyFault : std::uint8_t {
  malformed,            ///< not what a browser sends, or beyond a limit
  bad_ticket,           ///< begun by nobody here, by another browser or for something else
  expired,              ///< begun too long ago
  used,                 ///< its challenge has been answered before
  busy,                 ///< more are answered at present than are remembered
  wrong_type,           ///< a login where a registration was begun, or the other way round
  wrong_challenge,      ///< not the one that was given
  wrong_origin,         ///< made for a page of another origin
  cross_origin,         ///< made in a frame of another's page
  wrong_relying_party,  ///< made for another one
  not_present,          ///< nobody has touched the authenticator
  not_verified,         ///< the authenticator has not verified its user
  bad_flags,            ///< backed up without being eligible, or that has changed
  bad_key,              ///< no key of an algorithm that was asked for
  bad_attestation,      ///< what says the authenticator's model is wrong, or less than asked for
  already_known,        ///< somebody has this one by now
  unknown,              ///< nobody has this one
  wrong_user,           ///< another's than the one who was asked
  bad_signature,        ///< its key has not signed this
  counter_went_back     ///< a copy of the authenticator may be at work
};

/// fault  for programs
/// text   for logs
struct PasskeyError {
  PasskeyFault fault;
  std::string text;
};

/// As a client is to learn of it: 400 for what no browser of ours sends, 401 for a passkey that is
/// not taken, 403 for who may not, 409 for one that is known, 503 where too many come at once. It
/// does not say the text.
[[nodiscard]] Error to_error(const PasskeyError& error);

}  // namespace eider
