// expect: construct it in place
#include <eider/eider.h>
#include <mutex>
struct Counter { std::mutex mutex; int count = 0; };
#ifdef FIXED
void share(eider::App& app) { app.state<Counter>(); }
#else
void share(eider::App& app) { app.state(Counter()); }
#endif
