// expect: Use State<T> for an object of app.state
#include <eider/eider.h>
class Store {};
#ifdef FIXED
void routes(eider::App& app) { app.get("/", [](eider::State<Store>) { return "ok"; }); }
#else
void routes(eider::App& app) { app.get("/", [](Store&) { return "ok"; }); }
#endif
