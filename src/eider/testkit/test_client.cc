#include "eider/testkit/test_client.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/auth/session/session.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/protocols/http/http_url.h"
#include "eider/protocols/http/method.h"
#include "eider/protocols/http/received_cookie.h"
#include "eider/protocols/http/sse.h"
#include "eider/protocols/http/ws/handshake.h"
#include "eider/server/connections.h"
#include "eider/server/context.h"
#include "eider/server/limits.h"
#include "eider/testkit/html_form.h"
#include "eider/testkit/loop_sim.h"
#include "eider/testkit/sim_kernel.h"

namespace eider::detail::testkit {

class CookieStore {
 public:
  /// Stores the cookie of one Set-Cookie header of a response.
  ///
  /// path  of the request, without its query
  void store(std::string_view field_value, std::string_view path, std::int64_t now_seconds);
  /// Returns the value of the Cookie header, longer paths first; empty without cookies. The
  /// attribute Secure is ignored, because requests of tests count as secure.
  [[nodiscard]] std::string field_for(std::string_view path, std::int64_t now_seconds) const;

 private:
  std::vector<ReceivedCookie> cookies_;  // longer paths first
};

void CookieStore::store(std::string_view field_value, std::string_view path,
                        std::int64_t now_seconds) {
  auto cookie = read_set_cookie(field_value, path, now_seconds);
  if (!cookie) {
    return;
  }
  std::erase_if(cookies_, [&cookie](const ReceivedCookie& other) {
    return other.name == cookie->name && other.path == cookie->path;
  });
  if (cookie->expires > now_seconds) {
    const auto behind = std::ranges::find_if(cookies_, [&cookie](const ReceivedCookie& other) {
      return other.path.size() < cookie->path.size();
    });
    cookies_.insert(behind, std::move(*cookie));
  }
}

std::string CookieStore::field_for(std::string_view path, std::int64_t now_seconds) const {
  std::string field;
  for (const ReceivedCookie& cookie : cookies_) {
    if (is_cookie_path_of(cookie.path, path) && cookie.expires > now_seconds) {
      field.append(field.empty() ? "" : "; ").append(cookie.name).append("=").append(cookie.value);
    }
  }
  return field;
}

}  // namespace eider::detail::testkit

