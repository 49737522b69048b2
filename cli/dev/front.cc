#include "cli/dev/front.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/dev/fault_page.h"
#include "eider/app/handlers/websocket.h"
#include "eider/core/base/text.h"
#include "eider/io/runtime/sleep.h"
#include "eider/protocols/http/ip_address.h"
#include "eider/server/content.h"
#include "eider/web/proxy/proxy.h"

namespace eider::dev {

namespace {

constexpr std::string_view kTopic = "eider dev";
constexpr std::string_view kOwnPaths = "/_eider/dev";
constexpr int kUnavailable = 503;
constexpr int kForbidden = 403;
constexpr int kBadGateway = 502;
/// Polling interval; its cost does not matter on a development machine.
constexpr Duration kLookEvery = std::chrono::milliseconds(5);
/// Time for the supervisor to notice that a program without a response has ended.
constexpr Duration kHearWithin = std::chrono::milliseconds(500);
/// Long timeout, because a developer may stop the program in a debugger.
constexpr Duration kPatience = std::chrono::hours(12);

/// The script reloads the page itself, so that the browser keeps the scroll position.
constexpr std::string_view kScript = R"js((() => {
  const shown = document.currentScript.dataset.version;
  const restyle = () => {
    for (const link of document.querySelectorAll('link[rel~="stylesheet"]')) {
      const next = link.cloneNode();
      const address = new URL(link.href);
      if (address.origin !== location.origin) continue;
      address.searchParams.set("eider-dev", Date.now());
      next.href = address.href;
      next.onload = () => link.remove();
      link.after(next);
    }
  };
  const connect = () => {
    const address = new URL("/_eider/dev/news", location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address);
    socket.onmessage = ({data}) => {
      const [what, version] = data.split(" ");
      if (what === "style") restyle();
      else if (version !== shown) location.reload();
    };
    socket.onclose = () => setTimeout(connect, 300);
  };
  connect();
})();
)js";

std::string script_tag(std::uint64_t version, std::string_view nonce) {
  std::string tag = "<script src=\"/_eider/dev.js\" data-version=\"" + std::to_string(version);
  if (!nonce.empty()) {
    tag.append("\" nonce=\"").append(nonce);
  }
  return tag + "\"></script>";
}

/// A body with text appended to it.
class ContentAndMore final : public ProducedContent {
 public:
  ContentAndMore(ContentPtr<ProducedContent> inner, std::string more)
      : inner_(std::move(inner)), more_(std::move(more)) {}

  [[nodiscard]] Task<> produce(BodyWriter& out) override {
    co_await inner_->produce(out);
    co_await out.write(more_);
  }
  [[nodiscard]] std::optional<std::uint64_t> length() const noexcept override {
    const auto length = inner_->length();
    return length ? std::optional(*length + more_.size()) : std::nullopt;
  }
  [[nodiscard]] bool is_live() const noexcept override { return inner_->is_live(); }

 private:
  ContentPtr<ProducedContent> inner_;
  std::string more_;
};

/// Returns whether a whole page is requested, not a part of one: by Sec-Fetch-Dest, or by typical
/// headers of scripts if browsers omit it (on plain http:// addresses other than this machine).
bool wants_page(const Request& request) {
  if (request.method() != Method::get) {
    return false;
  }
  if (const auto destination = request.header("Sec-Fetch-Dest")) {
    return *destination == "document" || *destination == "iframe";
  }
  return request.header("Accept").value_or("").contains("text/html") &&
         !request.header("HX-Request") && !request.header("Turbo-Frame") &&
         !request.header("X-Requested-With");
}

std::optional<std::string_view> field_of(const Response& response, std::string_view name) {
  std::string_view lines = response.field_lines();
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find("\r\n"), lines.size());
    const std::string_view line = lines.substr(0, end);
    const std::size_t colon = std::min(line.find(':'), line.size());
    if (equals_ignoring_case(line.substr(0, colon), name)) {
      // Written as "Name: value" by add_header and the proxy.
      return line.substr(std::min(colon + 2, line.size()));
    }
    lines.remove_prefix(std::min(end + 2, lines.size()));
  }
  return std::nullopt;
}

void add_script(const Request& request, Response& response, std::uint64_t version) {
  const bool is_page = wants_page(request) && response.content_type().starts_with("text/html") &&
                       !field_of(response, "Content-Encoding");
  if (!is_page) {
    return;
  }
  const auto policy = field_of(response, "Content-Security-Policy");
  std::string tag = script_tag(version, policy ? nonce_of(*policy) : std::string_view());
  // A cached page would be shown with its old version, and reload itself forever.
  response.replace_header("Cache-Control", "no-store");
  if (std::holds_alternative<ContentPtr<ProducedContent>>(response.content())) {
    Content content = response.take_content();
    auto inner = std::get<ContentPtr<ProducedContent>>(std::move(content));
    response.set_content(std::make_unique<ContentAndMore>(std::move(inner), std::move(tag)));
  } else {
    response.set_body(std::string(response.body()) + tag);
  }
}

Response fault_response(const Request& request, const Fault& fault, std::uint64_t version) {
  Response response(kUnavailable);
  response.add_header("Cache-Control", "no-store");
  if (wants_page(request)) {
    response.set_type("text/html; charset=utf-8");
    response.set_body(fault_page(fault, script_tag(version, {})));
  } else {
    // If a program has ended, there are no diagnostics: only its output shows the reason.
    const bool is_clear = !fault.diagnostics.empty() || fault.output.empty();
    response.set_type("text/plain; charset=utf-8")
        .set_body(fault_text(fault) + (is_clear ? "" : "\n" + fault.output));
  }
  return response;
}

constexpr std::string_view kTokenField = "Eider-Dev-Token";

