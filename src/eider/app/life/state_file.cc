#include "eider/app/life/state_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include "eider/core/base/version.h"
#include "eider/core/json/write.h"
#include "eider/core/kinds/times.h"
#include "eider/io/runtime/descriptor.h"

namespace eider::detail::app {

namespace {

/// Writes to a new file first and renames it, so that readers always see the whole text. In a
/// shared directory such as /tmp, a file or link that another user created with that name is
/// neither followed nor written to.
///
/// returns  0, or errno
int write_file(const std::string& path, std::string_view text) {
  const std::string fresh = path + ".new";
  ::unlink(fresh.c_str());
  Descriptor file(
      ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.is_open()) {
    return errno;
  }
  if (!runtime::write_all(file.get(), text) || std::rename(fresh.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(fresh.c_str());
    return error;
  }
  return 0;
}

std::string line_of(const std::string& path, const ServerState& server) {
  std::uint64_t in_flight = 0;
  std::uint64_t silent = 0;
  for (const LoopState& loop : server.loops) {
    in_flight += loop.in_flight;
    silent += loop.is_responsive ? 0 : 1;
  }
  std::string line = "The state of this process was written to " + path + ": ";
  line.append(std::to_string(server.loops.size())).append(" loops, ");
  line.append(silent == 0 ? "" : std::to_string(silent) + " of them not responding, ");
  return line.append(std::to_string(in_flight)).append(" requests in flight.");
}

}  // namespace

ProcessState process_state(const ServerState& server) {
  constexpr std::size_t kResourcesMax = 100;  // because a person reads the report
  return {.time = now_text(),
          .eider = std::string(kVersion),
          .server = server,
          .resources = ResourceProbe::all(kResourcesMax)};
}

std::string state_path(const std::string& path, const ServerState& server) {
  if (!path.empty()) {
    return server.worker ? path + "." + std::to_string(*server.worker) : path;
  }
  std::string directory = "/tmp";
  for (const char* const name : {"RUNTIME_DIRECTORY", "TMPDIR"}) {
    const char* const said = std::getenv(name);
    if (said != nullptr && *said == '/') {
      const std::string_view all(said);  // systemd can list several directories: "/run/a:/run/b"
      directory = all.substr(0, all.find(':'));
      break;
    }
  }
  return directory + "/eider-state-" + std::to_string(server.process) + ".json";
}

void write_state(const std::string& path, const ServerState& server, LogSink* log) {
  const std::string at = state_path(path, server);
  const int error = write_file(at, json::to_text(process_state(server)) + "\n");
  if (log == nullptr) {
    return;
  }
  if (error == 0) {
    log->write(LogLevel::info, line_of(at, server));
  } else {
    log->write(LogLevel::error, "The state of this process cannot be written to " + at + ": " +
                                    std::generic_category().message(error) +
                                    ". Set another file with --state-file.");
  }
}

}  // namespace eider::detail::app
