// expect: functions that run outside of requests can only have State<T> parameters
#include <eider/eider.h>
using namespace eider;
#ifdef FIXED
void add(App& app) { app.every(Duration(1'000'000), [](State<int>) {}); }
#else
void add(App& app) { app.every(Duration(1'000'000), [](const Request&) {}); }
#endif
