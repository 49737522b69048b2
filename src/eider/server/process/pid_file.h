// The PID file of the serving process.
// Layering: must not fail the service, nor follow a link: an error is logged, and there is no
// file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eider/io/runtime/descriptor.h"
#include "eider/server/process/rights.h"

namespace eider::detail::server {

class PidFile {
 public:
  /// Ahead of dropping rights: an empty file of that user's, or of who this is, which `write` fills
  /// where its directory lets nobody make another one.
  void prepare(const std::string& path, const std::optional<ServingUser>& user);
  /// This process's number in place of what is there, at once: nobody reads half of it.
  ///
  /// returns  whether it stands there; also for no path
  bool write(const std::string& path);
  /// Another process has written, or will: `remove` leaves it.
  void leave() noexcept { path_.clear(); }
  /// Where the directory does not let it go, it is empty from now on. One that is another's by now
  /// stays.
  void remove() noexcept;

 private:
  bool replace(const std::string& path, std::string_view line);
  bool overwrite(const std::string& path, std::string_view line);

  std::string path_;
  Descriptor file_;
};

}  // namespace eider::detail::server
