// A service whose answers cost what the request says, in time of a processor or of a thread that
// waits: see arena/overload.
// Must not do anything else.
#include <eider/eider.h>
#include <eider/http2.h>
#include <eider/middleware.h>

#include <chrono>
#include <cstdint>
#include <ctime>
#include <thread>

using namespace eider;

namespace {

std::int64_t own_nanoseconds() noexcept {
  constexpr std::int64_t kSecond = 1'000'000'000;
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

/// By the thread's own clock, so that what else the machine does makes no answer cheaper.
const char* compute(unsigned microseconds) {
  const std::int64_t until = own_nanoseconds() + std::int64_t{microseconds} * 1000;
  while (own_nanoseconds() < until) {
  }
  return "Done.";
}

App make_app() {
  App app;
  app.get("/plain", [] { return "Done."; });
  app.get("/compute/{microseconds}", [](unsigned microseconds) { return compute(microseconds); });
  app.get("/await/{microseconds}", [](unsigned microseconds) -> Task<const char*> {
    co_await sleep_for(std::chrono::milliseconds(1));
    co_return compute(microseconds);
  });
  app.get("/blocking/{microseconds}",
          blocking([](unsigned microseconds) { return compute(microseconds); }));
  app.get("/sleep/{microseconds}", blocking([](unsigned microseconds) {
            std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
            return "Done.";
          }));
  serve_health(app);
  add_http2(app);
  return app;
}

}  // namespace

int main(int argc, char** argv) {
  return make_app().run(argc, argv);
}
