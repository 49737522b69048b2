// For tests: an authenticator and its browser that respond correctly or with errors.
// Layering: must not use the tested code; its CBOR, keys and JSON are written here.
#pragma once

#include <openssl/core_names.h>
#include <openssl/evp.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/base64.h"
#include "eider/core/base/sha256.h"
#include "eider/core/json/json.h"
#include "eider/io/tls/openssl.h"

namespace eider::detail::passkeys {

inline std::string cbor_head(unsigned major, std::size_t argument) {
  std::string out;
  const auto front = static_cast<unsigned>(major << 5U);
  if (argument < 24) {
    out += static_cast<char>(front | static_cast<unsigned>(argument));
  } else if (argument < 256) {
    out += static_cast<char>(front | 24U);
    out += static_cast<char>(argument);
  } else {
    out += static_cast<char>(front | 25U);
    out += static_cast<char>(argument >> 8U);
    out += static_cast<char>(argument & 0xFFU);
  }
  return out;
}
inline std::string cbor_integer(int number) {
  return number < 0 ? cbor_head(1, static_cast<std::size_t>(-1 - number))
                    : cbor_head(0, static_cast<std::size_t>(number));
}
inline std::string cbor_bytes(std::string_view bytes) {
  return cbor_head(2, bytes.size()).append(bytes);
}
inline std::string cbor_text(std::string_view text) {
  return cbor_head(3, text.size()).append(text);
}
inline std::string cbor_map(std::size_t members) {
  return cbor_head(5, members);
}

/// A key pair with the public part as a COSE_Key.
class SoftKey {
 public:
  /// algorithm  COSE number: -7, -8, -257
  explicit SoftKey(int algorithm) : algorithm_(algorithm) {
    if (algorithm == -7) {
      key_.reset(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"));
    } else if (algorithm == -8) {
      key_.reset(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
    } else {
      key_.reset(EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", std::size_t{2048}));
    }
  }

  [[nodiscard]] int algorithm() const { return algorithm_; }
  [[nodiscard]] std::string cose() const {
    if (algorithm_ == -7) {
      const std::string point = octets(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY);
      return front(5, 2) + cbor_integer(-1) + cbor_integer(1) + cbor_integer(-2) +
             cbor_bytes(point.substr(1, 32)) + cbor_integer(-3) + cbor_bytes(point.substr(33));
    }
    if (algorithm_ == -8) {
      return front(4, 1) + cbor_integer(-1) + cbor_integer(6) + cbor_integer(-2) +
             cbor_bytes(octets(OSSL_PKEY_PARAM_PUB_KEY));
    }
    return front(4, 3) + cbor_integer(-1) + cbor_bytes(number(OSSL_PKEY_PARAM_RSA_N)) +
           cbor_integer(-2) + cbor_bytes(number(OSSL_PKEY_PARAM_RSA_E));
  }
  [[nodiscard]] std::string sign(std::string_view bytes) const {
    const std::unique_ptr<EVP_MD_CTX, tls::Freer<&EVP_MD_CTX_free>> context(EVP_MD_CTX_new());
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    std::string signature(1024, '\0');
    std::size_t size = signature.size();
    EVP_DigestSignInit_ex(context.get(), nullptr, algorithm_ == -8 ? nullptr : "SHA256", nullptr,
                          nullptr, key_.get(), nullptr);
    EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, data,
                   bytes.size());
    signature.resize(size);
    return signature;
  }

 private:
  [[nodiscard]] std::string front(std::size_t members, int type) const {
    return cbor_map(members) + cbor_integer(1) + cbor_integer(type) + cbor_integer(3) +
           cbor_integer(algorithm_);
  }
  [[nodiscard]] std::string octets(const char* name) const {
    std::string bytes(256, '\0');
    std::size_t size = 0;
    EVP_PKEY_get_octet_string_param(
        key_.get(), name, reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), &size);
    bytes.resize(size);
    return bytes;
  }
  [[nodiscard]] std::string number(const char* name) const {
    BIGNUM* read = nullptr;
    EVP_PKEY_get_bn_param(key_.get(), name, &read);
    std::string bytes(static_cast<std::size_t>(BN_num_bytes(read)), '\0');
    BN_bn2bin(read, reinterpret_cast<unsigned char*>(bytes.data()));
    BN_free(read);
    return bytes;
  }

  int algorithm_;
  tls::KeyPtr key_;
};

/// Values of a response; a test changes one of them.
struct Saying {
  std::optional<std::string> type = {};
  std::optional<std::string> challenge = {};
  std::string origin = "https://example.com";
  std::string more_client_data = {};  // such as ,"crossOrigin":true
  std::optional<std::string> relying_party = {};
  unsigned flags = 0x05;  // present and verified
  std::uint32_t counter = 0;
  std::string extensions = {};  // CBOR
  std::string format = "none";
  std::optional<std::string> statement = {};
  std::optional<std::string> signature = {};
  std::optional<std::string> user_handle = {};  // "-": none
  std::optional<std::string> public_key = {};
};

/// One credential.
class SoftAuthenticator {
 public:
  explicit SoftAuthenticator(int algorithm = -7, std::string id = "the id of a credential")
      : key_(algorithm), id_(std::move(id)) {}

