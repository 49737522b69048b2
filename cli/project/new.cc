#include "cli/project/new.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "cli/files.h"
#include "cli/project/words.h"
#include "eider/web/assets/embedded.h"

/// Made by eider_assets() of new/. Not its header, so that this file compiles where nothing has
/// been built.
[[nodiscard]] eider::EmbeddedAssets cli_new_files() noexcept;

namespace eider {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNewHelp = R"(eider new [KIND] NAME [--here] [--with LIST]

Creates a project in the new folder NAME. It compiles, passes its tests, and has CMake presets and
settings for editors and debuggers.

service   JSON with validated input, an OpenAPI document, health checks (default)
web       Pages from templates, a form, style sheets
realtime  A chat with WebSockets and server-sent events
library   Routes that other projects find with find_package and add to their own app

--here       Create the project in the current folder; existing files are not overwritten
--kind K     The same as KIND
--with LIST  Files for CI and deployment, separated by commas (default: github,docker; for a
             library: github)

github      A workflow of GitHub Actions
gitlab      A pipeline of GitLab
docker      A Dockerfile, for a small image without a shell and without root
compose     Docker Compose, with PostgreSQL; includes docker
kubernetes  A deployment with probes, resources and a service; includes docker
none        No such files

  eider new shop && cd shop && eider test
  eider new web guestbook --with gitlab,kubernetes

Exit codes: 0 success, 1 failure, 2 invalid usage
)";

constexpr std::array<std::string_view, 4> kProjectKinds = {"service", "web", "realtime", "library"};
constexpr std::size_t kNameBytesMax = 64;
/// The longest label of a name in DNS (RFC 1035, section 2.3.4).
constexpr std::size_t kLabelBytesMax = 63;

/// A value of --with, of which the folder with-NAME of cli/new has the files.
struct WithFiles {
  std::string_view name;
  bool is_for_library;
  bool needs_docker;
};
constexpr WithFiles kWithFiles[] = {{"github", true, false},
                                    {"gitlab", true, false},
                                    {"docker", false, false},
                                    {"compose", false, true},
                                    {"kubernetes", false, true}};

constexpr std::string_view kReservedWords[] = {
    // The words of C++23, in small letters.
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
    "case", "catch", "char", "char8_t", "char16_t", "char32_t", "class", "compl", "concept",
    "const", "consteval", "constexpr", "constinit", "const_cast", "continue", "co_await",
    "co_return", "co_yield", "decltype", "default", "delete", "do", "double", "dynamic_cast",
    "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
    "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr",
    "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast",
    "requires", "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast",
    "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef",
    "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t",
    "while", "xor", "xor_eq",
    // Namespaces and macros that are taken.
    "std", "eider", "linux", "unix", "main", "posix",
    // Targets of CMake's, and folders of the project.
    "all", "clean", "help", "install", "test", "package", "package_source", "edit_cache",
    "rebuild_cache", "depend", "src", "tests", "build"};

/// Names of C's that are seen behind <eider/eider.h>, so that no namespace is called so. Those that
/// nobody would call a project, such as strncmp, are left out.
constexpr std::string_view kNamesOfC[] = {
    "abi",      "abort",    "abs",      "access",  "acct",    "alarm",  "assert",   "atexit",
    "bsearch",  "clock",    "clone",    "close",   "crypt",   "daemon", "daylight", "div",
    "dup",      "environ",  "errno",    "exit",    "fork",    "fread",  "free",     "fwrite",
    "getline",  "getopt",   "gettext",  "index",   "kill",    "labs",   "link",     "malloc",
    "memcpy",   "nice",     "obstack",  "optarg",  "pause",   "perror", "pipe",     "popen",
    "printf",   "profil",   "puts",     "qsort",   "raise",   "rand",   "random",   "read",
    "readlink", "realloc",  "realpath", "remove",  "rename",  "revoke", "rewind",   "scanf",
    "select",   "signal",   "sleep",    "stat",    "stderr",  "stdin",  "stdout",   "strlen",
    "swab",     "symlink",  "sync",     "syscall", "sysconf", "system", "time",     "timespec",
    "timezone", "truncate", "uint",     "ulong",   "umask",   "unlink", "unshare",  "ushort",
    "wait",     "write"};

