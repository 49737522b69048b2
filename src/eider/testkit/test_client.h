// TestClient: calls an App in a test, through the real parser and server on a simulated kernel.
// Layering: must not be linked into an application.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/core/json/json.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"
#include "eider/protocols/http/multipart_form.h"
#include "eider/testkit/document_check.h"
#include "eider/testkit/open_response.h"
#include "eider/testkit/test_response.h"

namespace eider {

/// A header of a request, which owns its texts.
struct TestHeader {
  TestHeader(std::string_view its_name, std::string_view its_value)
      : name(its_name), value(its_value) {}

  std::string name;
  std::string value;
};

/// A form field.
struct TestField {
  std::string name;
  std::string value;
};

/// A request of a test. Host and, with a body, Content-Length are added.
struct TestRequest {
  Method method = Method::get;
  std::string target;
  std::vector<TestHeader> headers = {};
  std::string body = {};
};

struct TestClientOptions {
  /// Validates each response to `send`, get, post, … and each event of `events` against the app's
  /// own OpenAPI document, and throws a Failure for differences. Responses to `raw` and of
  /// WebSockets are not validated. The document is requested at startup.
  std::optional<DocumentCheck> document = {};
  /// Stores cookies and sends them with later requests, like a browser for one host: by their Path,
  /// until their Max-Age or Expires has passed in simulated time.
  bool keeps_cookies = false;
  /// Maximum number of redirects that are followed per request, within the app.
  int redirects_max = 0;
  /// Headers of each request: {{"Authorization", "Bearer abc"}}.
  std::vector<TestHeader> headers = {};
};

class TestClient {
 public:
  /// Starts the app. Throws a Failure for invalid routes, a failed startup function, or a missing
  /// OpenAPI document.
  explicit TestClient(const App& app, TestClientOptions options = {});
  /// Stops the app.
  ~TestClient();
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  TestResponse get(std::string target, std::vector<TestHeader> headers = {});
  TestResponse head(std::string target);
  TestResponse del(std::string target);
  TestResponse post(std::string target, const json::Value& body);
  TestResponse put(std::string target, const json::Value& body);
  TestResponse patch(std::string target, const json::Value& body);
  /// Sends a struct, a vector, … as JSON: `client.post("/notes", NewNote{.title = "Milk"})`.
  template <class T>
    requires(!std::convertible_to<const T&, json::Value>)
  TestResponse post(std::string target, const T& body) {
    return send_json(Method::post, std::move(target), json::to_text(body));
  }
  template <class T>
    requires(!std::convertible_to<const T&, json::Value>)
  TestResponse put(std::string target, const T& body) {
    return send_json(Method::put, std::move(target), json::to_text(body));
  }
  template <class T>
    requires(!std::convertible_to<const T&, json::Value>)
  TestResponse patch(std::string target, const T& body) {
    return send_json(Method::patch, std::move(target), json::to_text(body));
  }
  /// Sends a form like a browser: `client.post_form("/login", {{"name", "ada"}})`.
  TestResponse post_form(std::string target, const std::vector<TestField>& fields);
  /// Sends a form with files (multipart/form-data).
  TestResponse post_form(std::string target, const MultipartForm& form);
  /// Fills in and submits a form of the page, like a browser: hidden fields and the token, the
  /// values in the page, and `typed` instead of these; with the method and action of the form.
  ///
  ///     const TestResponse form = client.get("/notes/new");
  ///     client.submit(form, {{"title", "Milk"}});
  ///
  /// typed   for a list one field per value; for a ticked box its value, "true"
  /// action  selects one of several forms with such fields: "/logout"
  /// errors  throws a Failure if no form has these fields, or several have
  TestResponse submit(const TestResponse& page, const std::vector<TestField>& typed,
                      std::string_view action = {});
  /// Sends a request, and advances simulated time by up to a minute until the response is complete.
  /// Throws a Failure if it is not complete by then.
  TestResponse send(const TestRequest& request);

  /// Logs in as a user: later requests have a new session of that user. Throws a Failure if the app
  /// has no sessions.
  ///
  ///     client.as("ada").get("/me");
  TestClient& as(std::string user_key);

  /// Opens an event stream on its own connection. Throws a Failure if the response is not an event
  /// stream. Destroy it before the client.
  [[nodiscard]] TestEvents events(std::string target, std::vector<TestHeader> headers = {});
  /// Opens a WebSocket. Destroy it before the client.
  [[nodiscard]] TestWebSocket websocket(std::string target, std::vector<TestHeader> headers = {});

  /// Sends bytes on a new connection, and returns the bytes that the server sends without time
  /// passing.
  [[nodiscard]] std::string raw(std::string_view bytes);
  /// Advances simulated time.
  void advance(Duration time);
  /// Runs a task on the event loop of the app, and advances simulated time by up to a minute until
  /// it is done: `client.run(jobs.enqueued<SendReminder>())`. Throws the exception of the task, and
  /// a Failure if it is not done by then.
  template <class T>
  T run(Task<T> task) {
    if constexpr (std::is_void_v<T>) {
      run_task(std::move(task));
    } else {
      std::optional<T> result;
      run_task(store(std::move(task), result));
      return std::move(*result);
    }
  }

 private:
  struct Stage;
  template <class T>
  static Task<> store(Task<T> task, std::optional<T>& result) {
    result.emplace(co_await std::move(task));
  }
  void run_task(Task<> task);
  [[nodiscard]] std::string bytes_of(const TestRequest& request) const;
  TestResponse send_json(Method method, std::string target, std::string body);
  TestResponse send_once(const TestRequest& request);
  /// Throws a Failure if the response does not match the document.
  void hold(Method method, const std::string& target, const TestResponse& reply) const;
  TestResponse exchange(const TestRequest& request);

  TestClientOptions options_;
  std::unique_ptr<Stage> stage_;
};

}  // namespace eider
