#include "people/people.h"

namespace bookstore {

using eider::Account;
using eider::Error;
using eider::fail;
using eider::Result;
using eider::Task;

Task<> People::start() const {
  co_await database_.exec(
      "update users set role = 'admin' where lower(mail) = lower($1) and not exists(select 1 from "
      "users where role = 'admin')",
      admin_mail_);
}

Task<User> People::find(Account account) const {
  auto user = co_await database_.one<User>(
      "select id, name, mail, role from users where account = $1", account.key);
  if (user && user->mail == account.email) {
    co_return std::move(*user);
  }
  const std::string name = user ? user->name : account.email.substr(0, account.email.find('@'));
  co_return co_await find(std::move(account), name);
}

Task<User> People::find(Account account, std::string name) const {
  auto user = co_await database_.one<User>(
      "insert into users(account, name, mail, role) values($1, $2, $3, case when lower($3) = "
      "lower($4) and not exists(select 1 from users where role = 'admin') then 'admin' else "
      "'customer' end) "
      "on conflict(account) do update set name = excluded.name, mail = excluded.mail "
      "returning id, name, mail, role",
      account.key, name, account.email, admin_mail_);
  co_return std::move(user.value());
}

Task<Result<void>> People::set_role(std::vector<std::int64_t> ids, Role role) const {
  co_return co_await database_.transaction([ids,
                                            role](eider::Transaction& all) -> Task<Result<void>> {
    for (const std::int64_t id : ids) {
      const auto others =
          co_await all.one<int>("select count(*) from users where role = 'admin' and id <> $1", id);
      if (role != Role::admin && others.value_or(0) == 0) {
        co_return fail(Error::conflict("At least one user must be an administrator."));
      }
      const eider::db::Changed changed =
          co_await all.exec("update users set role = $2 where id = $1", id, role);
      if (changed.rows == 0) {
        co_return fail(Error::not_found("This user does not exist."));
      }
    }
    co_return {};
  });
}

}  // namespace bookstore