bool is_among(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

std::string replaced(std::string text, const std::vector<Placeholder>& placeholders) {
  for (const auto& [what, value] : placeholders) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos;) {
      text.replace(at, what.size(), value);
      at += value.size();
    }
  }
  return text;
}

/// A name that the project could have: what is wrong is left out.
std::string name_instead(std::string_view wrong) {
  std::string name;
  for (const char each : wrong.substr(wrong.rfind('/') + 1)) {
    const auto letter = static_cast<unsigned char>(each);
    if (letter < 0x80 && std::isalnum(letter) != 0) {
      name += static_cast<char>(std::tolower(letter));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-') {
    name.pop_back();
  }
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) {
    name.insert(0, name.empty() ? "shop" : "app-");
  }
  return name.substr(0, kNameBytesMax);
}

Result<void, std::string> taken(std::string_view name) {
  return fail(
      fmt::format("{0} is reserved in C++ or CMake. Choose another name, such as my-{0}", name));
}

struct NewWanted {
  std::string kind;
  std::string name;
  std::vector<std::string_view> with;
  bool is_here = false;
};

/// The names that --with accepts for a kind of project: "github, gitlab, none".
std::string with_names(bool is_library) {
  std::string names;
  for (const WithFiles& each : kWithFiles) {
    if (!is_library || each.is_for_library) {
      names += std::string(each.name) + ", ";
    }
  }
  return names + "none";
}

/// The values of --with, each one once.
///
/// errors   an unknown name, a name that is not for a library, or `none` with other names
Result<std::vector<std::string_view>, std::string> with_wanted(
    const std::vector<std::string>& lists, bool is_library) {
  std::vector<std::string> names;
  for (const std::string& list : lists) {
    for (std::size_t at = 0; at <= list.size();) {
      const std::size_t end = std::min(list.find(',', at), list.size());
      names.push_back(list.substr(at, end - at));
      at = end + 1;
    }
  }
  if (names.empty()) {
    return is_library ? std::vector<std::string_view>{"github"}
                      : std::vector<std::string_view>{"github", "docker"};
  }
  if (std::ranges::find(names, "none") != names.end()) {
    return names.size() == 1 ? Result<std::vector<std::string_view>, std::string>()
                             : fail(std::string("--with none excludes other names"));
  }
  std::vector<std::string_view> with;
  const auto add = [&with](std::string_view name) {
    if (!is_among(with, name)) {
      with.push_back(name);
    }
  };
  for (const std::string& name : names) {
    const auto* known = std::ranges::find(kWithFiles, name, &WithFiles::name);
    if (known == std::end(kWithFiles)) {
      return fail(
          fmt::format("unknown name '{}' in --with. Names: {}", name, with_names(is_library)));
    }
    if (is_library && !known->is_for_library) {
      return fail(
          fmt::format("--with {} is not for a library. Names: {}", name, with_names(is_library)));
    }
    if (known->needs_docker) {
      add("docker");
    }
    add(known->name);
  }
  return with;
}

