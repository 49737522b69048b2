// The users of the shop: name and role of an account. Passwords are part of the accounts.
// Layering: must not store sessions.
#pragma once

#include <eider/accounts.h>
#include <eider/database.h>

#include <string>
#include <utility>
#include <vector>

#include "people/user.h"

namespace bookstore {

/// A module of the application.
class People {
 public:
  static constexpr std::string_view kName = "people";

  /// admin_mail  address of the administrator; used while there is no administrator
  People(eider::Database database, std::string admin_mail)
      : database_(std::move(database)), admin_mail_(std::move(admin_mail)) {}

  /// Makes an existing account the administrator, for accounts older than the setting.
  [[nodiscard]] eider::Task<> start() const;
  /// Returns the user of the account, with its address; creates a new user if necessary.
  [[nodiscard]] eider::Task<User> find(eider::Account account) const;
  /// The same, and changes the name.
  [[nodiscard]] eider::Task<User> find(eider::Account account, std::string name) const;

  /// Changes the role of all these users, or of none.
  ///
  /// errors  404; 409 if no administrator would remain
  [[nodiscard]] eider::Task<eider::Result<void>> set_role(std::vector<std::int64_t> ids,
                                                          Role role) const;

 private:
  eider::Database database_;
  std::string admin_mail_;
};

}  // namespace bookstore
