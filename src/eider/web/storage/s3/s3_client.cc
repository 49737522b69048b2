#include "eider/web/storage/s3/s3_client.h"

#include <chrono>
#include <cstdlib>
#include <utility>

#include "eider/core/base/failure.h"
#include "eider/core/base/token.h"
#include "eider/core/base/url.h"
#include "eider/io/runtime/backoff.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/sleep.h"
#include "eider/protocols/http/date.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/http_url.h"
#include "eider/protocols/http/status.h"
#include "eider/web/storage/s3/xml.h"

namespace eider::detail::s3 {

namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kTriesMax = 5;
constexpr Duration kFirstPause = 100ms;
constexpr Duration kLongestPause = 5s;
/// S3 rejects requests with a clock that differs by more than 15 minutes.
constexpr std::int64_t kSkewSecondsMax = 300;
constexpr int kBadRequest = 400;
constexpr int kBadGateway = 502;
/// Conflict with another request for the same key, which has not ended.
constexpr int kOtherRequest = 409;
constexpr std::size_t kAskingConnectionsMax = 256;
/// Larger bodies are not copied for each attempt.
constexpr std::size_t kCopiedBytesMax = std::size_t{16} * 1024;
constexpr std::size_t kSentPieceBytes = std::size_t{64} * 1024;

/// connections_max  to the one host
ClientOptions client_options(std::size_t connections_max) {
  return {// Putting many parts together takes a server a while.
          .first_byte = 120s,
          // A part of an upload on a slow line.
          .total = 300s,
          // Objects are what was stored, also if that is compressed.
          .decompresses = false,
          .connections_per_host_max = connections_max,
          .connections_max = connections_max,
          .redirects_max = 0,
          // Each repeated request needs a new signature.
          .retries_max = 0};
}

bool is_passing_status(int status) noexcept {
  return status == 500 || status == kBadGateway || status == 503 || status == 504 ||
         status == kTooManyRequests;
}

/// S3 also sends RequestTimeout, with 400, if no byte of the body has come for a while.
bool is_passing(const ClientResponse& reply) {
  return is_passing_status(reply.status()) ||
         (reply.status() == kBadRequest && s3_code(reply.body()) == "RequestTimeout");
}

/// All connections of this event loop are in use. The client has waited for one already.
bool is_no_room(const ClientError& error) noexcept {
  return error.fault == ClientFault::timed_out && error.text.contains("All connections to ");
}

bool is_passing_fault(const ClientError& error) noexcept {
  if (is_no_room(error)) {
    return false;
  }
  switch (error.fault) {
    case ClientFault::lookup_failed:
    case ClientFault::not_connected:
    case ClientFault::timed_out:
    case ClientFault::connection_lost:
    case ClientFault::bad_response:
      return true;
    default:
      return false;
  }
}

std::string_view verb_of(Method method) noexcept {
  switch (method) {
    case Method::head:
      return "HEAD";
    case Method::put:
      return "PUT";
    case Method::post:
      return "POST";
    case Method::delete_:
      return "DELETE";
    default:
      return "GET";
  }
}

/// Segments alone are encoded: '/' separates them for S3, too.
std::string encoded_path(std::string_view key) {
  std::string path;
  while (true) {
    const std::size_t slash = key.find('/');
    path.append(percent_encode(key.substr(0, slash)));
    if (slash == std::string_view::npos) {
      return path;
    }
    path += '/';
    key.remove_prefix(slash + 1);
  }
}

[[noreturn]] void throw_option(std::string text) {
  throw Failure(Error::internal("Storage: " + std::move(text)));
}

void check_options(const StorageOptions& options) {
  if (options.s3_access_key.empty() || options.s3_secret_key.empty()) {
    throw_option("s3_bucket needs s3_access_key and s3_secret_key. Set both.");
  }
  // These texts are parts of the header Authorization.
  for (const std::string* const text :
       {&options.s3_bucket, &options.s3_region, &options.s3_access_key}) {
    if (text->empty() || text->find_first_of(" /,\r\n\t") != std::string::npos) {
      throw_option("\"" + *text +
                   "\" is not a valid bucket, region or access key. Remove blanks, commas and "
                   "slashes.");
    }
  }
  if (!is_field_value(options.s3_session_token.reveal())) {
    throw_option("s3_session_token contains a line break or blanks at its ends. Remove them.");
  }
}

std::string advice_of(std::string_view code) {
  if (code == "SignatureDoesNotMatch") {
    return " Check the secret key, and that no proxy changes the path, query or headers.";
  }
  if (code == "InvalidAccessKeyId") {
    return " Check the access key, and that the session token belongs to it.";
  }
  if (code == "AccessDenied") {
    return " Allow s3:GetObject, s3:PutObject, s3:DeleteObject, s3:ListBucket and "
           "s3:AbortMultipartUpload for this access key.";
  }
  if (code == "NoSuchBucket") {
    return " Create the bucket, or set the right name, region and endpoint.";
  }
  if (code == "AuthorizationHeaderMalformed" || code == "PermanentRedirect") {
    return " Set the region of the bucket.";
  }
  if (code == "ExpiredToken") {
    return " Renew the session token.";
  }
  return {};
}

std::string skew_of(std::string_view code, std::optional<std::string_view> date) {
  const std::int64_t now = Loop::current().wall_seconds();
  const auto theirs = date ? parse_date(*date, now) : std::nullopt;
  const std::int64_t skew = theirs ? now - *theirs : 0;
  if (code != "RequestTimeTooSkewed" && std::abs(skew) < kSkewSecondsMax) {
    return {};
  }
  return " The clock of this machine is " + std::to_string(std::abs(skew)) + " s " +
         (skew < 0 ? "slow" : "fast") + ": synchronize it (NTP).";
}

ContentProducer pieces_of(std::shared_ptr<const std::string> body) {
  return [body = std::move(body), at = std::size_t{0}]() mutable -> Task<std::string> {
    std::string piece = body->substr(at, kSentPieceBytes);
    at += piece.size();
    co_return std::move(piece);
  };
}

[[noreturn]] void throw_client_error(const S3Call& call, const ClientError& error) {
  const bool is_full = is_no_room(error);
  throw Failure(Error(is_full ? 503 : to_error(error).status(),
                      is_full ? "The server is overloaded." : "The file storage cannot be reached.")
                    .because("S3 " + std::string(verb_of(call.method)) + " " +
                             call.key.value_or("(bucket)") + ": " + error.text));
}

}  // namespace

