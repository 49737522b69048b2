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

/// How long ago somebody may have shown who he is who changes how he logs in.
inline constexpr std::chrono::minutes kFreshLogin{10};

// What an API key may do; a user who is logged in may do all of it.
inline constexpr const char* kReadOrders = "orders:read";
inline constexpr const char* kPlaceOrders = "orders:write";
inline constexpr const char* kWriteBooks = "books:write";

/// Each may do what the one before may.
// tr
enum class Role : std::uint8_t { customer, staff, admin };

struct User {
  std::int64_t id = 0;
  std::string name;
  std::string mail;
  Role role = Role::customer;

  [[nodiscard]] bool is_staff() const { return role != Role::customer; }
};

/// A user who keeps the books.
struct Staff {
  User user;
};

/// A user who says who may what.
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
