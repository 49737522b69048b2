// Fuzzes data of authenticators and browsers: each reader must return, and only view its input.
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/auth/passkeys/attestation.h"
#include "eider/auth/passkeys/cbor.h"
#include "eider/auth/passkeys/relying_party.h"
#include "eider/core/base/assert.h"

namespace {

using namespace eider;
using namespace eider::detail::passkeys;

bool is_within(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void read_items(std::string_view bytes) {
  CborReader reader(bytes);
  while (!reader.is_at_end() && reader.skip()) {
    ensure(is_within(reader.rest(), bytes), "what is left was there");
  }
}

void read_data(std::string_view bytes) {
  const auto data = parse_authenticator_data(bytes);
  if (!data || !data->credential) {
    return;
  }
  ensure(data->credential->id.size() <= kCredentialIdBytesMax, "an id has a bound");
  ensure(is_within(data->credential->public_key, bytes), "a key is a part of it");
  (void)parse_cose_key(data->credential->public_key);
}

void read_object(std::string_view bytes, const AttestationRoots& roots) {
  const auto object = parse_attestation_object(bytes);
  if (!object) {
    return;
  }
  ensure(is_within(object->data, bytes) && is_within(object->statement, bytes), "parts of it");
  const auto data = parse_authenticator_data(object->data);
  if (!data || !data->credential) {
    return;
  }
  if (const auto key = parse_cose_key(data->credential->public_key)) {
    const auto said = verify_attestation(
        {.object = *object, .data = *data, .key = *key, .client_hash = "not the hash of anything"},
        roots, 0);
    ensure(!said || *said == "none", "nobody guesses a signature");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static const std::string origins[] = {"https://example.org"};
  static RelyingParty party({.relying_party_id = "example.org",
                             .origins = {"https://example.org"},
                             .name = "Example",
                             .keys = {std::string(32, 'k')}});
  static const AttestationRoots roots;
  read_items(bytes);
  read_data(bytes);
  read_object(bytes, roots);
  (void)parse_cose_key(bytes);
  if (check_client_data(
          bytes,
          {.type = "webauthn.get", .challenge = "AAAA", .origins = origins, .top_origins = {}})) {
    ensure(bytes.contains("webauthn.get"), "its type is there");
  }
  ensure(!party.finish_registration(bytes, "browser", 0), "nobody guesses a ticket");
  ensure(!party.open_login(bytes, "browser", 0), "nor one of a login");
  for (const CeremonyKind kind : {CeremonyKind::registration, CeremonyKind::login}) {
    if (const auto response = parse_credential_response(bytes, kind)) {
      read_data(response->data);
      read_object(response->data, roots);
    }
  }
  return 0;
}