Result<NewWanted, std::string> new_wanted(std::span<const std::string_view> arguments) {
  CommandWords words(arguments);
  NewWanted wanted;
  wanted.is_here = words.flag("--here");
  const auto kind = words.value("--kind", "KIND");
  const auto lists = words.values("--with", "LIST");
  auto rest = words.rest("KIND and NAME", 2);
  if (!rest) {
    return fail(rest.error());
  }
  // One word is a name, unless it is a kind and the folder says the name.
  const bool is_kind_first = !rest->empty() && !kind && is_among(kProjectKinds, rest->front()) &&
                             (rest->size() == 2 || wanted.is_here);
  if (kind || is_kind_first || rest->size() == 2) {
    wanted.kind = kind ? *kind : rest->front();
  }
  if (!kind && (is_kind_first || rest->size() == 2)) {
    rest->erase(rest->begin());
  }
  if (!wanted.kind.empty() && !is_among(kProjectKinds, wanted.kind)) {
    return fail(
        fmt::format("unknown kind {}. Kinds: {}", wanted.kind, fmt::join(kProjectKinds, ", ")));
  }
  if (rest->size() > 1) {
    return fail(fmt::format("unexpected argument {}; expected: KIND and NAME", rest->back()));
  }
  if (rest->empty() && !wanted.is_here) {
    return fail(std::string("no name given. Example: eider new shop"));
  }
  // A project may be called so, but a name was more likely forgotten.
  if (rest->size() == 1 && wanted.kind.empty() && is_among(kProjectKinds, rest->front())) {
    return fail(
        fmt::format("no name given. Example: eider new {0} shop; for a service called {0}: eider "
                    "new --kind service {0}",
                    rest->front()));
  }
  if (wanted.kind.empty()) {
    wanted.kind = kProjectKinds.front();
  }
  wanted.name =
      rest->empty() ? name_instead(fs::current_path().filename().string()) : rest->front();
  auto with = with_wanted(lists, wanted.kind == "library");
  if (!with) {
    return fail(with.error());
  }
  wanted.with = std::move(*with);
  return wanted;
}

std::vector<NewFile> files_of(const NewWanted& wanted) {
  const std::vector<Placeholder> placeholders = placeholders_of(wanted.name);
  std::vector<std::string> folders = {"common", wanted.kind};
  if (wanted.kind != "library") {
    folders.emplace_back("program");
  }
  for (const std::string_view each : wanted.with) {
    folders.push_back(fmt::format("with-{}", each));
  }
  std::vector<NewFile> files;
  for (const std::string& folder : folders) {
    std::ranges::move(new_files(folder, placeholders), std::back_inserter(files));
  }
  return files;
}

void take_away(const std::vector<fs::path>& written) {
  std::error_code ignored;
  for (auto path = written.rbegin(); path != written.rend(); ++path) {
    fs::remove(*path, ignored);  // of a directory: if it is empty
  }
}

/// Makes the missing directories above the file, and remembers them.
Result<void, std::string> make_directories(const fs::path& directory,
                                           std::vector<fs::path>& written) {
  std::vector<fs::path> missing;
  for (fs::path at = directory; !at.empty() && !fs::exists(at); at = at.parent_path()) {
    missing.push_back(at);
  }
  for (auto path = missing.rbegin(); path != missing.rend(); ++path) {
    std::error_code failed;
    if (!fs::create_directory(*path, failed) && failed) {
      return fail(fmt::format("cannot create {}: {}", path->string(), failed.message()));
    }
    written.push_back(*path);
  }
  return {};
}

int made(const NewWanted& wanted) {
  if (wanted.is_here) {
    fmt::print("created the {} project {} in this folder\n\n  eider test\n", wanted.kind,
               wanted.name);
  } else {
    fmt::print("created the {0} project {1} in {1}/\n\n  cd {1}\n  eider test\n", wanted.kind,
               wanted.name);
  }
  return kCommandDone;
}

}  // namespace

std::vector<NewFile> new_files(std::string_view folder,
                               const std::vector<Placeholder>& placeholders) {
  std::vector<NewFile> files;
  const std::string prefix = std::string(folder) + "/";
  constexpr std::string_view kSuffix = ".in";
  for (const EmbeddedAsset& asset : cli_new_files()) {
    if (asset.name.starts_with(prefix) && asset.name.ends_with(kSuffix)) {
      std::string_view name = asset.name.substr(prefix.size());
      name.remove_suffix(kSuffix.size());
      std::vector<Placeholder> in_name = placeholders;
      in_name.push_back({"dot-", "."});  // what begins with a dot is no asset
      files.push_back({replaced(std::string(name), in_name),
                       replaced(std::string(asset.content), placeholders)});
    }
  }
  return files;
}

