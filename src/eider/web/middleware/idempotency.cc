#include "eider/web/middleware/idempotency.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "eider/app/handlers/operation.h"
#include "eider/app/handlers/respond.h"
#include "eider/core/base/per_process.h"
#include "eider/core/base/sip_hash.h"
#include "eider/core/base/text.h"
#include "eider/io/runtime/loop.h"
#include "eider/protocols/http/status.h"
#include "eider/server/content.h"
#include "eider/web/middleware/cookieless.h"
#include "eider/web/middleware/identity.h"
#include "eider/web/middleware/keyed_responses.h"

namespace eider {

namespace {

using detail::middleware::Fingerprint;
using detail::middleware::KeyedResponse;
using detail::middleware::KeyedResponses;
using Standing = KeyedResponses::Standing;

constexpr std::string_view kKeyField = "Idempotency-Key";
constexpr std::size_t kKeyBytesMax = 255;

bool is_keyed(Method method) noexcept {
  return method == Method::post || method == Method::patch;
}

/// Reads an Item of type String (RFC 9651, section 3.3.3), or the same without quotes, as many
/// clients send it.
Result<std::string_view> read_key(std::string_view value) {
  if (value.size() > 1 && value.starts_with('"') && value.ends_with('"')) {
    value = value.substr(1, value.size() - 2);
  }
  const bool is_key =
      !value.empty() && value.size() <= kKeyBytesMax && std::ranges::all_of(value, [](char byte) {
        return byte > ' ' && byte < '\x7F' && byte != '"' && byte != '\\';
      });
  if (!is_key) {
    return fail(Error::bad_request("Idempotency-Key must have 1 to 255 visible characters."));
  }
  return value;
}

/// Returns the key of the request; an empty text without one.
Result<std::string_view> key_of(const Request& request) {
  std::string_view key;
  for (const Field& field : request.headers()) {
    if (!equals_ignoring_case(field.name, kKeyField)) {
      continue;
    }
    auto read = read_key(trim(field.value));
    if (!read || !key.empty()) {
      return read ? fail(Error::bad_request("The Idempotency-Key header is given more than once."))
                  : read;
    }
    key = *read;
  }
  return key;
}

/// Appends a text so that different lists of texts have different results.
void append_part(std::string& joined, std::string_view part) {
  joined.append(std::to_string(part.size())).append(":").append(part);
}

/// is_known  the identity was verified; otherwise a client can claim any number of identities
struct AskingClient {
  std::string name;
  bool is_known = false;
};

AskingClient asking_client(const Request& request) {
  AskingClient client;
  if (const auto* const identity = request.find<Identity>()) {
    client.is_known = true;
    append_part(client.name, "identity");
    append_part(client.name, identity->name);
    return client;
  }
  const auto secured = request.tls();
  const std::string_view certificate = secured ? secured->client.fingerprint : std::string_view();
  const auto* const cookieless = request.find<detail::middleware::Cookieless>();
  const std::string_view authorization = cookieless != nullptr
                                             ? cookieless->credentials
                                             : request.header("Authorization").value_or("");
  client.is_known = !certificate.empty() && authorization.empty();
  append_part(client.name, certificate);
  append_part(client.name, authorization);
  if (certificate.empty() && authorization.empty()) {
    for (const Field& field : request.headers()) {
      if (equals_ignoring_case(field.name, "Cookie")) {
        append_part(client.name, field.value);
      }
    }
    append_part(client.name, request.remote_address());
  }
  return client;
}

/// Returns whether the key stays free after that status: if another attempt or other credentials
/// are needed, nothing was done. So responses to unauthorized clients use no memory.
bool leaves_key_free(int status) noexcept {
  return is_server_error(status) || status == 401 || status == 403 || status == 408 ||
         status == 425 || status == 429;
}

Response refusal(int status, std::string detail) {
  Response response;
  render_error(response, Error(status, std::move(detail)));
  return response;
}

using ResponsePtr = std::shared_ptr<const KeyedResponse>;

ResponsePtr kept_refusal(std::string detail) {
  const Response instead = refusal(409, std::move(detail));
  return std::make_shared<const KeyedResponse>(
      KeyedResponse{.status = instead.status(),
                    .type = std::string(instead.content_type()),
                    .field_lines = {},
                    .body = std::string(instead.body())});
}

/// Stored if there is no response to store.
struct Instead {
  ResponsePtr done =
      kept_refusal("The request was already completed; its response was not stored.");
  ResponsePtr unknown = kept_refusal("The request was already started; its outcome is unknown.");
};

/// The right to process the request of a key. If it is destroyed before the end, for example
/// because the client disconnects, the outcome is unknown: the request may be a payment, and is not
/// processed again.
///
/// Pre: all references outlive it, as the event loop and the middleware do.
class OwnResponse {
 public:
  OwnResponse(KeyedResponses& responses, const KeyedResponses::Key& key, const Instead& instead)
      : responses_(responses), key_(key), instead_(instead), loop_(Loop::current()) {}
  OwnResponse(const OwnResponse&) = delete;
  OwnResponse& operator=(const OwnResponse&) = delete;
  ~OwnResponse() {
    if (is_at_work_) {
      give_up();
    }
  }
  void end(ResponsePtr response) {
    responses_.end(key_, std::move(response), loop_.now());
    is_at_work_ = false;
  }
  void end_without_response() { end(instead_.done); }
  void free() noexcept {
    responses_.free(key_);
    is_at_work_ = false;
  }