Bucket read_bucket(const StorageOptions& options) {
  check_options(options);
  const bool is_amazon = options.s3_endpoint.empty();
  const std::string endpoint =
      is_amazon ? "https://s3." + options.s3_region + ".amazonaws.com" : options.s3_endpoint;
  const auto url = http::read_http_url(endpoint);
  if (!url || url->target != "/") {
    throw_option("s3_endpoint \"" + endpoint + "\" is not a URL without a path: " +
                 std::string(url ? "use https://host:port." : url.error()));
  }
  const bool is_in_path =
      options.s3_addressing == S3Addressing::path ||
      (options.s3_addressing == S3Addressing::automatic &&
       // A certificate for *.s3.amazonaws.com is not valid for a name with a dot.
       (!is_amazon || options.s3_bucket.find('.') != std::string::npos));
  const std::string host = is_in_path ? url->authority : options.s3_bucket + "." + url->authority;
  return {.name = options.s3_bucket,
          .origin = (url->is_secure ? "https://" : "http://") + host,
          .host = host,
          .path = is_in_path ? "/" + percent_encode(options.s3_bucket) + "/" : "/",
          .prefix = options.s3_prefix,
          .is_secure = url->is_secure,
          .key = {.access_key = options.s3_access_key,
                  .secret_key = options.s3_secret_key.reveal(),
                  .session_token =
                      options.s3_session_token.empty() ? "" : options.s3_session_token.reveal(),
                  .region = options.s3_region}};
}

S3Client::S3Client(Bucket bucket, std::size_t downloads_max)
    : bucket_(std::make_shared<const Bucket>(std::move(bucket))), loops_([downloads_max] {
        return std::make_unique<OfLoop>(HttpClient(client_options(kAskingConnectionsMax)),
                                        HttpClient(client_options(downloads_max)));
      }) {}

std::string S3Client::path_of(const std::optional<std::string>& key) const {
  // Of a bucket in the path without its slash: some servers know it only so.
  const std::string& path = bucket_->path;
  return key ? path + encoded_path(bucket_->prefix + *key)
             : (path.size() == 1 ? path : path.substr(0, path.size() - 1));
}

