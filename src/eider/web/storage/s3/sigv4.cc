#include "eider/web/storage/s3/sigv4.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "eider/core/base/base64.h"
#include "eider/core/base/sha256.h"
#include "eider/core/base/text.h"
#include "eider/core/base/token.h"
#include "eider/core/base/url.h"

namespace eider::detail::s3 {

namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::size_t kDayBytes = 8;

std::string hmac(std::string_view key, std::string_view text) {
  return std::string(to_view(hmac_sha256(key, text)));
}

/// "20130524/us-east-1/s3/aws4_request"
std::string scope_of(const SigningKey& key, std::string_view date) {
  return std::string(date.substr(0, kDayBytes)) + "/" + key.region + "/" + key.service +
         "/aws4_request";
}

/// Without blanks at its ends, and with one instead of several within.
std::string canonical_value(std::string_view value) {
  std::string text;
  for (const char byte : trim(value)) {
    if (byte != ' ' || !text.ends_with(' ')) {
      text += byte;
    }
  }
  return text;
}

std::vector<NameValue> sorted(std::vector<NameValue> headers) {
  std::ranges::sort(headers, {}, &NameValue::first);
  return headers;
}

/// "host;x-amz-date"
std::string signed_names(const std::vector<NameValue>& headers) {
  return joined(sorted(headers), ";", &NameValue::first);
}

}  // namespace

std::string amz_date(std::int64_t unix_seconds) {
  using namespace std::chrono;
  const sys_seconds moment{seconds(unix_seconds)};
  const auto day = floor<days>(moment);
  const year_month_day date(day);
  const hh_mm_ss time(moment - day);
  std::array<char, 32> text{};
  const int bytes = std::snprintf(
      text.data(), text.size(), "%04d%02u%02uT%02d%02d%02dZ", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
      static_cast<int>(time.seconds().count()));
  return {text.data(), static_cast<std::size_t>(std::max(bytes, 0))};
}

std::string credential_of(const SigningKey& key, std::string_view date) {
  return key.access_key + "/" + scope_of(key, date);
}

std::string canonical_query(std::vector<NameValue> pairs) {
  for (auto& [name, value] : pairs) {
    name = percent_encode(name);
    value = percent_encode(value);
  }
  std::ranges::sort(pairs);
  std::string query;
  for (const auto& [name, value] : pairs) {
    query.append(query.empty() ? "" : "&").append(name).append("=").append(value);
  }
  return query;
}

std::string canonical_request(const RequestToSign& request) {
  std::string text(request.method);
  text.append("\n").append(request.path).append("\n");
  text.append(canonical_query(request.query)).append("\n");
  for (const auto& [name, value] : sorted(request.headers)) {
    text.append(name).append(":").append(canonical_value(value)).append("\n");
  }
  text.append("\n").append(signed_names(request.headers)).append("\n");
  return text.append(request.payload);
}

std::string string_to_sign(const SigningKey& key, std::string_view date,
                           std::string_view canonical_request) {
  return std::string(kAlgorithm) + "\n" + std::string(date) + "\n" + scope_of(key, date) + "\n" +
         sha256_hex(canonical_request);
}

std::string signature_of(const SigningKey& key, std::string_view date, std::string_view text) {
  const std::string of_day = hmac("AWS4" + key.secret_key, date.substr(0, kDayBytes));
  const std::string of_service = hmac(hmac(of_day, key.region), key.service);
  return to_hex(hmac(hmac(of_service, "aws4_request"), text));
}

std::string authorization_of(const SigningKey& key, std::string_view date,
                             const RequestToSign& request) {
  const std::string text = string_to_sign(key, date, canonical_request(request));
  return std::string(kAlgorithm) + " Credential=" + credential_of(key, date) +
         ", SignedHeaders=" + signed_names(request.headers) +
         ", Signature=" + signature_of(key, date, text);
}

std::string presigned_query(const SigningKey& key, std::string_view date,
                            std::int64_t within_seconds, RequestToSign request) {
  request.query.emplace_back("X-Amz-Algorithm", kAlgorithm);
  request.query.emplace_back("X-Amz-Credential", credential_of(key, date));
  request.query.emplace_back("X-Amz-Date", date);
  request.query.emplace_back("X-Amz-Expires", std::to_string(within_seconds));
  request.query.emplace_back("X-Amz-SignedHeaders", signed_names(request.headers));
  if (!key.session_token.empty()) {
    request.query.emplace_back("X-Amz-Security-Token", key.session_token);
  }
  const std::string text = string_to_sign(key, date, canonical_request(request));
  return canonical_query(std::move(request.query)) +
         "&X-Amz-Signature=" + signature_of(key, date, text);
}

}  // namespace eider::detail::s3
