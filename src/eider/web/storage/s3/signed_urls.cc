#include <utility>

#include "eider/core/base/base64.h"
#include "eider/core/json/json.h"
#include "eider/protocols/http/disposition.h"
#include "eider/web/storage/s3/object_headers.h"
#include "eider/web/storage/s3/s3_backend.h"

namespace eider::detail::s3 {

namespace {

using storage::SignedUrl;
using storage::UrlTerms;

constexpr std::string_view kSignAlgorithm = "AWS4-HMAC-SHA256";

json::Value condition(std::string_view name, std::string_view value) {
  json::Value object;
  object[std::string(name)] = std::string(value);
  return object;
}

json::Value condition(std::string_view how, std::string_view name, std::string_view value) {
  json::Value list;
  list.push_back(std::string(how));
  list.push_back(std::string(name));
  list.push_back(std::string(value));
  return list;
}

json::Value condition_of_type(std::string_view type) {
  const bool is_exact = !type.empty() && !type.ends_with("/*");
  if (type.ends_with("/*")) {
    type.remove_suffix(1);
  }
  return condition(is_exact ? "eq" : "starts-with", "$Content-Type", type);
}

/// A policy by which a browser may post one object of limited size.
SignedUrl sign_form(const S3Client& client, const UrlTerms& terms) {
  const Bucket& bucket = client.bucket();
  const std::string date = amz_date(terms.now_seconds);
  SignedUrl made{.url = bucket.origin + client.path_of(std::nullopt)};
  made.fields = {{"key", bucket.prefix + terms.key},
                 {"x-amz-algorithm", std::string(kSignAlgorithm)},
                 {"x-amz-credential", credential_of(bucket.key, date)},
                 {"x-amz-date", date}};
  if (!bucket.key.session_token.empty()) {
    made.fields.push_back({"x-amz-security-token", bucket.key.session_token});
  }
  json::Value conditions;
  conditions.push_back(condition("bucket", bucket.name));
  for (const SignedUrl::Field& field : made.fields) {
    conditions.push_back(condition(field.name, field.value));
  }
  json::Value range;
  range.push_back("content-length-range");
  range.push_back(0);
  range.push_back(static_cast<std::int64_t>(terms.bytes_max));
  conditions.push_back(std::move(range));
  conditions.push_back(condition_of_type(terms.content_type));
  json::Value policy;
  policy["expiration"] = iso_time(terms.now_seconds + terms.within_seconds);
  policy["conditions"] = std::move(conditions);
  const std::string encoded = to_base64(json::to_text(policy));
  // Amazon rejects a form without a field that the policy names, also if its value may be empty.
  if (!terms.content_type.ends_with("/*")) {
    made.fields.push_back({"Content-Type", terms.content_type.empty() ? "application/octet-stream"
                                                                      : terms.content_type});
  }
  made.fields.push_back({"policy", encoded});
  made.fields.push_back({"x-amz-signature", signature_of(bucket.key, date, encoded)});
  return made;
}

}  // namespace

std::optional<SignedUrl> S3Backend::sign_url(const UrlTerms& terms) const {
  if (terms.allows == UrlTerms::Allows::form) {
    return sign_form(*client_, terms);
  }
  const bool is_download = terms.allows == UrlTerms::Allows::download;
  const Bucket& bucket = client_->bucket();
  const std::string path = client_->path_of(terms.key);
  RequestToSign request{.method = is_download ? "GET" : "PUT",
                        .path = path,
                        .headers = {{"host", bucket.host}},
                        .payload = kUnsignedPayload};
  if (is_download) {
    // Browsers must not display a file of a user, whatever type it was stored with.
    const std::string& name = terms.filename;
    request.query.emplace_back(
        "response-content-disposition",
        attachment_disposition(
            name.empty() ? std::string_view(terms.key).substr(terms.key.rfind('/') + 1) : name));
  }
  if (!is_download && !terms.content_type.empty()) {
    request.headers.emplace_back("content-type", terms.content_type);
  }
  if (!is_download && terms.bytes) {
    request.headers.emplace_back("content-length", std::to_string(*terms.bytes));
  }
  return SignedUrl{.url = bucket.origin + path + "?" +
                          presigned_query(bucket.key, amz_date(terms.now_seconds),
                                          terms.within_seconds, std::move(request))};
}

}  // namespace eider::detail::s3
