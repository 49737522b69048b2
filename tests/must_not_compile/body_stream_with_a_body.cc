// expect: eider: a handler reads the request body either as a BodyStream or as a whole
#include <eider/eider.h>
struct A {
  int a;
};
#ifdef FIXED
eider::Task<int> sum(eider::Json<A> a) { co_return a->a; }
#else
eider::Task<int> sum(eider::BodyStream, eider::Json<A> a) { co_return a->a; }
#endif
void routes(eider::App& app) { app.post("/", &sum); }
