// expect: this time type cannot be described. Use std::chrono::sys_time of whole
#include <eider/eider.h>
#include <chrono>
struct Event {
#ifdef FIXED
  std::chrono::sys_seconds at;
#else
  std::chrono::steady_clock::time_point at;
#endif
};
void routes(eider::App& app) { app.post("/", [](eider::Json<Event> event) { return *event; }); }
