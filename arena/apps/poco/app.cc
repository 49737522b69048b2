// The arena's endpoints on Poco, which gives each connection a thread of its pool.
//
//   poco_app PORT THREADS DELAY_MS [--connections N]
#include <Poco/JSON/Object.h>
#include <Poco/JSON/Parser.h>
#include <Poco/Net/HTTPRequestHandler.h>
#include <Poco/Net/HTTPRequestHandlerFactory.h>
#include <Poco/Net/HTTPServer.h>
#include <Poco/Net/HTTPServerRequest.h>
#include <Poco/Net/HTTPServerResponse.h>
#include <Poco/StreamCopier.h>
#include <Poco/Thread.h>
#include <Poco/ThreadPool.h>

#include <sstream>
#include <string>
#include <string_view>

#include "../common/adapter.h"

namespace {

using arena::Options;
using Poco::Net::HTTPRequestHandler;
using Poco::Net::HTTPServerRequest;
using Poco::Net::HTTPServerResponse;

constexpr int kBacklog = 4096;
constexpr long kIdleSeconds = 600;
constexpr int kThreadBytes = 256 * 1024;

void answer(HTTPServerResponse& response, const char* type, const std::string& body) {
  response.setContentType(type);
  response.sendBuffer(body.data(), body.size());
}

void refuse(HTTPServerResponse& response, HTTPServerResponse::HTTPStatus status) {
  response.setStatusAndReason(status);
  answer(response, "text/plain", response.getReason());
}

std::string written(const Poco::JSON::Object& object) {
  std::ostringstream text;
  object.stringify(text);
  return text.str();
}

class Constant : public HTTPRequestHandler {
 public:
  Constant(const char* type, const std::string& body) : type_(type), body_(body) {}

  void handleRequest(HTTPServerRequest&, HTTPServerResponse& response) override {
    answer(response, type_, body_);
  }

 private:
  const char* type_;
  const std::string& body_;  // lives as long as the program
};

class Text : public HTTPRequestHandler {
 public:
  explicit Text(std::string text) : text_(std::move(text)) {}

  void handleRequest(HTTPServerRequest&, HTTPServerResponse& response) override {
    answer(response, "text/plain", text_);
  }

 private:
  std::string text_;
};

class Json : public HTTPRequestHandler {
 public:
  void handleRequest(HTTPServerRequest&, HTTPServerResponse& response) override {
    Poco::JSON::Object object;
    object.set("message", arena::kHello);
    answer(response, "application/json", written(object));
  }
};

class Reply : public HTTPRequestHandler {
 public:
  explicit Reply(std::chrono::milliseconds delay) : delay_(delay) {}

  void handleRequest(HTTPServerRequest& request, HTTPServerResponse& response) override {
    std::string body;
    Poco::StreamCopier::copyToString(request.stream(), body);
    Poco::Thread::sleep(static_cast<long>(delay_.count()));
    try {
      auto object = Poco::JSON::Parser().parse(body).extract<Poco::JSON::Object::Ptr>();
      object->set("reply", "received");
      answer(response, "application/json", written(*object));
    } catch (const Poco::Exception&) {
      refuse(response, HTTPServerResponse::HTTP_BAD_REQUEST);
    }
  }

 private:
  std::chrono::milliseconds delay_;
};

class NotFound : public HTTPRequestHandler {
 public:
  void handleRequest(HTTPServerRequest&, HTTPServerResponse& response) override {
    refuse(response, HTTPServerResponse::HTTP_NOT_FOUND);
  }
};

/// Poco's way to route: a factory that looks at the request and makes its handler.
class Factory : public Poco::Net::HTTPRequestHandlerFactory {
 public:
  explicit Factory(std::chrono::milliseconds delay) : delay_(delay) {}

  HTTPRequestHandler* createRequestHandler(const HTTPServerRequest& request) override {
    const std::string& path = request.getURI();
    if (request.getMethod() != HTTPServerRequest::HTTP_POST) {
      return get_handler(path);
    }
    const bool is_known = path == "/test" || path == "/test/blocking";
    return is_known ? static_cast<HTTPRequestHandler*>(new Reply(delay_)) : new NotFound;
  }

 private:
  HTTPRequestHandler* get_handler(const std::string& path) const {
    if (path == "/plaintext" || path == "/simple" || path == "/bench") {
      return new Constant("text/plain", hello_);
    }
    if (path == "/json") {
      return new Json;
    }
    if (path == "/html") {
      return new Constant("text/html", html_);
    }
    if (path == "/test/status") {
      return new Constant("text/plain", ok_);
    }
    return value_handler(path);
  }

  HTTPRequestHandler* value_handler(std::string_view path) const {
    constexpr std::string_view kLabels = "/test/labels/";
    constexpr std::string_view kUsers = "/users/";
    constexpr std::string_view kBytes = "/bytes/";
    if (path.substr(0, kLabels.size()) == kLabels) {
      return new Text(std::string(path.substr(kLabels.size())));
    }
    if (path.substr(0, kUsers.size()) == kUsers) {
      return user_handler(path.substr(kUsers.size()));
    }
    const bool is_bytes = path.substr(0, kBytes.size()) == kBytes;
    return is_bytes ? bytes_handler(path.substr(kBytes.size())) : new NotFound;
  }

  /// `values` is "{id}/posts/{pid}".
  static HTTPRequestHandler* user_handler(std::string_view values) {
    constexpr std::string_view kPosts = "/posts/";
    constexpr int kMost = 2147483647;
    const std::size_t middle = values.find(kPosts);
    if (middle == std::string_view::npos) {
      return new NotFound;
    }
    const auto id = arena::number(values.substr(0, middle), kMost);
    const auto post = arena::number(values.substr(middle + kPosts.size()), kMost);
    if (!id || !post) {
      return new NotFound;
    }
    return new Text(arena::post_text(*id, *post));
  }

  HTTPRequestHandler* bytes_handler(std::string_view size) const {
    for (const std::string& body : bodies_) {
      if (size == std::to_string(body.size())) {
        return new Constant(arena::kOctets, body);
      }
    }
    return new NotFound;
  }

  std::chrono::milliseconds delay_;
  std::string hello_ = arena::kHello;
  std::string html_ = arena::kHtml;
  std::string ok_ = "OK";
  std::string bodies_[3] = {arena::filled(arena::kSizes[0]), arena::filled(arena::kSizes[1]),
                            arena::filled(arena::kSizes[2])};
};

Poco::Net::HTTPServerParams* make_parameters(int threads) {
  auto* parameters = new Poco::Net::HTTPServerParams;
  parameters->setMaxThreads(threads);
  parameters->setMaxQueued(kBacklog);
  parameters->setKeepAlive(true);
  parameters->setMaxKeepAliveRequests(0);
  parameters->setKeepAliveTimeout(Poco::Timespan(kIdleSeconds, 0));
  return parameters;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = arena::read_options(argc, argv);
  arena::block_stop_signals();
  const int threads = options.pool_threads();
  Poco::ThreadPool pool(1, threads + 1, 60, kThreadBytes);  // one more for a worker that leaves
  const Poco::Net::ServerSocket socket(static_cast<Poco::UInt16>(options.port), kBacklog);
  Poco::Net::HTTPServer server(new Factory(options.delay), pool, socket, make_parameters(threads));
  server.start();
  arena::wait_for_stop();
  server.stopAll(true);
  pool.joinAll();
}