namespace eider {

namespace {

constexpr Duration kPatience = std::chrono::minutes(1);
/// Each function that runs at shutdown has its own time limit.
constexpr Duration kPatienceAtEnd = std::chrono::hours(24);
constexpr Duration kStep = std::chrono::milliseconds(1);
constexpr std::string_view kOrigin = "http://test";

using detail::testkit::HtmlForm;

std::unique_ptr<RequestService> service_of(const App& app) {
  return value_or_throw(app.make_service());
}

std::string to_pairs(const std::vector<TestField>& fields) {
  std::string pairs;
  for (const auto& [name, value] : fields) {
    pairs.append(pairs.empty() ? "" : "&").append(percent_encode(name));
    pairs.append("=").append(percent_encode(value));
  }
  return pairs;
}

/// Throws a Failure unless exactly one form of the page matches.
HtmlForm form_of(const TestResponse& page, const std::vector<TestField>& typed,
                 std::string_view action) {
  std::vector<HtmlForm> forms = detail::testkit::forms_of(page.body);
  std::erase_if(forms, [&](const HtmlForm& form) {
    return (!action.empty() && form.action != action) ||
           !std::ranges::all_of(typed, [&form](const TestField& field) {
             return std::ranges::count(form.names, field.name) != 0;
           });
  });
  if (forms.size() != 1) {
    throw Failure(Error::internal(
        (forms.empty() ? "no form on the page " : "more than one form on the page ") + page.target +
        " has the fields " + joined(typed, ", ", &TestField::name) + ": " + page.body));
  }
  return std::move(forms.front());
}

/// Returns the target to which a browser on the page sends the request. Throws a Failure for
/// another host.
std::string target_of(const TestResponse& page, const std::string& action) {
  const auto base = detail::http::read_http_url(std::string(kOrigin).append(page.target));
  if (action.empty() || !base) {
    return page.target;
  }
  const auto to = detail::http::resolve_reference(*base, action);
  if (!to || !to->has_origin_of(*base)) {
    throw Failure(Error::internal("the form on " + page.target +
                                  " has an action on another site: " + action));
  }
  return to->target;
}

std::string_view path_of(const TestRequest& request) noexcept {
  return std::string_view(request.target).substr(0, request.target.find('?'));
}

void add_line(std::string& bytes, std::string_view name, std::string_view value) {
  bytes.append(name).append(": ").append(value).append(kCrlf);
}

/// Returns the request of a browser after a redirect (Fetch, section 4.4); nothing for a redirect
/// to another host, or if the response is not a redirect.
std::optional<TestRequest> redirected(const TestRequest& request, const TestResponse& reply) {
  const auto location = reply.header("Location");
  const int status = reply.status;
  if (!location || (status != 307 && status != 308 && (status < 301 || status > 303))) {
    return std::nullopt;
  }
  const auto base = detail::http::read_http_url(std::string(kOrigin).append(request.target));
  if (!base) {
    return std::nullopt;
  }
  const auto to = detail::http::resolve_reference(*base, *location);
  if (!to || !to->has_origin_of(*base)) {
    return std::nullopt;
  }
  TestRequest next = request;
  next.target = to->target;
  const bool becomes_get = status == 303
                               ? request.method != Method::head
                               : (status == 301 || status == 302) && request.method == Method::post;
  if (becomes_get) {
    next.method = Method::get;
    next.body.clear();
    std::erase_if(next.headers, [](const TestHeader& field) {
      return equals_ignoring_case(field.name, "Content-Type");
    });
  }
  return next;
}

}  // namespace

/// The server part after a listener, on a simulated event loop: the test passes connections to it.
struct TestClient::Stage final : detail::server::ConnectionCounter {
  explicit Stage(const App& app) : service(service_of(app)), sessions(app.find_state<Sessions>()) {
    begin();
    client = connect();
  }
  ~Stage() { end(); }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  /// Throws a Failure if a startup function of the app fails.
  void begin();
  void end();
  /// Advances simulated time until the task has ended; throws the exception of the task.
  void run(Task<> task, Duration patience = kPatience);
  Task<> start() { value_or_throw(co_await service->start()); }

  SimClient connect() {
    SimPair pair = kernel.connect_pair();
    loop.call([this, &pair] { connections.open(std::move(pair.server)); });
    return std::move(pair.client);
  }
  void on_connection_ended() noexcept override {}

  /// Stores the cookie as if a response had set it.
  Task<> begin_session(std::string user_key) {
    const std::string cookie = co_await sessions->log_in(std::move(user_key));
    cookies.store(cookie + "; Path=/", "/", detail::testkit::wall_seconds_at(kernel.now()));
  }

