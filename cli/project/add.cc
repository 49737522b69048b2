#include "cli/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/files.h"
#include "cli/openapi_client/clients.h"
#include "cli/patterns.h"
#include "cli/project/new.h"
#include "cli/project/project.h"
#include "cli/project/words.h"
#include "eider/protocols/route/pattern.h"

namespace eider {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAddHelp = R"(eider add WHAT NAME

Adds code to the project and lists the created and changed files. Nothing is overwritten.

module NAME          Create src/NAME.h, src/NAME.cc and a test, and call it in src/app.cc
page NAME            Create a module with a template, pages/NAME.html
route METHOD PATH    Add a handler to src/app.cc
test NAME            Create tests/NAME_test.cc
migration NAME       Create the next file in migrations/
component NAME       Add sqlite, client, … to find_package and the first target_link_libraries

--project DIR        Project folder (default: the nearest one, here or above)

  eider add module orders
  eider add route GET '/hello/{name}'
  eider add component sqlite

Exit codes: 0 success, 1 failure, 2 invalid usage
)";

constexpr std::string_view kMark = "// `eider add` puts its lines above this one.";

/// A failure with its exit code.
struct AddFault {
  std::string why;
  int status = kCommandFailed;
};

using Added = Result<void, AddFault>;

std::string pascal_of(std::string_view name) {
  std::string pascal;
  bool is_first = true;
  for (const char each : name) {
    if (each == '_') {
      is_first = true;
    } else {
      const int upper = std::toupper(static_cast<unsigned char>(each));
      pascal += is_first ? static_cast<char>(upper) : each;
      is_first = false;
    }
  }
  return pascal;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string text_of_lines(const std::vector<std::string>& lines) {
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

/// Inserts the include among those of the project, in their order, after the app's own header.
void insert_include(std::vector<std::string>& lines, const std::string& line) {
  auto place = lines.end();
  for (auto each = lines.begin(); each != lines.end(); ++each) {
    if (each->starts_with("#include \"") && each->find("_assets.h\"") == std::string::npos &&
        *each != "#include \"app.h\"") {
      place = each + 1;
      if (*each > line) {
        place = each;
        break;
      }
    }
  }
  if (place != lines.end()) {
    lines.insert(place, line);
    return;
  }
  const auto own = std::ranges::find(lines, "#include \"app.h\"");
  lines.insert(own == lines.end() ? lines.begin() : own + 1, {"", line});
}

std::string app_of(const Project& project) {
  return project.root + "/src/app.cc";
}

/// Returns src/app.cc with these lines above the mark; `include` may be empty.
///
/// errors   there is no src/app.cc, as in a library; or it has no mark, with the line to add
Result<std::string, AddFault> app_with(const Project& project, const std::string& what,
                                       const std::string& include, const std::string& line) {
  if (!fs::exists(app_of(project))) {
    return fail(
        AddFault{fmt::format("there is no src/app.cc: a {} cannot be added to a library", what)});
  }
  const auto text = read_text_file(app_of(project));
  if (!text) {
    return fail(AddFault{text.error()});
  }
  std::vector<std::string> lines = lines_of(*text);
  const auto mark = std::ranges::find_if(
      lines, [](const std::string& each) { return each.find(kMark) != std::string::npos; });
  if (mark == lines.end()) {
    return fail(
        AddFault{fmt::format("src/app.cc has no line \"{}\". Put {} where the app is created",
                             kMark, include.empty() ? "this" : "the line back") +
                 (include.empty() ? "\n  " + line : "")});
  }
  lines.insert(mark, mark->substr(0, mark->find('/')) + line);
  if (!include.empty()) {
    insert_include(lines, include);
  }
  return text_of_lines(lines);
}

Added write_change(const Project& project, const std::string& file, const std::string& text) {
  if (const auto written = write_text_file(project.root + "/" + file, text); !written) {
    return fail(AddFault{written.error()});
  }
  fmt::print("changed {}\n", file);
  return {};
}

std::string app_header_of(const Project& project) {
  const auto text = read_text_file(project.root + "/src/app.h");
  return text && text->contains("make_app(") ? *text : std::string();
}

/// Returns the options that a test passes to make_app(), as src/app.h declares it.
std::string options_of_app(const Project& project) {
  const std::string header = app_header_of(project);
  return find_pattern(header, R"(make_app\([^)=]+\))").empty() ? "" : "{}";
}

std::vector<NewFile> files_to_add(const Project& project, const std::string& what,
                                  const std::string& name) {
  return new_files("add-" + what, {{"@module@", name},
                                   {"@Module@", pascal_of(name)},
                                   {"@id@", identifier_of(project.name)},
                                   {"@options@", options_of_app(project)}});
}

Added write_added(const Project& project, const std::vector<NewFile>& files) {
  if (const auto written = write_new_files(project.root, files); !written) {
    return fail(AddFault{written.error()});
  }
  for (const NewFile& file : files) {
    fmt::print("made {}\n", file.name);
  }
  return {};
}

/// Headers that C++ and Eider include with <name.h>. src/ is searched before the system
/// directories, so a header of that name there would replace them.
constexpr std::string_view kSystemHeaders[] = {
    "alloca",   "assert",      "complex", "ctype",     "dirent",   "dlfcn",  "endian",    "errno",
    "fcntl",    "features",    "fenv",    "float",     "inttypes", "iso646", "libintl",   "limits",
    "link",     "liburing",    "locale",  "malloc",    "math",     "memory", "mysql",     "netdb",
    "poll",     "pthread",     "pwd",     "regex",     "sched",    "setjmp", "semaphore", "signal",
    "simdjson", "stdalign",    "stdarg",  "stdatomic", "stdbool",  "stddef", "stdint",    "stdio",
    "stdlib",   "stdnoreturn", "string",  "strings",   "syscall",  "tgmath", "threads",   "time",
    "uchar",    "unistd",      "wchar",   "wctype",    "zlib"};

/// Adds the module's own files, and calls the module in the app.
Added add_module(const Project& project, const std::string& what, const std::string& name) {
  const auto cmake = read_text_file(project.root + "/CMakeLists.txt");
  if (what == "page" && (!cmake || cmake->find("eider_views") == std::string::npos)) {
    return fail(
        AddFault{"the project has no templates. Call eider_views(target DIRECTORY pages) in "
                 "CMakeLists.txt, and add_views(app, …); see a project of eider new web"});
  }
  const auto app = app_with(project, what, fmt::format("#include \"{}.h\"", name),
                            fmt::format("add_{}(app);", name));
  if (!app) {
    return fail(app.error());
  }
  const Added made = write_added(project, files_to_add(project, what, name));
  return made ? write_change(project, "src/app.cc", *app) : made;
}

/// Returns text such as "{x-y} of ". Pre: find_fault(pattern) == PatternFault::bad_name.
std::string misnamed_part(std::string_view pattern) {
  for (PatternReader reader(pattern); reader.has_more();) {
    const std::string part = fmt::format("{{{}}}", reader.next().text);
    if (find_fault("/" + part) == PatternFault::bad_name) {
      return part + " of ";
    }
  }
  return {};
}

/// Returns the path parameters of a pattern: "name" of "/hello/{name}".
///
/// errors  the error in the pattern
Result<std::vector<std::string>, std::string> values_of(const std::string& pattern) {
  if (const PatternFault fault = find_fault(pattern); fault != PatternFault::none) {
    const std::string part = fault == PatternFault::bad_name ? misnamed_part(pattern) : "";
    return fail(fmt::format("{}{} is not a valid path: {}", part, pattern, to_text(fault)));
  }
  if (!is_whole_match(pattern, R"(/[A-Za-z0-9_./{}~-]*)")) {
    return fail(fmt::format("{} is not a valid path. Example: /notes/{{id}}", pattern));
  }
  std::vector<std::string> values;
  const PatternInfo info(pattern);
  for (std::size_t i = 0; i < info.size(); ++i) {
    values.emplace_back(info.name(i));
    if (!openapi_client::is_cpp_name(values.back())) {
      return fail(fmt::format(
          "{} cannot be the name of a parameter in C++. Choose another name, such as id",
          values.back()));
    }
  }
  return values;
}

/// Returns whether the app has a route with the same pattern, ignoring the names of path
/// parameters.
bool has_route(const std::string& app, const std::string& function, const std::string& pattern) {
  const auto nameless = [](const std::string& path) {
    return replace_pattern(path, R"(\{\w*)", "{");
  };
  const auto routes = find_patterns(app, R"((?:^|\n)\s*app\.)" + function + R"-(\(\s*"([^"]*)")-");
  return std::ranges::any_of(
      routes, [&](const PatternMatch& each) { return nameless(each[1]) == nameless(pattern); });
}

Added add_route(const Project& project, std::string method, const std::string& pattern) {
  std::ranges::transform(method, method.begin(),
                         [](unsigned char each) { return static_cast<char>(std::tolower(each)); });
  constexpr std::array kMethods = {"get", "post", "put", "patch", "delete"};
  if (std::ranges::find(kMethods, method) == kMethods.end()) {
    return fail(
        AddFault{fmt::format("{} is not a method. Use GET, POST, PUT, PATCH or DELETE", method),
                 kCommandMisused});
  }
  const auto values = values_of(pattern);
  if (!values) {
    return fail(AddFault{values.error(), kCommandMisused});
  }
  const std::string function = method == "delete" ? "del" : method;
  if (has_route(read_text_file(app_of(project)).value_or(""), function, pattern)) {
    return fail(AddFault{fmt::format("src/app.cc already has a route for {} {}", method, pattern)});
  }
  std::vector<std::string> parameters;
  for (const std::string& value : *values) {
    parameters.push_back("const std::string& " + value);
  }
  const std::string line = fmt::format(
      "app.{}(\"{}\", []{} {{ return {}; }});", function, pattern,
      parameters.empty() ? "" : fmt::format("({})", fmt::join(parameters, ", ")),
      values->empty() ? "std::string(\"Hello\")" : fmt::format("{}", fmt::join(*values, " + ")));
  const auto app = app_with(project, "route", {}, line);
  return app ? write_change(project, "src/app.cc", *app) : fail(app.error());
}

/// Returns the components of the installed package; none if the package is not known.
std::vector<std::string> components_known() {
  std::vector<std::string> known;
  for (const auto& [_, prefixes] : package_environment()) {
    const std::string prefix = prefixes.substr(0, prefixes.find(':'));
    for (const std::string_view library : {"/lib", "/lib64"}) {
      std::error_code failed;
      fs::directory_iterator each(prefix + std::string(library) + "/cmake/eider", failed);
      for (; !failed && each != fs::directory_iterator(); each.increment(failed)) {
        const PatternMatch found =
            find_pattern(each->path().filename().string(), R"(^eider-([a-z0-9]+)\.cmake$)");
        if (!found.empty() && found[1] != "config") {
          known.push_back(found[1]);
        }
      }
    }
  }
  std::ranges::sort(known);
  return known;
}

Added add_component(const Project& project, const std::string& name) {
  if (!is_whole_match(name, "[a-z][a-z0-9]*")) {
    return fail(AddFault{fmt::format("{} is not the name of a component. Example: sqlite", name),
                         kCommandMisused});
  }
  const std::vector<std::string> known = components_known();
  if (!known.empty() && std::ranges::find(known, name) == known.end()) {
    return fail(
        AddFault{fmt::format("unknown component {}. Components: {}", name, fmt::join(known, ", ")),
                 kCommandMisused});
  }
  auto cmake = read_text_file(project.root + "/CMakeLists.txt");
  const PatternMatch found =
      find_pattern(cmake.value_or(""), R"(find_package\s*\(\s*eider\b[^)]*\bCOMPONENTS\b([^)]*))");
  if (found.empty()) {
    return fail(
        AddFault{fmt::format("CMakeLists.txt has no find_package(eider COMPONENTS …). Add it with "
                             "{0}, and link eider::{0}",
                             name)});
  }
  if (!find_pattern(found[1], "\\b" + name + "\\b").empty()) {
    fmt::print("{} is already a component of the project\n", name);
    return {};
  }
  cmake->insert(cmake->find(found[0]) + found[0].size(), " " + name);
  const std::size_t linked = cmake->find("eider::core", cmake->find("target_link_libraries"));
  if (linked == std::string::npos) {
    return fail(AddFault{fmt::format(
        "no target links eider::core. Link eider::{} to the target that uses this component",
        name)});
  }
  cmake->insert(linked + std::string_view("eider::core").size(), " eider::" + name);
  return write_change(project, "CMakeLists.txt", *cmake);
}

Added add_migration(const Project& project, const std::string& name) {
  const std::string folder = project.root + "/migrations";
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (db_command(std::array<std::string_view, 4>{"new", name, "--migrations", folder}) != 0) {
    return fail(AddFault{"the migration was not created"});
  }
  const auto cmake = read_text_file(project.root + "/CMakeLists.txt");
  if (cmake && cmake->find("eider_migrations") == std::string::npos) {
    fmt::print(
        "\nThe program does not apply the migration yet. Run eider db up, or embed the "
        "migrations:\n"
        "  eider_migrations(TARGET DIRECTORY migrations)   # in CMakeLists.txt\n");
  }
  return {};
}

Added add_to(const Project& project, const std::string& what,
             const std::vector<std::string>& words) {
  if (what == "route") {
    return add_route(project, words[0], words[1]);
  }
  if (what == "component") {
    return add_component(project, words[0]);
  }
  if (const auto good = check_name(words[0]); !good) {
    return fail(AddFault{good.error(), kCommandMisused});
  }
  const std::string name = identifier_of(words[0]);
  if (what == "migration") {
    return add_migration(project, name);
  }
  if (what != "test" && std::ranges::find(kSystemHeaders, name) != std::end(kSystemHeaders)) {
    return fail(AddFault{fmt::format("src/{0}.h would be included instead of the system's <{0}.h>. "
                                     "Choose another name, such as my-{0}",
                                     name),
                         kCommandMisused});
  }
  if (what != "test") {
    return add_module(project, what, name);
  }
  const std::string kind = app_header_of(project).empty() ? "test" : "test-app";
  return write_added(project, files_to_add(project, kind, name));
}

}  // namespace

int add_command(std::span<const std::string_view> arguments) {
  if (is_help(arguments, kAddHelp)) {
    return kCommandDone;
  }
  CommandWords words(arguments);
  const auto folder = words.value("--project", "DIR");
  auto rest = words.rest("WHAT and NAME", 3);
  constexpr std::array kWhat = {"module", "page", "route", "test", "migration", "component"};
  if (!rest) {
    return command_misused("add", rest.error());
  }
  if (rest->empty() || std::ranges::find(kWhat, rest->front()) == kWhat.end()) {
    return command_misused("add", fmt::format("{} Choose one of {}",
                                              rest->empty() ? "no argument given."
                                                            : "cannot add " + rest->front() + ".",
                                              fmt::join(kWhat, ", ")));
  }
  const std::string what = rest->front();
  rest->erase(rest->begin());
  if (rest->size() != (what == "route" ? 2 : 1)) {
    return command_misused("add", what == "route"
                                      ? "a route needs a method and a path"
                                      : fmt::format("a {} needs exactly one name", what));
  }
  const auto project = find_project(folder.value_or("."));
  if (!project) {
    return command_fault("add", project.error());
  }
  const Added done = add_to(*project, what, *rest);
  return done ? kCommandDone : command_fault("add", done.error().why, done.error().status);
}

}  // namespace eider
