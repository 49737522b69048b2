// For tests: a correct OpenID provider, an application that uses it, and a browser.
// Layering: must not be used outside of tests.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/auth/jwt/jwt.h"
#include "eider/auth/oauth/id_token.h"
#include "eider/auth/oauth/login.h"
#include "eider/auth/oauth/oauth.h"
#include "eider/auth/session/session.h"
#include "eider/client/client.h"
#include "eider/core/base/url.h"
#include "eider/core/json/json.h"
#include "eider/io/net/dialler.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/loop_sim.h"
#include "eider/testkit/sim_kernel.h"
#include "eider/testkit/test_client.h"

namespace eider::testing {

/// A complete request as the provider receives it.
struct ProviderRequest {
  std::string path;  // with its query
  std::string bytes;

  [[nodiscard]] bool has(std::string_view text) const { return bytes.contains(text); }
};

inline std::string http_response(std::string_view content, std::string_view status = "200 OK",
                                 std::string_view more = {}) {
  return "HTTP/1.1 " + std::string(status) + "\r\nContent-Type: application/json\r\n" +
         std::string(more) + "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n" +
         std::string(content);
}

/// A controllable provider that a real HttpClient requests on the simulated event loop. Outlives
/// the loops that use it.
class ScriptedProvider {
 public:
  using Answer = std::function<std::string(const ProviderRequest&)>;

  /// Responses by path; with an empty text, it never responds.
  std::map<std::string, Answer, std::less<>> responses;
  std::vector<ProviderRequest> asked;
  bool is_down = false;
  std::size_t dialled = 0;  // connections

  void says(std::string path, std::string bytes) {
    responses[std::move(path)] = [bytes = std::move(bytes)](const ProviderRequest&) {
      return bytes;
    };
  }
  [[nodiscard]] std::size_t count(std::string_view path) const {
    std::size_t found = 0;
    for (const ProviderRequest& request : asked) {
      found += request.path == path ? 1 : 0;
    }
    return found;
  }
  /// Returns the last request for that path.
  [[nodiscard]] std::string last(std::string_view path) const {
    std::string found;
    for (const ProviderRequest& request : asked) {
      found = request.path == path ? request.bytes : found;
    }
    return found;
  }
  [[nodiscard]] std::unique_ptr<HttpClient> make_client(const ClientOptions& options) {
    return std::make_unique<HttpClient>(options, std::make_unique<Dialler>(*this));
  }

 private:
  class Dialler final : public net::Dialler {
   public:
    explicit Dialler(ScriptedProvider& provider) noexcept : provider_(provider) {}

    Task<Result<Descriptor, net::ConnectError>> dial(const net::Route&, Instant) override {
      if (provider_.is_down) {
        co_return fail(net::ConnectError{net::ConnectFault::not_connected, "Not connected."});
      }
      ++provider_.dialled;
      SimPair pair = static_cast<SimLoop&>(Loop::current()).kernel().connect_pair();
      serving_.start(provider_.serve(std::move(pair.client)));
      co_return std::move(pair.server);
    }

   private:
    ScriptedProvider& provider_;
    Scope serving_;
  };

  static std::optional<ProviderRequest> take(std::string& bytes) {
    const std::size_t head = bytes.find("\r\n\r\n");
    if (head == std::string::npos) {
      return std::nullopt;
    }
    const std::size_t field = bytes.find("Content-Length: ");
    const std::size_t length = field < head ? std::stoul(bytes.substr(field + 16)) : 0;
    const std::size_t whole = head + 4 + length;
    if (bytes.size() < whole) {
      return std::nullopt;
    }
    const std::size_t begin = bytes.find(' ') + 1;
    ProviderRequest request{.path = bytes.substr(begin, bytes.find(' ', begin) - begin),
                            .bytes = bytes.substr(0, whole)};
    bytes.erase(0, whole);
    return request;
  }
  Task<> serve(SimClient line) {
    std::string received;
    while (!line.is_closed()) {
      co_await sleep_for(std::chrono::milliseconds(1));
      received += line.take_received();
      if (const auto request = take(received)) {
        asked.push_back(*request);
        const auto found = responses.find(request->path);
        line.send(found == responses.end() ? http_response("{}", "404 Not Found")
                                           : found->second(*request));
      }
    }
  }
};

/// Without encryption: a simulated connection has no TLS.
inline constexpr std::string_view kIssuer = "http://127.0.0.1:9000";
inline constexpr const char* kDocument = "/.well-known/openid-configuration";

struct TestVisit {
  int count = 0;
};

/// Returns the decoded value of a query parameter in a URL; empty if it is missing.
inline std::string in_query(std::string_view url, std::string_view name) {
  const std::size_t query = url.find('?');
  return query == std::string_view::npos
             ? ""
             : detail::oauth::query_value(url.substr(query + 1), name).value_or("");
}

/// The provider's side of logins.
class OpenIdProvider : public ScriptedProvider {
 public:
  OpenIdProvider() {
    document = json::object({{"issuer", kIssuer},
                             {"authorization_endpoint", "http://127.0.0.1:9000/authorize"},
                             {"token_endpoint", "http://127.0.0.1:9000/token"},
                             {"userinfo_endpoint", "http://127.0.0.1:9000/userinfo"},
                             {"jwks_uri", "http://127.0.0.1:9000/jwks"},
                             {"end_session_endpoint", "http://127.0.0.1:9000/logout"},
                             {"response_types_supported", json::array({"code"})},
                             {"authorization_response_iss_parameter_supported", true}});
    claims = json::object({{"iss", kIssuer}, {"sub", "ann"}, {"aud", "notes"}});
    responses[kDocument] = [this](const ProviderRequest&) {
      return http_response(json::to_text(document));
    };
    responses["/jwks"] = [this](const ProviderRequest&) {
      return http_response(json::to_text(to_jwks(keys)));
    };
    responses["/token"] = [this](const ProviderRequest&) {
      return http_response(json::to_text(token_response()));
    };
    says("/userinfo", http_response(R"({"sub":"ann","email":"ann@example.org"})"));
  }

