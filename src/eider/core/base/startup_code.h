// Stable codes of the errors that a program reports at startup.
// Layering: must not print or log; app/life does.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace eider::detail::base {

/// A code, and its row in docs/reference/error-codes.md.
struct StartupCode {
  std::string_view name;
  std::string_view cause;
  std::string_view fix;
};

// tools/docs_test.py compares the page with this table, and `eider explain` prints it.
// clang-format off
inline constexpr auto kStartupCodes = std::to_array<StartupCode>({
    {"unknown-option", "The program has no such option or settings key.",
     "Correct the name. `--help-all` lists all options."},
    {"missing-option-value", "An option is given without its value.",
     "Add the value after the option."},
    {"invalid-option-value", "An option, variable or settings key has an invalid value.",
     "Use a value that meets the requirement in the message."},
    {"repeated-option", "An option that has only one value is given several times.",
     "Give the option once."},
    {"missing-option", "An option is given without another option that it requires.",
     "Set both options, or remove the first one."},
    {"secret-in-plain-text", "A secret is on the command line or in the settings file.",
     "Write the secret to a file, and pass the name of the file."},
    {"file-not-readable", "A settings file or the file of a secret cannot be used.",
     "Correct the path, the permissions or the contents of the file."},
    {"invalid-settings-file", "The settings file is not valid TOML.",
     "Correct the line that the message names."},
    {"unknown-variable", "An environment variable has a program's prefix, but no option's name.",
     "Correct the name, or remove the variable. This is a warning."},
    {"duplicate-option", "Two options of the program have the same name.",
     "Rename one, or add its struct with a section."},
    {"invalid-setting", "A function that configures the app rejected a value.",
     "Correct the value that the message names."},
    {"key-too-short", "A secret key has less than 32 bytes.",
     "Use a longer key, for example from `openssl rand -hex 32`."},
    {"duplicate-route", "Two routes match the same method and paths.",
     "Remove or change one of the routes."},
    {"invalid-route", "The pattern of a route is invalid.",
     "Correct the pattern."},
    {"missing-state", "No object is registered for a `State<T>`.",
     "Call `app.state(…)` or `app.singleton(…)`."},
    {"duplicate-state", "Two objects of the same type are registered as state.",
     "Use another type for one of them."},
    {"state-failed", "A function that makes an object threw an exception.",
     "Read the rest of the message."},
    {"circular-dependency", "Guards or `make` functions depend on each other in a cycle.",
     "Remove one parameter, or register one object with `app.state`."},
    {"missing-provider", "No guard, provider or hook supplies a parameter of a handler.",
     "Call `guard(…)` or `provide(…)` on the app, group or route."},
    {"optional-provider", "The provider of a required parameter can return nothing.",
     "Use `std::optional` as the parameter, or return a `Result`."},
    {"missing-path-parameter", "A handler or guard has more path parameters than its pattern.",
     "Add `{name}` to the pattern."},
    {"path-parameter-mismatch", "A guard reads path parameters with different names on two routes.",
     "Use the same name in both patterns."},
    {"duplicate-module", "Two modules have the same name.",
     "Add the module once, or change its `kName`."},
    {"added-too-late", "A route, state or module was added after the app had started.",
     "Add it before `run()`, `serve()` or the `TestClient`."},
    {"port-in-use", "Another program listens on the address.",
     "Stop that program, or choose another port."},
    {"permission-denied", "The process may not listen on the port or path.",
     "Use a port above 1023, or grant `CAP_NET_BIND_SERVICE`."},
    {"address-unavailable", "The address does not belong to this machine.",
     "Use `127.0.0.1`, `::1`, or `0.0.0.0` for all addresses."},
    {"invalid-address", "The address to listen on, or of a trusted proxy, is invalid.",
     "Use an IP address, `localhost`, or `unix:/path`."},
    {"listen-failed", "The server cannot listen for another reason.",
     "Read the rest of the message."},
    {"too-many-threads", "The operating system cannot start the threads.",
     "Use fewer `--threads`, or raise the limit of the service."},
    {"tls-not-supported", "TLS options are set, but the program has no TLS support.",
     "Link `eider::tls`, and call `add_tls(app)`."},
    {"protocol-not-supported", "An address needs HTTP/2, which the program does not support.",
     "Link `eider::http2`, and call `add_http2(app)`."},
    {"certificate-not-readable", "The file of the certificate or private key cannot be read.",
     "Correct the path in `--cert` or `--key`, or its permissions."},
    {"invalid-certificate", "The certificate or the private key cannot be used.",
     "Use PEM files that belong together."},
    {"privileges-failed", "The user, the group or a limit of the process cannot be set.",
     "Create the user, or start the program as root."},
    {"sandbox-failed", "The kernel cannot apply the sandbox.",
     "Use `--sandbox on`, or correct the path in the message."},
    {"worker-failed", "A worker process did not start.",
     "Read the error of the worker in the log."},
    {"database-unreachable", "The database of the migrations cannot be used.",
     "Start the database, or correct its URL."},
    {"service-unreachable", "A module needs a database or server that is not available.",
     "Start that server, or correct its URL."},
    {"migration-failed", "A migration failed, is pending, or was changed after it was applied.",
     "Read the lines of the message, and run `eider db status`."},
    {"schema-differs", "The schema of the database differs from the checked one.",
     "Apply the missing migrations, or run `eider db check` again."},
    {"start-failed", "`on_start` or the start of a module failed.",
     "Read the rest of the message."},
    {"startup-failed", "Another error, for example an exception of your own code.",
     "Read the rest of the message."},
});
// clang-format on

/// Returns the row of a code, or null.
[[nodiscard]] constexpr const StartupCode* find_startup_code(std::string_view name) noexcept {
  const auto* const found = std::ranges::find(kStartupCodes, name, &StartupCode::name);
  return found == kStartupCodes.end() ? nullptr : found;
}

/// The name of a code. A text that is not in kStartupCodes does not compile.
class CodeName {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): the argument is a literal
  consteval CodeName(const char* name) : text_(find_startup_code(name)->name) {}
  explicit constexpr CodeName(const StartupCode& code) noexcept : text_(code.name) {}
  [[nodiscard]] constexpr std::string_view text() const noexcept { return text_; }

 private:
  std::string_view text_;
};

/// An error line without its code, and the code.
struct CodedLine {
  CodeName code;
  std::string text;
};

/// Removes "error[port-in-use]: " from the line, at any position.
///
/// otherwise  the code to return if the line has none
[[nodiscard]] CodedLine split_code(std::string_view line, CodeName otherwise);
/// Returns "error[port-in-use]: Cannot listen on …". If the text already contains a code, that code
/// is more precise: it moves to the front, and `code` is not used.
[[nodiscard]] std::string with_code(CodeName code, std::string_view text);

}  // namespace eider::detail::base