Result<void, std::string> check_name(std::string_view name) {
  const auto is_letter = [](char each) { return each >= 'a' && each <= 'z'; };
  const auto is_digit = [](char each) { return each >= '0' && each <= '9'; };
  std::string why;
  if (name.find('/') != std::string_view::npos) {
    why = "names cannot be paths";
  } else if (name.empty() || name.size() > kNameBytesMax) {
    why = "names have 1 to 64 characters";
  } else if (!is_letter(name.front())) {
    why = "names start with a lowercase letter";
  } else if (!std::ranges::all_of(name, [&](char each) {
               return is_letter(each) || is_digit(each) || each == '-' || each == '_';
             })) {
    why = "names consist of lowercase letters, digits, - and _";
  } else if (identifier_of(name).contains("__") || identifier_of(name).ends_with('_')) {
    why = "names cannot have two of - and _ in a row, or at the end";
  } else if (is_among(kReservedWords, identifier_of(name))) {
    return taken(name);
  } else {
    return {};
  }
  return fail(fmt::format("{}. Choose another name, such as {}", why, name_instead(name)));
}

Result<void, std::string> check_project_name(std::string_view name) {
  if (name.starts_with("pg_") || name.starts_with("pg-")) {
    return fail(
        fmt::format("PostgreSQL reserves names of roles that start with pg_. Choose "
                    "another name, such as {}",
                    name_instead(name.substr(3))));
  }
  return is_among(kNamesOfC, name) ? taken(name) : check_name(name);
}

std::string identifier_of(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '-', '_');
  return text;
}

std::vector<Placeholder> placeholders_of(std::string_view name) {
  std::string upper = identifier_of(name);
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char each) { return static_cast<char>(std::toupper(each)); });
  // A label of DNS has no underscore and ends with a letter or a digit.
  std::string label(name.substr(0, kLabelBytesMax));
  std::ranges::replace(label, '_', '-');
  label.erase(label.find_last_not_of('-') + 1);
  return {{"@name@", std::string(name)},
          {"@id@", identifier_of(name)},
          {"@ID@", upper},
          {"@dns@", label}};
}

Result<void, std::string> write_new_files(const std::string& directory,
                                          const std::vector<NewFile>& files) {
  const fs::path root = fs::absolute(directory);
  for (const NewFile& file : files) {
    if (fs::exists(fs::symlink_status(root / file.name))) {
      return fail(fmt::format("{} already exists, and is not overwritten", file.name));
    }
  }
  std::vector<fs::path> written;
  for (const NewFile& file : files) {
    const fs::path path = root / file.name;
    auto done = make_directories(path.parent_path(), written);
    if (done) {
      written.push_back(path);
      done = write_text_file(path.string(), file.content);
    }
    if (!done) {
      take_away(written);
      return done;
    }
  }
  return {};
}

int new_command(std::span<const std::string_view> arguments) {
  if (is_help(arguments, kNewHelp)) {
    return kCommandDone;
  }
  const auto wanted = new_wanted(arguments);
  if (!wanted) {
    return command_misused("new", wanted.error());
  }
  if (const auto good = check_project_name(wanted->name); !good) {
    return command_fault("new", good.error(), kCommandMisused);
  }
  if (!wanted->is_here && fs::exists(fs::symlink_status(wanted->name))) {
    const bool is_folder = fs::is_directory(wanted->name);
    return command_fault(
        "new",
        fmt::format(
            "{0} already exists. Choose another name{1}", wanted->name,
            is_folder
                ? fmt::format(", or create the project in that folder: cd {} && eider new --here",
                              wanted->name)
                : ""));
  }
  const auto written = write_new_files(wanted->is_here ? "." : wanted->name, files_of(*wanted));
  return written ? made(*wanted) : command_fault("new", written.error());
}

}  // namespace eider
