#include "eider/middleware/idempotency.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "eider/app/respond.h"
#include "eider/base/sip_hash.h"
#include "eider/base/text.h"
#include "eider/middleware/identity.h"
#include "eider/middleware/keyed_answers.h"
#include "eider/runtime/loop.h"

namespace eider {

namespace {

using detail::middleware::Fingerprint;
using detail::middleware::KeyedAnswer;
using detail::middleware::KeyedAnswers;
using Standing = KeyedAnswers::Standing;

constexpr std::string_view kKeyField = "Idempotency-Key";
constexpr std::size_t kKeyBytesMax = 255;

/// Item of type String (RFC 9651, section 3.3.3), or the same without quotes, as many clients send
/// it.
Result<std::string_view> read_key(std::string_view value) {
  if (value.size() > 1 && value.starts_with('"') && value.ends_with('"')) {
    value = value.substr(1, value.size() - 2);
  }
  const bool is_key =
      !value.empty() && value.size() <= kKeyBytesMax && std::ranges::all_of(value, [](char byte) {
        return byte > ' ' && byte < '\x7F' && byte != '"' && byte != '\\';
      });
  if (!is_key) {
    return fail(Error::bad_request("Idempotency-Key is 1 to 255 visible characters."));
  }
  return value;
}

/// The key of the request; an empty one where there is none.
Result<std::string_view> key_of(const Request& request) {
  std::string_view key;
  for (const Field& field : request.headers()) {
    if (!equals_ignoring_case(field.name, kKeyField)) {
      continue;
    }
    auto read = read_key(trim(field.value));
    if (!read || !key.empty()) {
      return read ? fail(Error::bad_request("Idempotency-Key is there twice.")) : read;
    }
    key = *read;
  }
  return key;
}

/// A text that no other list of texts makes.
void append_part(std::string& joined, std::string_view part) {
  joined.append(std::to_string(part.size())).append(":").append(part);
}

std::string asking_client(const Request& request) {
  std::string client;
  if (const auto* const identity = request.find<Identity>()) {
    append_part(client, "identity");
    append_part(client, identity->name);
    return client;
  }
  const auto secured = request.secured_by();
  const std::string_view certificate = secured ? secured->client.fingerprint : std::string_view();
  const std::string_view authorization = request.header("Authorization").value_or("");
  append_part(client, certificate);
  append_part(client, authorization);
  if (certificate.empty() && authorization.empty()) {
    for (const Field& field : request.headers()) {
      if (equals_ignoring_case(field.name, "Cookie")) {
        append_part(client, field.value);
      }
    }
    append_part(client, request.remote_address());
  }
  return client;
}

/// What asks for another attempt leaves the key to that.
bool asks_to_try_again(int status) noexcept {
  return status >= 500 || status == 408 || status == 425 || status == 429;
}

Response refusal(int status, std::string detail) {
  Response response;
  render_error(response, Error(status, std::move(detail)));
  return response;
}

/// The right to do what a key stands for. Where it ends without an answer the key is free again:
/// the client has left, and nobody knows what of it was done.
class Work {
 public:
  Work(KeyedAnswers& answers, const KeyedAnswers::Key& key) : answers_(answers), key_(key) {}
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  ~Work() {
    if (!has_ended_) {
      answers_.free(key_);
    }
  }
  void end(KeyedAnswer answer) {
    answers_.end(key_, std::make_shared<const KeyedAnswer>(std::move(answer)),
                 Loop::current().now());
    has_ended_ = true;
  }

 private:
  KeyedAnswers& answers_;
  const KeyedAnswers::Key key_;
  bool has_ended_ = false;
};

class Idempotency {
 public:
  explicit Idempotency(IdempotencyKeys options)
      : options_(std::move(options)),
        answers_(options_.bytes_max, options_.keys_max_per_client, options_.lasts) {}

  /// Pre: `this` outlives the task, as the middleware that the service holds does.
  Task<Response> answer(Request& request, Next next) {
    if (request.method() != Method::post && request.method() != Method::patch) {
      auto passing = next();
      Response response = co_await std::move(passing);
      co_return response;
    }
    const Result<std::string_view> key = key_of(request);
    if (!key) {
      co_return refusal(key.error().status(), key.error().detail());
    }
    if (key->empty()) {
      if (options_.is_required) {
        co_return refusal(400, "Idempotency-Key is missing: give each request one of its own.");
      }
      auto passing = next();
      Response response = co_await std::move(passing);
      co_return response;
    }
    auto keyed = answer_once(request, next, {hash(client(request)), hash(*key)});
    Response response = co_await std::move(keyed);
    co_return response;
  }

 private:
  Task<Response> answer_once(Request& request, Next next, KeyedAnswers::Key key) {
    const auto found = answers_.begin(key, fingerprint(request), Loop::current().now());
    switch (found.standing) {
      case Standing::at_work:
        co_return refusal(409, "The request with this Idempotency-Key is at work.");
      case Standing::other_request:
        co_return refusal(422, "This Idempotency-Key was used for another request.");
      case Standing::answered:
        co_return made_of(*found.answer);
      case Standing::begun:
        break;
    }
    Work work(answers_, key);
    auto passing = next();
    Response response = co_await std::move(passing);
    if (!asks_to_try_again(response.status())) {
      work.end(kept(response));
    }
    co_return response;
  }

  [[nodiscard]] KeyedAnswer kept(const Response& response) const {
    if (is_in_memory(response) && response.body().size() <= options_.answer_bytes_max &&
        response.field_lines().size() <= options_.answer_bytes_max) {
      return {.status = response.status(),
              .type = std::string(response.content_type()),
              .field_lines = std::string(response.field_lines()),
              .body = std::string(response.body())};
    }
    const Response instead = refusal(409, "This was done before; its answer is not kept.");
    return {.status = instead.status(),
            .type = std::string(instead.content_type()),
            .field_lines = {},
            .body = std::string(instead.body())};
  }

  static Response made_of(const KeyedAnswer& answer) {
    Response response(answer.status);
    response.append_field_lines(answer.field_lines);
    response.add_header("Idempotent-Replayed", "true");
    if (!answer.type.empty()) {
      response.set_type(answer.type);
    }
    response.set_body(answer.body);
    return response;
  }

  [[nodiscard]] Fingerprint hash(std::string_view text) const noexcept {
    return sip_hash_128(secret_, text);
  }
  [[nodiscard]] std::string client(const Request& request) const {
    return options_.client ? options_.client(request) : asking_client(request);
  }
  [[nodiscard]] Fingerprint fingerprint(const Request& request) const {
    const Fingerprint content = hash(request.body());
    std::string parts;
    append_part(parts, to_text(request.method()));
    append_part(parts, request.head().authority);
    append_part(parts, request.target());
    append_part(parts, request.header("Content-Type").value_or(""));
    append_part(parts, std::to_string(content[0]));
    append_part(parts, std::to_string(content[1]));
    return hash(parts);
  }

  const IdempotencyKeys options_;
  const SipKey secret_ = SipKey::random();
  KeyedAnswers answers_;
};

}  // namespace

Around idempotency_keys(IdempotencyKeys options) {
  auto keys = std::make_shared<Idempotency>(std::move(options));
  return {[keys](Request& request, Next next) { return keys->answer(request, next); },
          "idempotency_keys"};
}

}  // namespace eider