ClientRequest S3Client::signed_request(HttpClient& client, const S3Call& call) const {
  const std::string date = amz_date(Loop::current().wall_seconds());
  const std::string path = path_of(call.key);
  const std::string query = canonical_query(call.query);
  const std::string payload =
      bucket_->is_secure ? std::string(kUnsignedPayload)
                         : sha256_hex(call.body == nullptr ? std::string_view() : *call.body);
  std::vector<NameValue> headers = call.headers;
  headers.emplace_back("x-amz-date", date);
  headers.emplace_back("x-amz-content-sha256", payload);
  if (!bucket_->key.session_token.empty()) {
    headers.emplace_back("x-amz-security-token", bucket_->key.session_token);
  }
  RequestToSign to_sign{.method = verb_of(call.method),
                        .path = path,
                        .query = call.query,
                        .headers = {{"host", bucket_->host}},
                        .payload = payload};
  std::string content_type = "application/octet-stream";
  const std::string url = bucket_->origin + path + (query.empty() ? "" : "?") + query;
  ClientRequest request = client.request(call.method, url);
  for (const auto& [name, value] : headers) {
    // Others may be changed on their way, and are not signed.
    if (name.starts_with("x-amz-")) {
      to_sign.headers.emplace_back(name, value);
    }
    if (name == "content-type") {
      content_type = value;
    } else {
      request.header(name, value);
    }
  }
  request.header("authorization", authorization_of(bucket_->key, date, to_sign));
  if (call.body != nullptr && call.body->size() <= kCopiedBytesMax) {
    request.body(*call.body, content_type);
  } else if (call.body != nullptr) {
    request.body_from(pieces_of(call.body), content_type, call.body->size());
  }
  return request;
}

Task<ClientResponse> S3Client::ask(S3Call call, std::int64_t* tries_made) const {
  for (std::int64_t tries = 1;; ++tries) {
    if (tries_made != nullptr) {
      *tries_made = tries;
    }
    auto reply = co_await signed_request(loops_.here().asking, call).send();
    if (reply && (!is_passing(*reply) || tries == kTriesMax)) {
      co_return std::move(*reply);
    }
    if (!reply && (!is_passing_fault(reply.error()) || tries == kTriesMax)) {
      throw_client_error(call, reply.error());
    }
    co_await sleep_for(
        runtime::with_jitter(runtime::pause_behind(tries, kFirstPause, kLongestPause)));
  }
}

Task<ClientStream> S3Client::ask_streamed(S3Call call) const {
  for (std::int64_t tries = 1;; ++tries) {
    {
      auto reply = co_await signed_request(loops_.here().streaming, call).send_streamed();
      if (reply && (!is_passing_status(reply->status()) || tries == kTriesMax)) {
        co_return std::move(*reply);
      }
      if (!reply && (!is_passing_fault(reply.error()) || tries == kTriesMax)) {
        throw_client_error(call, reply.error());
      }
    }
    co_await sleep_for(
        runtime::with_jitter(runtime::pause_behind(tries, kFirstPause, kLongestPause)));
  }
}

std::string s3_code(std::string_view body) {
  const auto root = read_xml(body);
  return root && root->name == "Error" ? std::string(root->text_of("Code")) : std::string();
}

void throw_s3_error(const Bucket& bucket, const S3Call& call, int status, std::string_view body,
                    std::optional<std::string_view> date) {
  constexpr std::size_t kMessageBytesMax = 200;
  const auto root = read_xml(body);
  const std::string code(root ? root->text_of("Code") : "");
  std::string cause = "S3 " + std::string(verb_of(call.method)) + " " + bucket.name + "/" +
                      bucket.prefix + call.key.value_or("") + " failed with status " +
                      std::to_string(status);
  if (!code.empty()) {
    cause.append(" ").append(code).append(": ");
    cause.append(root->text_of("Message").substr(0, kMessageBytesMax));
  }
  cause.append(cause.ends_with('.') ? "" : ".").append(advice_of(code)).append(skew_of(code, date));
  const bool is_busy = status == 503 || status == kTooManyRequests || status == kOtherRequest;
  throw Failure(Error(is_busy ? 503 : kBadGateway,
                      is_busy ? "The file storage is overloaded." : "The file storage failed.")
                    .because(std::move(cause)));
}

}  // namespace eider::detail::s3