  /// Token response for the login that was started last.
  [[nodiscard]] json::Value token_response() const {
    json::Value response = json::object({{"access_token", "access-1"},
                                         {"token_type", "Bearer"},
                                         {"expires_in", 3600},
                                         {"refresh_token", "refresh-1"}});
    response["id_token"] = id_token();
    for (const json::Field& field :
         changes.is_object() ? changes.members() : json::Value::Object()) {
      response[field.name] = field.value;
    }
    return response;
  }
  [[nodiscard]] std::string id_token() const {
    const std::int64_t now = Loop::current().wall_seconds();
    json::Value all = claims;
    for (const auto& [name, value] :
         {std::pair<const char*, json::Value>("nonce", nonce), {"iat", now}, {"exp", now + 300}}) {
      if (all.find(name) == nullptr) {
        all[name] = value;
      }
    }
    if (age.is_number()) {
      all["auth_time"] = now - static_cast<std::int64_t>(age.number());
    } else if (!age.is_null()) {
      all["auth_time"] = age;
    }
    return sign_jwt(all, RegisteredClaims(), keys.front());
  }

  std::vector<JwtKey> keys{JwtKey::generate(JwtAlgorithm::es256, "one")};
  json::Value document;
  json::Value claims;
  json::Value age;      // of the login with the provider, in seconds; null: not sent
  json::Value changes;  // to the response of the token endpoint
  std::string nonce;
};

class OpenIdTest : public ::testing::Test {
 protected:
  static OAuthOptions usual() {
    return {.issuer = std::string(kIssuer),
            .client_id = "notes",
            .client_secret = "se cret",
            .logout = "/logout",
            .scopes = {"email"},
            .origin = "https://notes.example"};
  }

  /// Pre: called once, before a client is created.
  void add(OAuthOptions options = usual()) {
    add_sessions<TestVisit>(app_);
    login_ = std::make_shared<const detail::oauth::Login>(
        std::move(options), true,
        [this](const ClientOptions& given) { return provider_.make_client(given); });
    detail::oauth::add_login<OpenIdIdentity>(app_, login_,
                                             [](const OpenIdIdentity& who, Session<> session) {
                                               session.log_in(who.key());
                                               return Redirect(who.next);
                                             });
    app_.get("/visit", [](Session<TestVisit> session) { return ++session->count; });
    app_.get("/me", [](Session<> session) { return session.user(); });
  }
  [[nodiscard]] TestClient& browser() {
    if (client_ == nullptr) {
      client_ = std::make_unique<TestClient>(app_, TestClientOptions{.keeps_cookies = true});
    }
    return *client_;
  }

  /// Starts a login, and passes its parameters to the provider. Returns the redirect URL.
  std::string begin(const std::string& target = "/login") {
    const TestResponse reply = browser().get(target);
    EXPECT_EQ(reply.status, 302) << reply.body;
    const std::string location(reply.header("Location").value_or(""));
    provider_.nonce = in_query(location, "nonce");
    state_ = in_query(location, "state");
    return location;
  }
  /// Sends the redirect from the provider.
  TestResponse come_back(const std::string& more = "") {
    return browser().get(callback() + "&code=code-1&iss=" + percent_encode(kIssuer) + more);
  }
  [[nodiscard]] std::string callback() const { return "/login/callback?state=" + state_; }
  /// Starts a login and completes it.
  TestResponse log_in() {
    begin();
    return come_back();
  }
  std::string user() { return browser().get("/me").body; }

  OpenIdProvider provider_;
  App app_;
  std::shared_ptr<const detail::oauth::Login> login_;
  std::string state_;
  std::unique_ptr<TestClient> client_;
};

}  // namespace eider::testing