  std::unique_ptr<RequestService> service;
  std::shared_ptr<const Sessions> sessions;  // null: the app has none
  json::Value document;                      // the document for validation; null: none
  detail::testkit::CookieStore cookies;
  Limits limits;
  SimKernel kernel;
  SimLoop loop{kernel};
  detail::server::LoopContext context{loop, *service, limits};
  detail::server::Connections connections{context, *this};
  SimClient client;
};

void TestClient::Stage::begin() {
  try {
    run(start());
  } catch (...) {
    run(service->stop());
    throw;
  }
  loop.call([this] { service->begin(); });
}

// Like a server: states that the app stops can be used until the last connection is closed.
void TestClient::Stage::end() {
  loop.call([this] { service->drain(); });
  loop.call([this] { connections.close_all(); });
  kernel.run_until_idle();
  run(service->end(), kPatienceAtEnd);
  run(service->stop(), kPatienceAtEnd);
}

void TestClient::Stage::run(Task<> task, Duration patience) {
  const Instant end = kernel.now() + patience;
  loop.call([&task] { task.start(); });
  for (kernel.run_until_idle(); !task.is_done(); kernel.advance(kStep)) {
    if (kernel.now() >= end) {
      throw Failure(Error::internal("a task of the app was not done within a minute"));
    }
  }
  task.take();
}

TestClient::TestClient(const App& app, TestClientOptions options)
    : options_(std::move(options)), stage_(std::make_unique<Stage>(app)) {
  if (options_.document) {
    const TestResponse reply = exchange({.target = options_.document->path});
    if (reply.status != 200) {
      throw Failure(
          Error::internal("there is no OpenAPI document to validate responses against: GET " +
                          options_.document->path + " returned " + std::to_string(reply.status)));
    }
    stage_->document = reply.json();
  }
}
TestClient::~TestClient() = default;

TestResponse TestClient::get(std::string target, std::vector<TestHeader> headers) {
  return send({.target = std::move(target), .headers = std::move(headers)});
}

TestResponse TestClient::head(std::string target) {
  return send({.method = Method::head, .target = std::move(target)});
}

TestResponse TestClient::del(std::string target) {
  return send({.method = Method::delete_, .target = std::move(target)});
}

TestResponse TestClient::post(std::string target, const json::Value& body) {
  return send_json(Method::post, std::move(target), json::to_text(body));
}

TestResponse TestClient::put(std::string target, const json::Value& body) {
  return send_json(Method::put, std::move(target), json::to_text(body));
}

TestResponse TestClient::patch(std::string target, const json::Value& body) {
  return send_json(Method::patch, std::move(target), json::to_text(body));
}

TestResponse TestClient::send_json(Method method, std::string target, std::string body) {
  return send({.method = method,
               .target = std::move(target),
               .headers = {{"Content-Type", "application/json"}},
               .body = std::move(body)});
}

TestResponse TestClient::post_form(std::string target, const std::vector<TestField>& fields) {
  return send({.method = Method::post,
               .target = std::move(target),
               .headers = {{"Content-Type", "application/x-www-form-urlencoded"}},
               .body = to_pairs(fields)});
}

TestResponse TestClient::submit(const TestResponse& page, const std::vector<TestField>& typed,
                                std::string_view action) {
  const HtmlForm form = form_of(page, typed, action);
  std::vector<TestField> fields = typed;
  for (const auto& [name, value] : form.fields) {
    if (std::ranges::count(typed, name, &TestField::name) == 0) {
      fields.push_back({name, value});
    }
  }
  std::string target = target_of(page, form.action);
  if (form.is_get) {
    return get(target.substr(0, target.find('?')) + "?" + to_pairs(fields));
  }
  if (!form.is_multipart) {
    return post_form(std::move(target), fields);
  }
  MultipartForm parts;
  for (const auto& [name, value] : fields) {
    parts.add(name, value);
  }
  for (const std::string& name : form.files) {
    parts.add_file(name, "", "application/octet-stream", "");
  }
  return post_form(std::move(target), parts);
}

TestResponse TestClient::post_form(std::string target, const MultipartForm& form) {
  std::string boundary = "boundary";
  while (!form.may_use(boundary)) {
    boundary += '-';
  }
  return send({.method = Method::post,
               .target = std::move(target),
               .headers = {{"Content-Type", "multipart/form-data; boundary=" + boundary}},
               .body = form.to_text(boundary)});
}

std::string TestClient::bytes_of(const TestRequest& request) const {
  std::string bytes(to_text(request.method));
  bytes.append(" ").append(request.target).append(" HTTP/1.1\r\nHost: test\r\n");
  for (const std::vector<TestHeader>* const headers : {&options_.headers, &request.headers}) {
    for (const auto& [name, value] : *headers) {
      add_line(bytes, name, value);
    }
  }
  const std::string cookies = stage_->cookies.field_for(
      path_of(request), detail::testkit::wall_seconds_at(stage_->kernel.now()));
  if (!cookies.empty()) {
    add_line(bytes, "Cookie", cookies);
  }
  if (!request.body.empty() || request.method == Method::post) {
    add_line(bytes, "Content-Length", std::to_string(request.body.size()));
  }
  return bytes.append(kCrlf).append(request.body);
}

TestResponse TestClient::send(const TestRequest& request) {
  TestResponse reply = send_once(request);
  std::optional<TestRequest> next = redirected(request, reply);
  for (int left = options_.redirects_max; left > 0 && next; --left) {
    reply = send_once(*next);
    next = redirected(*next, reply);
  }
  return reply;
}

TestResponse TestClient::send_once(const TestRequest& request) {
  TestResponse reply = exchange(request);
  for (const auto& [name, value] : reply.headers) {
    if (options_.keeps_cookies && equals_ignoring_case(name, "Set-Cookie")) {
      stage_->cookies.store(value, path_of(request),
                            detail::testkit::wall_seconds_at(stage_->kernel.now()));
    }
  }
  hold(request.method, request.target, reply);
  return reply;
}

void TestClient::hold(Method method, const std::string& target, const TestResponse& reply) const {
  if (!options_.document) {
    return;
  }
  std::string wrong;
  for (const std::string& line :
       check_response(stage_->document, method, target, reply, *options_.document)) {
    wrong.append("\n  ").append(line);
  }
  if (!wrong.empty()) {
    throw Failure(Error::internal(std::string(to_text(method)) + " " + target + " returned " +
                                  std::to_string(reply.status) + ", which does not match " +
                                  options_.document->path + ":" + wrong + "\n  " + reply.body));
  }
}

TestResponse TestClient::exchange(const TestRequest& request) {
  SimKernel& kernel = stage_->kernel;
  if (stage_->client.is_closed()) {
    stage_->client = stage_->connect();
  }
  stage_->client.send(bytes_of(request));
  const Instant end = kernel.now() + kPatience;
  const ReplyTo to = request.method == Method::head ? ReplyTo::head : ReplyTo::other;
  std::string received;
  for (kernel.run_until_idle(); kernel.now() < end; kernel.advance(kStep)) {
    received += stage_->client.take_received();
    if (auto reply = take_reply(received, to)) {
      reply->target = request.target;
      return std::move(*reply);
    }
  }
  throw Failure(Error::internal("the response was not complete within a minute: " + received));
}

TestClient& TestClient::as(std::string user_key) {
  if (stage_->sessions == nullptr) {
    throw Failure(Error::internal("the app has no sessions. Call add_sessions<T>(app)"));
  }
  stage_->run(stage_->begin_session(std::move(user_key)));
  options_.keeps_cookies = true;
  return *this;
}

TestEvents TestClient::events(std::string target, std::vector<TestHeader> headers) {
  headers.emplace_back("Accept", kTextEventStream);
  const std::string bytes = bytes_of({.target = target, .headers = std::move(headers)});
  return {stage_->kernel, stage_->connect(), bytes,
          [this, target](const TestResponse& reply) { hold(Method::get, target, reply); }};
}

TestWebSocket TestClient::websocket(std::string target, std::vector<TestHeader> headers) {
  headers.emplace_back("Connection", "Upgrade");
  headers.emplace_back("Upgrade", "websocket");
  headers.emplace_back(ws::kVersionField, ws::kVersion);
  const auto key = ws::make_key({});  // keys of tests can be predictable
  headers.emplace_back(ws::kKeyField, std::string_view(key.data(), key.size()));
  return {stage_->kernel, stage_->connect(),
          bytes_of({.target = std::move(target), .headers = std::move(headers)})};
}

std::string TestClient::raw(std::string_view bytes) {
  SimClient client = stage_->connect();
  client.send(bytes);
  stage_->kernel.run_until_idle();
  return client.take_received();
}

void TestClient::run_task(Task<> task) {
  stage_->run(std::move(task));
}

void TestClient::advance(Duration time) {
  stage_->kernel.advance(time);
}

}  // namespace eider
