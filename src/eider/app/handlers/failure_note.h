// What was thrown where an answer became a 500, for middleware that shows it to a developer.
// Must not be put into requests in production: what is thrown is nobody else's to know.
#pragma once

#include <memory>
#include <source_location>
#include <string>
#include <vector>

namespace eider {

/// type  as it is written in C++, "std::out_of_range"
/// text  what it says; empty where it is no std::exception
struct Thrown {
  std::string type;
  std::string text;
};

/// Put into a request by who wants to know; the app fills it in.
class FailureNote {
 public:
  struct Failure {
    /// The outermost first; behind it what it was nested around (std::throw_with_nested).
    std::vector<Thrown> thrown;
    /// Where the route was added, "main.cc:31"; empty where there is none.
    std::string where;
  };

  FailureNote() : failure_(std::make_unique<Failure>()) {}
  [[nodiscard]] const Failure& failure() const noexcept { return *failure_; }

  /// Notes what is being handled. To be called within `catch`.
  void take(const std::source_location& where) const;

 private:
  std::unique_ptr<Failure> failure_;
};

}  // namespace eider