/// Changes the request headers while the program handles the request. Adds the token, without which
/// the program rejects requests. For a page, removes Accept-Encoding, so that a script can be
/// appended.
class FieldsForProgram {
 public:
  FieldsForProgram(Request& request, std::string_view token)
      : request_(request), given_(request.head().fields), told_(given_.begin(), given_.end()) {
    std::erase_if(told_, [is_page = wants_page(request)](const Field& field) {
      return equals_ignoring_case(field.name, kTokenField) ||
             (is_page && equals_ignoring_case(field.name, "Accept-Encoding"));
    });
    told_.push_back({kTokenField, token});
    request.head().fields = told_;
  }
  FieldsForProgram(const FieldsForProgram&) = delete;
  FieldsForProgram& operator=(const FieldsForProgram&) = delete;
  ~FieldsForProgram() { request_.head().fields = given_; }

 private:
  Request& request_;
  std::span<const Field> given_;
  std::vector<Field> told_;
};

Task<> wait_while_busy(const DevState& state) {
  while (state.phase() == Phase::busy) {
    co_await sleep_for(kLookEvery);
  }
}

/// Waits for the supervisor, which notices at about the same time that the program has ended.
Task<> wait_for_word(const DevState& state) {
  for (Duration left = kHearWithin; left > Duration::zero() && state.phase() == Phase::serving;
       left -= kLookEvery) {
    co_await sleep_for(kLookEvery);
  }
}

Task<Response> stand_in(DevState& state, const std::string& token, Request& request, Next next) {
  if (request.path().starts_with(kOwnPaths)) {
    co_return co_await next();
  }
  co_await wait_while_busy(state);
  std::uint64_t version = state.version();
  if (const auto fault = state.fault()) {
    co_return fault_response(request, *fault, version);
  }
  std::optional<Response> response;
  {
    const FieldsForProgram fields(request, token);
    response.emplace(co_await next());
  }
  if (response->status() == kBadGateway) {
    co_await wait_for_word(state);
    if (const auto fault = state.fault()) {
      co_return fault_response(request, *fault, state.version());
    }
  }
  add_script(request, *response, version);
  co_return std::move(*response);
}

Hook refuse_other_hosts(std::vector<std::string> names) {
  return {.on_request =
              [names = std::move(names)](Request& request, Response& response) {
                if (is_allowed_host(request.head().authority, names)) {
                  return true;
                }
                response.set_status(kForbidden);
                response.set_type("text/plain; charset=utf-8")
                    .set_body(
                        "eider dev does not accept this host name. Start eider dev with "
                        "--allow-host NAME.\n");
                return false;
              },
          .name = "refuse_other_hosts"};
}

void add_own_routes(App& app, DevState& state) {
  app.get("/_eider/dev.js", [] {
    Response response;
    response.set_type("text/javascript").set_static_body(kScript);
    response.add_header("Cache-Control", "no-cache");
    return response;
  });
  WebSocketHandlers news;
  news.opened = [&state](WebSocketRef& socket) {
    socket.subscribe(kTopic);
    (void)socket.try_send("page " + std::to_string(state.version()));
  };
  app.ws("/_eider/dev/news", std::move(news));
}

ProxyOptions proxy_options(bool is_local) {
  ProxyOptions options;
  // A program that is not running now will be restarted in a second.
  options.failures_max = ~0U;
  options.tries_max = 1;
  options.tunnel_idle = kPatience;
  options.preserves_host = true;
  options.is_transparent = is_local;
  // The program gets the same paths as without this front, which has no guards.
  options.allows_encoded_slashes = true;
  options.allows_semicolons = true;
  options.allows_double_encoding = true;
  options.client.first_byte = kPatience;
  options.client.between_bytes = kPatience;
  // A persistent connection could be closed by the restart of the program, just when it is used.
  options.client.idle = std::chrono::milliseconds(1);
  return options;
}

}  // namespace

bool is_allowed_host(std::string_view authority, const std::vector<std::string>& names) {
  const std::size_t colon = authority.rfind(':');
  const bool has_port = colon != authority.npos && !authority.ends_with(']');
  std::string host(authority.substr(0, has_port ? colon : authority.npos));
  std::ranges::transform(host, host.begin(), [](char byte) { return to_lower(byte); });
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  }
  return host == "localhost" || host.ends_with(".localhost") ||
         IpAddress::parse(host).has_value() || std::ranges::find(names, host) != names.end();
}

std::string_view nonce_of(std::string_view policy) {
  constexpr std::string_view kMark = "'nonce-";
  const std::size_t at = policy.find(kMark);
  if (at == policy.npos) {
    return {};
  }
  const std::string_view rest = policy.substr(at + kMark.size());
  const std::string_view nonce = rest.substr(0, rest.find('\''));
  // Only Base64 is inserted in the tag (Content Security Policy Level 3, section 2.3.1).
  return std::ranges::all_of(nonce,
                             [](char c) {
                               return is_digit(c) || (c >= 'a' && c <= 'z') ||
                                      (c >= 'A' && c <= 'Z') ||
                                      std::string_view("+/-_=").contains(c);
                             })
             ? nonce
             : std::string_view();
}

App make_front(DevState& state, FrontOptions options) {
  App app;
  app.log_to(nullptr);
  app.use(refuse_other_hosts(std::move(options.hosts)));
  app.use(Middleware(
      [&state, token = std::move(options.token)](Request& request, Next next) {
        return stand_in(state, token, request, std::move(next));
      },
      "eider dev"));
  add_own_routes(app, state);
  proxy_to(app, "/", {options.program}, proxy_options(options.is_local));
  Topics& topics = app.topics();
  state.tell_by([&topics](const std::string& news) { topics.publish(kTopic, news); });
  return app;
}

}  // namespace eider::dev
