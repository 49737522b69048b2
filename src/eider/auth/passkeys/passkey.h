// A stored passkey with its owner, and the reasons to reject one.
// Layering: must not know the checks; passkeys.h does.
#pragma once

#include <cstdint>
#include <string>

#include "eider/core/base/result.h"

namespace eider {

/// The user for whom a passkey is created.
///
/// key           as for Session::log_in; visible to the browser, but not to authenticators
/// name          shown when the user selects a passkey: "ann@example.com"
/// display_name  a friendly name: "Ann Miller"; empty: the name
struct PasskeyUser {
  std::string key;
  std::string name;
  std::string display_name = {};
};

/// A stored passkey, without secrets. A plain struct, for a table or JSON.
///
/// id           of the credential (at most 1023 bytes), in base64url; unique
/// user         key of its owner
/// user_handle  identifies the user to authenticators: random bytes in base64url, the same for all
///              passkeys of the user
/// public_key   a COSE_Key in base64url
/// counter      last signature counter; 0 for authenticators without one, such as synced ones
/// is_backup_eligible  it may be synced between devices; it never changes
/// is_backed_up  it was backed up at its last use
/// is_verified   the authenticator has verified the user at least once: with a PIN, a finger, a
///               face
/// transports   how browsers reach its authenticator, words separated by spaces: "hybrid internal"
/// aaguid       model of the authenticator, a UUID; all zeros: unknown
/// attestation  "none", "self", or "certified": a certificate issued by one of the
///              attestation_roots of PasskeyOptions confirms the model
/// name         name given by the user; not used here
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
  malformed,             ///< not what a browser sends, or beyond a limit
  bad_ticket,            ///< not issued by this server, or for another browser or purpose
  expired,               ///< the time limit has passed
  used,                  ///< its challenge was already used
  busy,                  ///< too many challenges are in use
  wrong_type,            ///< a login instead of a registration, or vice versa
  wrong_challenge,       ///< does not match the ticket
  wrong_origin,          ///< created on a page of another origin
  cross_origin,          ///< created in a frame of a page of another origin
  wrong_relying_party,   ///< created for another relying party
  not_present,           ///< user presence is missing
  not_verified,          ///< the authenticator has not verified its user
  bad_flags,             ///< backed up without being eligible, or that has changed
  bad_key,               ///< the algorithm of the key was not offered
  bad_attestation,       ///< the attestation is invalid or not trusted
  already_known,         ///< the passkey is already registered
  unknown,               ///< the passkey is not registered
  wrong_user,            ///< belongs to another user
  bad_signature,         ///< its key has not signed this
  counter_not_increased  ///< the authenticator may have been copied
};

/// fault  for programs
/// text   for logs
struct PasskeyError {
  PasskeyFault fault;
  std::string text;
};

/// Converts the error for clients: 400 for data that no correct browser sends, 401 for a rejected
/// passkey, 403 for missing permission, 409 for a known passkey, 503 under overload. It does not
/// contain the text.
[[nodiscard]] Error to_error(const PasskeyError& error);

}  // namespace eider
