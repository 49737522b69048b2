// The current user, and parameters of handlers that require a role.
// Layering: must not contain a password.
#pragma once

#include <eider/eider.h>
#include <eider/sessions.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace bookstore {

/// Maximum time since the last login for changing the login methods.
inline constexpr std::chrono::minutes kFreshLogin{10};

// Scopes of API keys; a logged-in user has all of them.
inline constexpr const char* kReadOrders = "orders:read";
inline constexpr const char* kPlaceOrders = "orders:write";
inline constexpr const char* kWriteBooks = "books:write";

/// Each role may also do everything that the previous one may.
// tr
enum class Role : std::uint8_t { customer, staff, admin };

struct User {
  std::int64_t id = 0;
  std::string name;
  std::string mail;
  Role role = Role::customer;

  [[nodiscard]] bool is_staff() const { return role != Role::customer; }
};

/// A user who manages the books.
struct Staff {
  User user;
};

/// A user who manages the roles of others.
struct Admin {
  User user;
};

}  // namespace bookstore

template <>
struct eider::Extract<bookstore::User> : eider::ExtractExtension<bookstore::User> {
  static constexpr bool kOwnsData = true;
};
template <>
struct eider::Extract<bookstore::Staff> : eider::ExtractExtension<bookstore::Staff> {
  static constexpr bool kOwnsData = true;
};
template <>
struct eider::Extract<bookstore::Admin> : eider::ExtractExtension<bookstore::Admin> {
  static constexpr bool kOwnsData = true;
};
