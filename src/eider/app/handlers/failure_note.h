// The exception that caused a 500, for middleware that shows it to a developer.
// Layering: must not be put into requests in production, where exceptions are not shown to clients.
#pragma once

#include <memory>
#include <source_location>
#include <string>
#include <vector>

namespace eider {

/// type  name of the type in C++, "std::out_of_range"
/// text  its what(); empty if it is not a std::exception
struct Thrown {
  std::string type;
  std::string text;
};

/// Stored in a request by code that needs exceptions; the app fills it in.
class FailureNote {
 public:
  struct Failure {
    /// The outermost exception first, followed by nested ones (std::throw_with_nested).
    std::vector<Thrown> thrown;
    /// The source line of the route, "main.cc:31"; empty without a route.
    std::string where;
  };

  FailureNote() : failure_(std::make_unique<Failure>()) {}
  [[nodiscard]] const Failure& failure() const noexcept { return *failure_; }

  /// Stores the current exception. Call it within `catch`.
  void take(const std::source_location& where) const;

 private:
  std::unique_ptr<Failure> failure_;
};

}  // namespace eider
