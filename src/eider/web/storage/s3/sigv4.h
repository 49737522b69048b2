// AWS Signature Version 4: signs requests, URLs and upload policies.
// Layering: must not send requests or know the time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eider::detail::s3 {

/// The hash of a body that is not signed, because TLS protects it.
inline constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";

struct SigningKey {
  std::string access_key;
  std::string secret_key;
  std::string session_token{};
  std::string region;
  std::string service = "s3";
};

using NameValue = std::pair<std::string, std::string>;

/// path     as it is sent: percent-encoded, and not changed here
/// query    decoded pairs
/// headers  those to be signed, with `host`; names in lowercase
/// payload  the SHA-256 of the body in hexadecimal digits, or kUnsignedPayload
struct RequestToSign {
  std::string_view method;
  std::string_view path;
  std::vector<NameValue> query{};
  std::vector<NameValue> headers{};
  std::string_view payload;
};

/// "20130524T000000Z"
[[nodiscard]] std::string amz_date(std::int64_t unix_seconds);

/// "access key/20130524/us-east-1/s3/aws4_request"
[[nodiscard]] std::string credential_of(const SigningKey& key, std::string_view date);

/// The pairs as a query string, sorted and percent-encoded as AWS requires.
[[nodiscard]] std::string canonical_query(std::vector<NameValue> pairs);
[[nodiscard]] std::string canonical_request(const RequestToSign& request);
[[nodiscard]] std::string string_to_sign(const SigningKey& key, std::string_view date,
                                         std::string_view canonical_request);
/// The signature of a text, in hexadecimal digits.
[[nodiscard]] std::string signature_of(const SigningKey& key, std::string_view date,
                                       std::string_view text);

/// The value of Authorization.
///
/// date  as amz_date, also in the header x-amz-date of the request
[[nodiscard]] std::string authorization_of(const SigningKey& key, std::string_view date,
                                           const RequestToSign& request);

/// The query string of a URL that is valid for so long, from `date` on.
[[nodiscard]] std::string presigned_query(const SigningKey& key, std::string_view date,
                                          std::int64_t within_seconds, RequestToSign request);

}  // namespace eider::detail::s3
