// expect: the guard of admin pages must return an AdminUser
#include <eider/admin.h>
using namespace eider;
struct User {
  std::string name;
};
void routes(App& app) {
#ifdef FIXED
  serve_admin(app, "/admin", {.guard = [] { return AdminUser{.id = "1", .name = "Ann"}; }});
#else
  serve_admin(app, "/admin", {.guard = [] { return User{"Ann"}; }});
#endif
}
