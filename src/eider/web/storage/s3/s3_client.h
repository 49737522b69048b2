// Requests to a bucket of S3: signed, repeated after passing failures, with errors explained.
// Layering: must not know objects (s3_backend.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/client/client.h"
#include "eider/io/runtime/loop_local.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/task.h"
#include "eider/web/storage/s3/sigv4.h"
#include "eider/web/storage/storage_options.h"

namespace eider::detail::s3 {

/// Where the bucket is.
///
/// origin  "https://bucket.s3.eu-central-1.amazonaws.com"
/// host    as the header Host has it
/// path    in front of keys: "/", or "/bucket/"
struct Bucket {
  std::string name;
  std::string origin;
  std::string host;
  std::string path;
  std::string prefix;
  bool is_secure = true;
  SigningKey key;
};

/// Throws a Failure that names a missing or invalid option.
[[nodiscard]] Bucket read_bucket(const StorageOptions& options);

/// One request.
///
/// key      of an object, without the prefix of the bucket; nothing: the bucket itself
/// headers  names in lowercase
/// body     shared with repeated requests
struct S3Call {
  Method method = Method::get;
  std::optional<std::string> key = std::nullopt;
  std::vector<NameValue> query{};
  std::vector<NameValue> headers{};
  std::shared_ptr<const std::string> body{};
};

class S3Client {
 public:
  /// downloads_max  at once on each event loop
  S3Client(Bucket bucket, std::size_t downloads_max);

  /// The response, with any status that is not repeated. Throws a Failure if there is none.
  ///
  /// tries  number of requests that were sent, if not null; it outlives the task
  [[nodiscard]] Task<ClientResponse> ask(S3Call call, std::int64_t* tries = nullptr) const;
  /// The same, with a body that is read in pieces.
  [[nodiscard]] Task<ClientStream> ask_streamed(S3Call call) const;

  /// Tasks of this event loop that continue after their request. They are cancelled when the loop
  /// ends, before its connections are closed.
  [[nodiscard]] Scope& tasks() const { return loops_.here().tasks; }

  [[nodiscard]] const Bucket& bucket() const noexcept { return *bucket_; }
  /// "/bucket/photos/a%20b.jpg"
  [[nodiscard]] std::string path_of(const std::optional<std::string>& key) const;

 private:
  /// Downloads have their own connections: slow clients keep these for a long time, and other
  /// requests would wait for them. The members are destroyed in reverse order.
  struct OfLoop {
    HttpClient asking;
    HttpClient streaming;
    Scope tasks{};

    void end_tasks() noexcept { tasks.end_tasks(); }
  };

  [[nodiscard]] ClientRequest signed_request(HttpClient& client, const S3Call& call) const;

  std::shared_ptr<const Bucket> bucket_;
  LoopLocal<OfLoop> loops_;
};

/// An error response as a Failure: 503 if S3 is overloaded, else 502; the cause names the call, the
/// code of the error and its fix.
///
/// body  of the response, XML or empty
/// date  of the response
[[noreturn]] void throw_s3_error(const Bucket& bucket, const S3Call& call, int status,
                                 std::string_view body, std::optional<std::string_view> date);

/// The code of an error response: "NoSuchKey"; empty if there is none.
[[nodiscard]] std::string s3_code(std::string_view body);

}  // namespace eider::detail::s3
