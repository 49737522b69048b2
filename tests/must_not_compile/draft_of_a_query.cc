// expect: Unvalidated needs the type of a request body: Unvalidated<Json<T>> or
#include <eider/eider.h>
struct Find {
  int page;
};
#ifdef FIXED
using Given = eider::Unvalidated<eider::Form<Find>>;
#else
using Given = eider::Unvalidated<eider::Query<Find>>;
#endif
void routes(eider::App& app) { app.post("/", [](Given) {}); }
