// The file that tells which process serves: for scripts that send it signals.
// Must not fail the service: a file that cannot be written is left out.
#pragma once

#include <string>
#include <string_view>

namespace eider::detail::server {

class PidFile {
 public:
  /// This process's number in place of what is there, at once: nobody reads half of it.
  ///
  /// returns  whether it stands there; also for no path
  bool write(const std::string& path);
  /// Another process has written, or will: `remove` leaves it.
  void leave() noexcept { path_.clear(); }
  void remove() noexcept;

 private:
  std::string path_;
};

}  // namespace eider::detail::server
