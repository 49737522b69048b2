// The PID file of the serving process.
// Layering: must not fail the service, nor follow a link: an error is logged, and there is no
// file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eider/io/runtime/descriptor.h"
#include "eider/server/process/rights.h"

namespace eider {

class LogSink;

namespace detail::server {

class PidFile {
 public:
  /// Called before dropping privileges. Creates an empty file that belongs to `user`, or to this
  /// process's user. `write` fills it if it cannot create another file in the directory.
  void prepare(const std::string& path, const std::optional<ServingUser>& user);
  /// Atomically replaces the content with this process's ID, so no reader sees a part of it.
  ///
  /// log      gets a line on an error; may be null
  /// returns  whether the ID was written; true if there is no path
  bool write(const std::string& path, LogSink* log = nullptr);
  /// Called when another process writes the file: `remove` does not remove it.
  void leave() noexcept { path_.clear(); }
  /// Removes the file; if the directory does not permit that, makes it empty. A file with another
  /// process's ID stays.
  void remove() noexcept;

 private:
  bool replace(const std::string& path, std::string_view line);
  bool overwrite(const std::string& path, std::string_view line);

  std::string path_;
  Descriptor file_;
};

}  // namespace detail::server
}  // namespace eider
