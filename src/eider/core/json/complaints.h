// What of a text does not fit its type, as one reading finds it out.
// Must not stop the reading: what is wrong behind is to be told as well.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/core/json/path.h"
#include "eider/core/reflect/wording.h"

namespace eider::json::detail {

/// Keeps the first ones, and counts them all.
class Complaints {
 public:
  explicit Complaints(std::size_t kept_max) noexcept : kept_max_(kept_max) {}

  void add(const Path& path, const Requirement& broken) {
    if (has_room()) {
      kept_.push_back(field_error(path.pointer(), broken));
    }
    ++count_;
  }
  /// One below `path`.
  void add(const Path& path, FieldError below) {
    if (has_room()) {
      below.pointer.insert(0, path.pointer());
      kept_.push_back(std::move(below));
    }
    ++count_;
  }
  /// Of one without room nobody reads what was required.
  [[nodiscard]] bool has_room() const noexcept { return kept_.size() < kept_max_; }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

  [[nodiscard]] Result<void> verdict() && {
    return count_ == 0 ? Result<void>() : fail(Error::invalid(std::move(kept_)));
  }

 private:
  std::size_t kept_max_;
  std::vector<FieldError> kept_;
  std::size_t count_ = 0;
};

}  // namespace eider::json::detail
