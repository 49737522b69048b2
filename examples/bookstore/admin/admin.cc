#include "admin/admin.h"

#include <eider/admin.h>
#include <eider/jobs.h>

#include <string>

#include "orders/order.h"
#include "people/people.h"

namespace bookstore {

using namespace eider;

namespace {

// The columns that the staff see, if they differ from the structs of the shop.

struct BookRow {
  std::int64_t id = 0;
  std::string title;
  std::string author;
  Isbn isbn;
  Genre genre = Genre::novel;
  int year = 0;
  std::int64_t price_cents = 0;
  int stock = 0;
  std::string summary;
  std::int64_t version = 1;

  using New = NewBook;
  static constexpr db::Table kTable = {.name = "books", .version = "version"};
};
struct ReviewRow {
  std::int64_t id = 0;
  std::int64_t book_id = 0;
  std::int64_t user_id = 0;
  int stars = 1;
  std::string text;

  using New = NewReview;
  static constexpr db::Table kTable = {.name = "reviews"};
};
struct OrderRow {
  std::int64_t id = 0;
  std::int64_t user_id = 0;
  std::string name;
  std::string city;
  OrderState state = OrderState::placed;
  std::int64_t total_cents = 0;
  std::chrono::sys_seconds placed;

  static constexpr db::Table kTable = {.name = "orders"};
};
struct UserRow {
  std::int64_t id = 0;
  std::string name;
  std::string mail;
  Role role = Role::customer;
  std::chrono::sys_seconds joined;

  static constexpr db::Table kTable = {.name = "users"};
};

AdminAction role_action(std::string name, std::string label, Role role) {
  return {std::move(name), std::move(label),
          [role](AdminSelection chosen, State<People> people) -> Task<Result<std::string>> {
            const Result<void> set = co_await people->set_role(chosen.ids(), role);
            if (!set) {
              co_return fail(set.error());
            }
            co_return "The role was changed.";
          }};
}

AdminUser admin_user(const Staff& staff) {
  return {.id = std::to_string(staff.user.id),
          .name = staff.user.name,
          .roles = {staff.user.role == Role::admin ? "admin" : "staff"}};
}

}  // namespace

void add_admin_pages(App& app, const Books& books) {
  serve_admin(app, "/admin",
              {.guard = &admin_user, .title = "Quill & Page", .log_roles = {"admin"}})
      .resource<BookRow>(
          {.sort = "title",
           .changed =
               [&books](const std::string& key) { return books.publish_stock(std::stoll(key)); }})
      .resource<ReviewRow>(
          {.sort = "-id",
           .roles = {{"staff", AdminAccess::remove}, {"admin", AdminAccess::remove}}})
      .resource<OrderRow>({.sort = "-id", .read_only = true})
      .resource<UserRow>({.read_only = true,
                          .roles = {{"admin"}},
                          .actions = {role_action("customer", "Make customer", Role::customer),
                                      role_action("staff", "Make staff", Role::staff),
                                      role_action("admin", "Make administrator", Role::admin)}});
  serve_jobs(app, "/admin/jobs", {.guard = [](Routes& pages) {
               pages.guard([](const Staff& staff) { return JobPageUser{staff.user.name}; });
             }});
}

}  // namespace bookstore
