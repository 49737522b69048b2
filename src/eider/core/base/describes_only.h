// Determines whether an app is created only to describe its options and routes.
// Layering: must not know apps.
#pragma once

namespace eider::detail::base {

/// While an instance exists, apps that this thread creates serve only `--help`, `--routes` and
/// similar options. They create nothing on disk: SQLite databases open in memory, FileStore creates
/// no directories, and log files are not opened.
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