 private:
  void give_up() noexcept {
    try {
      end(instead_.unknown);
    } catch (...) {  // no memory: an entry that stays in progress would be a leak
      free();
    }
  }

  KeyedResponses& responses_;
  const KeyedResponses::Key key_;
  const Instead& instead_;
  Loop& loop_;
  bool is_at_work_ = true;
};

/// Records whether a part of the response may have been sent.
class WatchedWriter final : public BodyWriter {
 public:
  explicit WatchedWriter(BodyWriter& out) noexcept : out_(out) {}
  [[nodiscard]] bool has_written() const noexcept { return has_written_; }

  [[nodiscard]] Response& head() noexcept override { return out_.head(); }
  void add_trailer(std::string_view name, std::string_view value) override {
    out_.add_trailer(name, value);
  }
  void put(std::string_view bytes) override {
    has_written_ = has_written_ || !bytes.empty();
    out_.put(bytes);
  }
  void flush() override {
    has_written_ = true;
    out_.flush();
  }
  [[nodiscard]] AsyncEvent& room() noexcept override { return out_.room(); }
  void note_ending(Ending ending) noexcept override { out_.note_ending(ending); }

 private:
  BodyWriter& out_;
  bool has_written_ = false;
};

/// A produced body. Its producer is part of the processing: the handler may have done nothing
/// before.
class KeyedContent final : public ProducedContent {
 public:
  /// Pre: content is not null.
  KeyedContent(ContentPtr<ProducedContent> content, std::unique_ptr<OwnResponse> work) noexcept
      : content_(std::move(content)), work_(std::move(work)) {}

  [[nodiscard]] Task<> produce(BodyWriter& out) override {
    WatchedWriter watched(out);
    try {
      co_await content_->produce(watched);
    } catch (...) {
      if (!watched.has_written()) {  // the response is an error, as for a handler that throws
        work_->free();
      }
      throw;
    }
    if (leaves_key_free(out.head().status())) {
      work_->free();
    } else {
      work_->end_without_response();
    }
  }
  [[nodiscard]] std::optional<std::uint64_t> length() const noexcept override {
    return content_->length();
  }
  [[nodiscard]] bool is_live() const noexcept override { return content_->is_live(); }
  [[nodiscard]] std::string last_words() const override { return content_->last_words(); }

 private:
  const ContentPtr<ProducedContent> content_;
  const std::unique_ptr<OwnResponse> work_;
};

class Idempotency {
 public:
  explicit Idempotency(IdempotencyKeys options)
      : options_(std::move(options)),
        of_known_(half_of(options_), options_.ttl),
        of_others_(half_of(options_), options_.ttl) {}

  /// Pre: this object outlives the task, because the service owns the middleware.
  Task<Response> respond(Request& request, Next next) {
    if (!is_keyed(request.method())) {
      Response response = co_await next();
      co_return response;
    }
    const Result<std::string_view> key = key_of(request);
    if (!key) {
      co_return refusal(key.error().status(), key.error().detail());
    }
    if (key->empty()) {
      if (options_.is_required) {
        co_return refusal(
            400, "The Idempotency-Key header is missing. Send a unique key with each request.");
      }
      Response response = co_await next();
      co_return response;
    }
    Response response = co_await respond_once(request, next, hash(*key));
    co_return response;
  }

