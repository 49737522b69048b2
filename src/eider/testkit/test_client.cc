#include "eider/testkit/test_client.h"

#include "eider/base/failure.h"
#include "eider/http/method.h"
#include "eider/server/connections.h"
#include "eider/server/context.h"
#include "eider/server/limits.h"
#include "eider/testkit/loop_sim.h"
#include "eider/testkit/sim_kernel.h"

namespace eider {

namespace {

constexpr Duration kPatience = std::chrono::minutes(1);
/// Whatever is stopped has a deadline of its own.
constexpr Duration kPatienceAtEnd = std::chrono::hours(24);
constexpr Duration kStep = std::chrono::milliseconds(1);

std::unique_ptr<Service> service_of(const App& app) {
  auto service = app.make_service();
  if (!service) {
    throw Failure(std::move(service.error()));
  }
  return std::move(*service);
}

std::string bytes_of(const TestRequest& request) {
  std::string bytes(to_text(request.method));
  bytes.append(" ").append(request.target).append(" HTTP/1.1\r\nHost: test\r\n");
  for (const auto& [name, value] : request.headers) {
    bytes.append(name).append(": ").append(value).append("\r\n");
  }
  if (!request.body.empty() || request.method == Method::post) {
    bytes.append("Content-Length: ").append(std::to_string(request.body.size())).append("\r\n");
  }
  return bytes.append("\r\n").append(request.body);
}

}  // namespace

/// What serves behind a listener, on a simulated loop: connections are handed in by the test.
struct TestClient::Stage final : detail::server::ConnectionCounter {
  explicit Stage(const App& app) : service(service_of(app)) {
    begin();
    client = connect();
  }
  ~Stage() { end(); }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  /// Throws Failure when what the app does at start fails.
  void begin();
  void end();
  /// Lets simulated time pass until the task has come to its end; a task's failure is thrown.
  void run(Task<> task, Duration patience = kPatience);
  Task<> start() {
    auto starting = service->start();
    Result<void> started = co_await std::move(starting);
    if (!started) {
      throw Failure(std::move(started.error()));
    }
  }

  SimClient connect() {
    SimPair pair = kernel.connect_pair();
    loop.call([this, &pair] { connections.open(std::move(pair.server)); });
    return std::move(pair.client);
  }
  void on_connection_ended() noexcept override {}

  std::unique_ptr<Service> service;
  Limits limits;
  SimKernel kernel;
  SimLoop loop{kernel};
  detail::server::LoopContext context{loop, *service, limits, limits.in_flight_max,
                                      limits.handshakes_max};
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

// As a server does it: what the app stops may be used until the last connection is gone.
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
      throw Failure(Error::internal("the app has not started within a minute"));
    }
  }
  task.take();
}

TestClient::TestClient(const App& app) : stage_(std::make_unique<Stage>(app)) {}
TestClient::~TestClient() = default;

Reply TestClient::get(std::string target) {
  return send({.method = Method::get, .target = std::move(target)});
}

Reply TestClient::head(std::string target) {
  return send({.method = Method::head, .target = std::move(target)});
}

Reply TestClient::del(std::string target) {
  return send({.method = Method::delete_, .target = std::move(target)});
}

Reply TestClient::post(std::string target, const json::Value& body) {
  return send_json(Method::post, std::move(target), body);
}

Reply TestClient::put(std::string target, const json::Value& body) {
  return send_json(Method::put, std::move(target), body);
}

Reply TestClient::patch(std::string target, const json::Value& body) {
  return send_json(Method::patch, std::move(target), body);
}

Reply TestClient::send_json(Method method, std::string target, const json::Value& body) {
  return send({.method = method,
               .target = std::move(target),
               .headers = {{"Content-Type", "application/json"}},
               .body = json::to_text(body)});
}

Reply TestClient::send(const TestRequest& request) {
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
      return std::move(*reply);
    }
  }
  throw Failure(Error::internal("no complete answer within a minute: " + received));
}

std::string TestClient::raw(std::string_view bytes) {
  SimClient client = stage_->connect();
  client.send(bytes);
  stage_->kernel.run_until_idle();
  return client.take_received();
}

void TestClient::advance(Duration time) {
  stage_->kernel.advance(time);
}

}  // namespace eider
