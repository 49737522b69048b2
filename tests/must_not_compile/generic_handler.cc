// expect: a handler is a function or a lambda whose parameter types are all spelled out
#include <eider/eider.h>
#ifdef FIXED
void routes(eider::App& app) { app.get("/{id}", [](int id) { return id; }); }
#else
void routes(eider::App& app) { app.get("/{id}", [](auto id) { return id; }); }
#endif
