// The service of overloaded.cc on Drogon: answers that cost what the request says, in processor
// time.
#include <drogon/drogon.h>
#include <trantor/net/EventLoop.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <utility>

namespace {

using drogon::HttpRequestPtr;
using drogon::HttpResponse;
using Callback = std::function<void(const drogon::HttpResponsePtr&)>;

std::int64_t own_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

void answer(const Callback& callback) {
  const auto response = HttpResponse::newHttpResponse();
  response->setContentTypeCode(drogon::CT_TEXT_PLAIN);
  response->setBody("Done.");
  callback(response);
}

void compute(const Callback& callback, int microseconds) {
  const std::int64_t until = own_nanoseconds() + std::int64_t{microseconds} * 1000;
  while (own_nanoseconds() < until) {
  }
  answer(callback);
}

}  // namespace

int main(int argc, char** argv) {
  auto& app = drogon::app();
  for (const char* const path : {"/plain", "/livez"}) {
    app.registerHandler(path, [](const HttpRequestPtr&, Callback&& callback) { answer(callback); },
                        {drogon::Get});
  }
  app.registerHandler("/compute/{1}",
                      [](const HttpRequestPtr&, Callback&& callback, int microseconds) {
                        compute(callback, microseconds);
                      },
                      {drogon::Get});
  app.registerHandler("/await/{1}",
                      [](const HttpRequestPtr&, Callback&& callback, int microseconds) {
                        trantor::EventLoop::getEventLoopOfCurrentThread()->runAfter(
                            0.001, [callback = std::move(callback), microseconds] {
                              compute(callback, microseconds);
                            });
                      },
                      {drogon::Get});
  app.setLogLevel(trantor::Logger::kError);
  app.addListener("127.0.0.1", static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 8080));
  app.setThreadNum(1);
  app.run();
}
