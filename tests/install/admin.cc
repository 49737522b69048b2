// Checks that the admin pages of the installed package link with all their dependencies.
#include <eider/admin.h>

#include <string>

struct Book {
  std::int64_t id = 0;
  std::string title;
};

int main() {
  eider::App app;
  eider::serve_admin(app, "/admin",
                     {.guard = [] { return eider::AdminUser{.id = "1", .name = "Ann"}; }})
      .resource<Book>();
  return 0;
}