 private:
  Task<Response> respond_once(Request& request, Next next, Fingerprint key_hash) {
    const AskingClient asking = client(request);
    const KeyedResponses::Key key = {.client = hash(asking.name), .key = key_hash};
    KeyedResponses& responses = asking.is_known ? of_known_ : of_others_;
    const auto found = responses.begin(key, fingerprint(request), Loop::current().now());
    switch (found.standing) {
      case Standing::at_work:
        co_return refusal(409, "A request with this Idempotency-Key is still in progress.");
      case Standing::other_request:
        co_return refusal(422, "This Idempotency-Key was already used for a different request.");
      case Standing::answered:
        co_return made_of(*found.response);
      case Standing::begun:
        break;
    }
    auto work = std::make_unique<OwnResponse>(responses, key, instead_);
    Response response = co_await next();
    if (leaves_key_free(response.status())) {
      work->free();
    } else if (content_as<ProducedContent>(response) != nullptr) {
      auto content = std::get<ContentPtr<ProducedContent>>(response.take_content());
      response.set_content(std::make_unique<KeyedContent>(std::move(content), std::move(work)));
    } else if (may_be_kept(response)) {
      work->end(kept(response, asking.is_known));
    } else {
      work->end_without_response();
    }
    co_return response;
  }

  [[nodiscard]] bool may_be_kept(const Response& response) const noexcept {
    return is_in_memory(response) && response.body().size() <= options_.response_bytes_max &&
           response.field_lines().size() <= options_.response_bytes_max;
  }

  /// Returns the response to store. Unidentified clients may share one address: a cookie that one
  /// of them was given, such as that of a session, must not be sent to another.
  static ResponsePtr kept(const Response& response, bool is_of_known) {
    Response fields;
    fields.append_field_lines(response.field_lines());
    if (!is_of_known) {
      fields.remove_header("Set-Cookie");
    }
    return std::make_shared<const KeyedResponse>(
        KeyedResponse{.status = response.status(),
                      .type = std::string(response.content_type()),
                      .field_lines = std::string(fields.field_lines()),
                      .body = std::string(response.body())});
  }

  static KeyedResponses::Limits half_of(const IdempotencyKeys& options) noexcept {
    return {.bytes_max = options.bytes_max / 2,
            .bytes_max_per_client = options.bytes_max_per_client,
            .keys_max_per_client = options.keys_max_per_client};
  }

  static Response made_of(const KeyedResponse& stored) {
    Response response(stored.status);
    response.append_field_lines(stored.field_lines);
    response.add_header("Idempotent-Replayed", "true");
    if (!stored.type.empty()) {
      response.set_type(stored.type);
    }
    response.set_body(stored.body);
    return response;
  }

  [[nodiscard]] Fingerprint hash(std::string_view text) const noexcept {
    return sip_hash_128(secret_, text);
  }
  [[nodiscard]] AskingClient client(const Request& request) const {
    return options_.client ? AskingClient{.name = options_.client(request), .is_known = true}
                           : asking_client(request);
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
  const Instead instead_;
  KeyedResponses of_known_;
  KeyedResponses of_others_;  // separate: claimed identities cannot displace known clients
};

void describe_keys(Operation& operation, bool is_required) {
  if (!is_keyed(operation.method)) {
    return;
  }
  operation.take_header(kKeyField, nullptr, is_required);
  operation.add_problem(400, "The Idempotency-Key header is missing or invalid.");
  operation.add_problem(409,
                        "A request with this Idempotency-Key is in progress or already completed.");
  operation.add_problem(422, "This Idempotency-Key was already used for a different request.");
  for (Operation::Response& response : operation.responses) {
    response.add_header("Idempotent-Replayed");
  }
}

}  // namespace

Middleware idempotency_keys(IdempotencyKeys options) {
  detail::base::note_per_process("idempotency_keys()");
  const bool is_required = options.is_required;
  auto keys = std::make_shared<Idempotency>(std::move(options));
  return {[keys](Request& request, Next next) { return keys->respond(request, next); },
          "idempotency_keys",
          [is_required](Operation& operation) { describe_keys(operation, is_required); }};
}

}  // namespace eider
