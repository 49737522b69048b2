// expect: Extract<T>::from must return a T, or a Result, an optional or a Task of a T
#include <eider/eider.h>
using namespace eider;
struct Caller { int id; };
template <> struct eider::Extract<Caller> {
#ifdef FIXED
  static Result<Caller> from(Header<"id", int> id) { return Caller{*id}; }
#else
  static Result<int> from(Header<"id", int> id) { return *id; }
#endif
};
void routes(App& app) { app.get("/", [](const Caller& caller) { return caller.id; }); }
