#include "eider/web/middleware/https.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eider/protocols/http/h1/head_reader.h"

namespace eider {
namespace {

class TestPeer final : public Peer {
 public:
  explicit TestPeer(bool is_secure) : is_secure_(is_secure) {}
  [[nodiscard]] std::string address() const override { return "127.0.0.1"; }
  [[nodiscard]] std::optional<TlsInfo> tls() const override {
    return is_secure_ ? std::optional(TlsInfo{.version = "TLSv1.3"}) : std::nullopt;
  }

 private:
  bool is_secure_;
};

/// Returns the Location of the redirect, or the status without one; empty if the handler is called.
std::string sent_to(RequestHead head, std::uint16_t port = 443) {
  TestPeer peer(false);
  Request request;
  request.head() = head;
  request.set_peer(&peer);
  Response response;
  if (redirect_to_https(port).on_request(request, response)) {
    return {};
  }
  return response.status() == 308 ? std::string(response.field_lines())
                                  : std::to_string(response.status());
}

std::string sent_to(std::string_view authority, std::uint16_t port) {
  RequestHead head;
  head.target = "/notes?page=2";
  head.path = "/notes";
  head.query = "page=2";
  head.authority = authority;
  return sent_to(head, port);
}

/// The same for a request line as the HTTP/1.1 parser reads it.
std::string sent_to(const std::string& line) {
  const std::string text = line + " HTTP/1.1\r\nHost: h:8080\r\n\r\n";
  h1::HeadReader reader;
  EXPECT_EQ(reader.read(text, {}), h1::HeadStatus::complete) << line;
  return sent_to(reader.head());
}

TEST(RedirectToHttps, takes_path_and_query_of_every_form_of_target) {
  for (const auto& [line, location] : std::vector<std::pair<std::string, std::string>>{
           {"GET /x?y", "https://h/x?y"},
           {"GET /x?", "https://h/x?"},
           {"GET http://h:8080/x?y=/z", "https://h/x?y=/z"},
           {"GET http://h:8080/x?http://evil/", "https://h/x?http://evil/"},
           {"GET http://h:8080", "https://h/"},
           {"GET http://h:8080?y", "https://h/?y"},
           {"GET //evil/x", "https://h//evil/x"},
           {"OPTIONS *", "https://h/"},
       }) {
    EXPECT_EQ(sent_to(line), "Location: " + location + "\r\n") << line;
  }
}

TEST(RedirectToHttps, keeps_host_and_target) {
  EXPECT_EQ(sent_to("example.org", 443), "Location: https://example.org/notes?page=2\r\n");
}

TEST(RedirectToHttps, takes_the_path_that_was_asked_for_whatever_it_was_rewritten_to) {
  RequestHead head;
  head.target = "/de/notes?page=2";
  head.path = "/notes";
  head.query = "page=2";
  head.authority = "h";
  EXPECT_EQ(sent_to(head), "Location: https://h/de/notes?page=2\r\n");
}

TEST(RedirectToHttps, puts_its_port_in_place_of_the_other) {
  EXPECT_EQ(sent_to("example.org:8080", 443), "Location: https://example.org/notes?page=2\r\n");
  EXPECT_EQ(sent_to("example.org:8080", 8443),
            "Location: https://example.org:8443/notes?page=2\r\n");
  EXPECT_EQ(sent_to("[::1]:8080", 8443), "Location: https://[::1]:8443/notes?page=2\r\n");
  EXPECT_EQ(sent_to("[::1]", 443), "Location: https://[::1]/notes?page=2\r\n");
}

TEST(RedirectToHttps, refuses_a_request_without_a_host) {
  EXPECT_EQ(sent_to("", 443), "400");
}

TEST(RedirectToHttps, lets_those_pass_that_are_there) {
  TestPeer peer(true);
  Request request;
  request.set_peer(&peer);
  Response response;
  EXPECT_TRUE(redirect_to_https().on_request(request, response));
}

std::string promised_to(bool is_secure, HstsScope scope) {
  TestPeer peer(is_secure);
  Request request;
  request.set_peer(&peer);
  Response response;
  hsts(std::chrono::hours(1), scope).on_response(request, response);
  return std::string(response.field_lines());
}

TEST(Hsts, is_promised_over_tls_alone) {
  EXPECT_EQ(promised_to(true, HstsScope::this_host), "Strict-Transport-Security: max-age=3600\r\n");
  EXPECT_EQ(promised_to(true, HstsScope::all_subdomains),
            "Strict-Transport-Security: max-age=3600; includeSubDomains\r\n");
  EXPECT_EQ(promised_to(false, HstsScope::this_host), "");
}

}  // namespace
}  // namespace eider
