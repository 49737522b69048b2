// expect: this guard takes more values of the path than its route's handler does
#include <eider/eider.h>
using namespace eider;
#ifdef FIXED
void routes(App& app) { app.get("/{id}", [](int) {}).guard([](int) {}); }
#else
void routes(App& app) { app.get("/{id}", [](int) {}).guard([](int, int) {}); }
#endif