  [[nodiscard]] std::string id() const { return to_base64url(id_); }
  [[nodiscard]] const SoftKey& key() const { return key_; }

  /// Returns the body that finishes a registration: {"credential": …, "ticket": …}.
  [[nodiscard]] std::string create(std::string_view begun, const Saying& saying = {}) {
    const json::Value all = *json::read<json::Value>(begun);
    const json::Value& options = all.at("/publicKey");
    user_handle_ = options.at("/user/id").text();
    const std::string client = client_data("webauthn.create", options, saying);
    const std::string party = saying.relying_party.value_or(options.at("/rp/id").text());
    std::string data = front(party, saying, 0x40);
    data += std::string(16, '\x11');
    data += static_cast<char>(id_.size() >> 8U);
    data += static_cast<char>(id_.size() & 0xFFU);
    data += id_ + saying.public_key.value_or(key_.cose()) + saying.extensions;
    const std::string object = cbor_map(3) + cbor_text("fmt") + cbor_text(saying.format) +
                               cbor_text("attStmt") + statement(saying, data, client) +
                               cbor_text("authData") + cbor_bytes(data);
    return credential(all, json::object({{"clientDataJSON", to_base64url(client)},
                                         {"attestationObject", to_base64url(object)},
                                         {"transports", json::array({"internal", "hybrid"})}}));
  }

  [[nodiscard]] std::string get(std::string_view begun, const Saying& saying = {}) const {
    const json::Value all = *json::read<json::Value>(begun);
    const json::Value& options = all.at("/publicKey");
    const std::string client = client_data("webauthn.get", options, saying);
    const std::string party = saying.relying_party.value_or(options.at("/rpId").text());
    const std::string data = front(party, saying, 0) + saying.extensions;
    const std::string signature =
        saying.signature.value_or(key_.sign(data + std::string(to_view(sha256(client)))));
    json::Value response = json::object({{"clientDataJSON", to_base64url(client)},
                                         {"authenticatorData", to_base64url(data)},
                                         {"signature", to_base64url(signature)}});
    const std::string handle = saying.user_handle.value_or(user_handle_);
    response["userHandle"] = handle == "-" ? json::Value(nullptr) : json::Value(handle);
    return credential(all, std::move(response));
  }

 private:
  [[nodiscard]] static std::string client_data(const std::string& type, const json::Value& options,
                                               const Saying& saying) {
    return R"({"type":")" + saying.type.value_or(type) + R"(","challenge":")" +
           saying.challenge.value_or(options.at("/challenge").text()) + R"(","origin":")" +
           saying.origin + "\"" + saying.more_client_data + "}";
  }
  [[nodiscard]] static std::string front(const std::string& party, const Saying& saying,
                                         unsigned more_flags) {
    std::string data(to_view(sha256(party)));
    data += static_cast<char>(saying.flags | more_flags | (saying.extensions.empty() ? 0U : 0x80U));
    for (unsigned shift = 32; shift != 0; shift -= 8) {
      data += static_cast<char>(saying.counter >> (shift - 8) & 0xFFU);
    }
    return data;
  }
  [[nodiscard]] std::string statement(const Saying& saying, const std::string& data,
                                      const std::string& client) const {
    if (saying.statement) {
      return *saying.statement;
    }
    if (saying.format != "packed") {
      return cbor_map(0);
    }
    const std::string good = key_.sign(data + std::string(to_view(sha256(client))));
    return cbor_map(2) + cbor_text("alg") + cbor_integer(key_.algorithm()) + cbor_text("sig") +
           cbor_bytes(saying.signature.value_or(good));
  }
  [[nodiscard]] std::string credential(const json::Value& begun, json::Value response) const {
    return json::to_text(
        json::object({{"credential", json::object({{"id", id()},
                                                   {"rawId", id()},
                                                   {"type", "public-key"},
                                                   {"authenticatorAttachment", "platform"},
                                                   {"clientExtensionResults", json::object({})},
                                                   {"response", std::move(response)}})},
                      {"ticket", begun.at("/ticket").text()}}));
  }

  SoftKey key_;
  std::string id_;
  std::string user_handle_;
};

}  // namespace eider::detail::passkeys
