// For tests: one request to an app from an address, without a connection.
// Layering: must not be used if the handler waits; TestClient advances time.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/protocols/http/request.h"
#include "eider/protocols/http/response.h"

namespace eider::testing {

class FakePeer final : public Peer {
 public:
  FakePeer(std::string address, bool is_secure, std::string fingerprint = {})
      : address_(std::move(address)), is_secure_(is_secure), fingerprint_(std::move(fingerprint)) {}
  [[nodiscard]] std::string address() const override { return address_; }
  [[nodiscard]] std::optional<TlsInfo> tls() const override {
    return is_secure_ ? std::optional(
                            TlsInfo{.version = "TLSv1.3", .client = {.fingerprint = fingerprint_}})
                      : std::nullopt;
  }

 private:
  std::string address_;
  bool is_secure_;
  std::string fingerprint_;
};

struct Asked {
  Method method = Method::get;
  std::string_view path = "/";
  std::vector<Field> fields = {};
  std::string address = "192.0.2.1";
  std::string_view authority = "app.example";
  std::string_view body = {};
  bool is_secure = false;
  /// Fingerprint of the client's certificate, if the connection is secure.
  std::string fingerprint = {};
};

struct Answered {
  int status;
  std::string fields;
  std::string body;

  /// Returns the first header of that name.
  [[nodiscard]] std::string header(std::string_view name) const {
    const std::size_t at = ("\r\n" + fields).find("\r\n" + std::string(name) + ": ");
    if (at == std::string::npos) {
      return "";
    }
    const std::size_t begin = at + name.size() + 2;
    return fields.substr(begin, fields.find("\r\n", begin) - begin);
  }
};

/// A started app.
class AskedApp {
 public:
  explicit AskedApp(const App& app) : service_(app.make_service().value()) {}

  Answered ask(const Asked& asked) {
    FakePeer peer(asked.address, asked.is_secure, asked.fingerprint);
    Request request;
    RequestHead& head = request.head();
    head.method = asked.method;
    head.target = asked.path;
    head.path = asked.path.substr(0, asked.path.find('?'));
    head.query = asked.path.substr(std::min(head.path.size() + 1, asked.path.size()));
    head.authority = asked.authority;
    head.fields = asked.fields;
    request.set_body(asked.body);
    request.set_peer(&peer);
    Response response;
    service_->respond(service_->plan(request), request, response);
    Answered answered{response.status(), std::string(response.field_lines()),
                      std::string(response.body())};
    request.clear_extensions();
    return answered;
  }
  int status(const Asked& asked) { return ask(asked).status; }

 private:
  std::unique_ptr<RequestService> service_;
};

}  // namespace eider::testing
