// Determines whether an app is created only to describe its options and routes.
// Layering: must not know apps.
#pragma once

namespace eider::detail::base {

/// While an instance exists, this thread makes an app only for `--help`, `--routes` and similar
/// options, and nothing is created on the disk: SQLite databases open in memory, directories of
/// FileStore are not made, and log files are not opened.
class DescribesOnly {
 public:
  DescribesOnly() noexcept { ++depth_; }
  ~DescribesOnly() { --depth_; }
  DescribesOnly(const DescribesOnly&) = delete;
  DescribesOnly& operator=(const DescribesOnly&) = delete;

  [[nodiscard]] static bool is_on() noexcept { return depth_ != 0; }

 private:
  static inline thread_local int depth_ = 0;
};

}  // namespace eider::detail::base
