// The options that every application has: of the server, its process, its limits and its log.
// Layering: must not know the source of their values; options.h reads them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/app/settings/option_set.h"
#include "eider/app/settings/reloadable.h"
#include "eider/core/base/log.h"
#include "eider/core/base/result.h"
#include "eider/server/server.h"

namespace eider::detail::app {

/// A listening address: "0.0.0.0:80", "[::1]:8080", or one without a port: "unix:/path", "systemd".
struct Place {
  ListenAt at;

  [[nodiscard]] std::string to_text() const;
  static Result<Place, std::string> from_text(std::string_view text);
};

/// The options that can change while the server runs.
struct ReloadableServing {
  std::optional<LogLevel> log_level;

  static constexpr OptionText kOptions[] = {
      {.member = "log_level",
       .help = "Write only log messages of this level and above",
       .initial = "set by the program",
       .is_reloadable = true,
       .group = "Diagnostics"}};
};
struct LiveSettings {
  explicit LiveSettings(const Limits& given) : limits(given) {}

  Reloadable<ReloadableServing> serving;
  Reloadable<Limits> limits;
};

/// The values of all these options.
class ProgramOptions {
 public:
  /// given  the defaults
  explicit ProgramOptions(const ServerOptions& given)
      : server(given), live(std::make_shared<LiveSettings>(given.limits)) {}
  ProgramOptions(const ProgramOptions&) = delete;
  ProgramOptions& operator=(const ProgramOptions&) = delete;

  /// Returns the description of each option: its name, help text, checks and the member that gets
  /// its value. The result refers to this object.
  [[nodiscard]] OptionSet set();
  /// Returns the server's options with the values that were read.
  [[nodiscard]] ServerOptions result() const;
  [[nodiscard]] bool has_tls() const noexcept;

  ServerOptions server;
  std::string config;
  std::vector<Place> listen;
  std::vector<std::uint16_t> tls_port;
  std::vector<Place> listen_tls;
  bool print_config = false;
  std::shared_ptr<LiveSettings> live;

 private:
  void add_addresses(OptionSet& set);
  void add_processes(OptionSet& set);
  void add_life(OptionSet& set);
};

/// Returns `limits` with the members whose values differ in `on_request` and `now`: those that the
/// program has set itself remain until a setting changes.
[[nodiscard]] Limits with_changes(Limits limits, const Limits& before, const Limits& now);

}  // namespace eider::detail::app
