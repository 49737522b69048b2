// Calls an App in a test: the real parser, router, server and writer on a simulated kernel, without
// a socket, a thread or a real second. Must not be linked into an application.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/core/json/json.h"
#include "eider/io/runtime/time.h"
#include "eider/protocols/http/multipart_form.h"
#include "eider/testkit/document_check.h"
#include "eider/testkit/open_answer.h"
#include "eider/testkit/reply.h"

namespace eider {

/// One field of a request, with texts of its own.
struct TestHeader {
  TestHeader(std::string_view its_name, std::string_view its_value)
      : name(its_name), value(its_value) {}

  std::string name;
  std::string value;
};

/// A field of a form.
struct TestField {
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

struct TestClientOptions {
  /// Every answer to `send`, and so to get, post, …, is held against the app's own OpenAPI
  /// document, and throws a Failure that says where it is another one; so is what comes of
  /// `events`, event by event. Those to `raw` and of WebSockets are not. The document is asked for
  /// at start.
  std::optional<DocumentCheck> document = {};
  /// Cookies that are set go back with later requests, as a browser sends them to one host: by
  /// their Path, and until their Max-Age or Expires is over in simulated time.
  bool keeps_cookies = false;
  /// How many redirects of one request are followed, as long as they stay within the app.
  int redirects_max = 0;
  /// Of each request: {{"Authorization", "Bearer abc"}}.
  std::vector<TestHeader> headers = {};
};

class TestClient {
 public:
  /// Starts the app: throws Failure when its routes are not in order, or what it does at start
  /// fails, or it serves no document that its answers are to be held against.
  explicit TestClient(const App& app, TestClientOptions options = {});
  /// Stops the app.
  ~TestClient();
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  Reply get(std::string target, std::vector<TestHeader> headers = {});
  Reply head(std::string target);
  Reply del(std::string target);
  Reply post(std::string target, const json::Value& body);
  Reply put(std::string target, const json::Value& body);
  Reply patch(std::string target, const json::Value& body);
  /// The same of a struct, a vector, …: `client.post("/notes", NewNote{.title = "Milk"})`.
  template <class T>
    requires(!std::convertible_to<const T&, json::Value>)
  Reply post(std::string target, const T& body) {
    return send_json(Method::post, std::move(target), json::to_text(body));
  }
  template <class T>
    requires(!std::convertible_to<const T&, json::Value>)
  Reply put(std::string target, const T& body) {
    return send_json(Method::put, std::move(target), json::to_text(body));
  }
  template <class T>
    requires(!std::convertible_to<const T&, json::Value>)
  Reply patch(std::string target, const T& body) {
    return send_json(Method::patch, std::move(target), json::to_text(body));
  }
  /// As a browser sends a form: `client.post_form("/login", {{"name", "ada"}})`.
  Reply post_form(std::string target, const std::vector<TestField>& fields);
  /// One with files (multipart/form-data).
  Reply post_form(std::string target, const MultipartForm& form);
  /// What a browser sends when somebody types this into a form of the page and presses its button:
  /// its hidden fields and their token, what stands in it already, and in place of that what is
  /// typed; by its method, to its action.
  ///
  ///     const Reply form = client.get("/notes/new");
  ///     client.submit(form, {{"title", "Milk"}});
  ///
  /// typed   of a list one for each of its values; of a box that is ticked its value, "true"
  /// action  of one of several forms with such fields: "/logout"
  /// errors  throws a Failure where no form has those fields, or several have
  Reply submit(const Reply& page, const std::vector<TestField>& typed,
               std::string_view action = {});
  /// Sends it and lets simulated time pass, up to a minute, until the answer is complete.
  /// Throws Failure when there is none by then.
  Reply send(const TestRequest& request);

  /// What is asked from now on comes with a new session, that user's, as behind a login: its
  /// cookie is kept, and goes along. Throws Failure where the app has no sessions.
  ///
  ///     client.as("ada").get("/me");
  TestClient& as(std::string user_key);

  /// Follows an event stream, on a connection of its own. Throws Failure when the answer is none.
  /// It ends ahead of the client.
  [[nodiscard]] TestEvents events(std::string target, std::vector<TestHeader> headers = {});
  /// Opens a WebSocket likewise.
  [[nodiscard]] TestWebSocket websocket(std::string target, std::vector<TestHeader> headers = {});

  /// What comes back for these bytes on a connection of their own, as it is on the wire, when
  /// nothing more happens without time passing.
  [[nodiscard]] std::string raw(std::string_view bytes);
  /// Lets simulated time pass.
  void advance(Duration time);

 private:
  struct Stage;
  [[nodiscard]] std::string bytes_of(const TestRequest& request) const;
  Reply send_json(Method method, std::string target, std::string body);
  Reply send_once(const TestRequest& request);
  /// Throws Failure where the document has it otherwise.
  void hold(Method method, const std::string& target, const Reply& reply) const;
  Reply exchange(const TestRequest& request);

  TestClientOptions options_;
  std::unique_ptr<Stage> stage_;
};

}  // namespace eider
