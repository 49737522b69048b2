// Calls an App in a test: the real parser, router, server and writer on a simulated kernel, without
// a socket, a thread or a real second. Must not be linked into an application.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/json/value.h"
#include "eider/runtime/time.h"
#include "eider/testkit/reply.h"

namespace eider {

/// One field of a request, with texts of its own.
struct TestHeader {
  TestHeader(std::string_view its_name, std::string_view its_value)
      : name(its_name), value(its_value) {}

  std::string name;
  std::string value;
};

/// One request of a test. Host and, with a body, Content-Length are added.
struct TestRequest {
  Method method = Method::get;
  std::string target;
  std::vector<TestHeader> headers = {};
  std::string body = {};
};

class TestClient {
 public:
  /// Starts the app: throws Failure when its routes are not in order, or what it does at start
  /// fails.
  explicit TestClient(const App& app);
  /// Stops the app.
  ~TestClient();
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  Reply get(std::string target);
  Reply head(std::string target);
  Reply del(std::string target);
  Reply post(std::string target, const json::Value& body);
  Reply put(std::string target, const json::Value& body);
  Reply patch(std::string target, const json::Value& body);
  /// Sends it and lets simulated time pass, up to a minute, until the answer is complete.
  /// Throws Failure when there is none by then.
  Reply send(const TestRequest& request);

  /// What comes back for these bytes on a connection of their own, as it is on the wire, when
  /// nothing more happens without time passing.
  [[nodiscard]] std::string raw(std::string_view bytes);
  /// Lets simulated time pass.
  void advance(Duration time);

 private:
  struct Stage;
  Reply send_json(Method method, std::string target, const json::Value& body);

  std::unique_ptr<Stage> stage_;
};

}  // namespace eider
