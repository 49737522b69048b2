#include "cli/dev/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

namespace eider::dev {

namespace {

/// More would scroll off the screen; the output has all.
constexpr std::size_t kDiagnosticsMax = 50;
constexpr std::size_t kSourceLinesMax = 12;

struct UsualCause {
  std::string_view text;
  std::string_view hint;
};

constexpr std::string_view kOfBraces =
    "The braces do not match the struct: the name of a member may be misspelled. Write the "
    "struct's "
    "name in front of them, as in RateLimit{.requests = 3}, and the compiler names the member.";

/// The first entry that occurs in the text of an error applies.
constexpr std::array kUsualCauses = std::to_array<UsualCause>({
    {"file not found",
     "Check the spelling of the file name. A header of Eider needs its component: "
     "target_link_libraries(… eider::NAME)."},
    {"No such file or directory",
     "Check the spelling of the file name. A header of Eider needs its component: "
     "target_link_libraries(… eider::NAME)."},
    {"undefined symbol: eider::",
     "A component of Eider is not linked: add it to find_package(eider … COMPONENTS …) and to "
     "target_link_libraries(… eider::NAME)."},
    {"undefined reference to `eider::",
     "A component of Eider is not linked: add it to find_package(eider … COMPONENTS …) and to "
     "target_link_libraries(… eider::NAME)."},
    {"undefined symbol",
     "The function is declared and called, but not defined. Check that its source is in "
     "add_executable, and that parameters and namespace match."},
    {"undefined reference",
     "The function is declared and called, but not defined. Check that its source is in "
     "add_executable, and that parameters and namespace match."},
    {"duplicate symbol", "The name is defined in two sources. Functions in headers need inline."},
    {"multiple definition",
     "The name is defined in two sources. Functions in headers need inline."},
    {"use of undeclared identifier",
     "Check the spelling, the #include and the namespace (eider::)."},
    {"was not declared in this scope",
     "Check the spelling, the #include and the namespace (eider::)."},
    {"unknown type name", "Check the #include and the namespace (eider::)."},
    {"does not name a type", "Check the #include and the namespace (eider::)."},
    {"no member named", "Check the spelling. The declaration of the type lists its members."},
    {"has no member named", "Check the spelling. The declaration of the type lists its members."},
    {"unknown member",
     "A template uses a name that its struct does not have: add the member, or correct the name."},
    {"expected ';'", "A semicolon is missing there, or at the end of the line before."},
    {"expected '}'", "A brace above is not closed."},
    {"initializer list argument to", kOfBraces},
    {"brace-enclosed initializer list", kOfBraces},
    {"no matching function",
     "The notes list the candidates and why they do not match: number and types of the arguments."},
    {"no matching member function",
     "The notes list the candidates and why they do not match: number and types of the arguments."},
    {"no viable conversion", "The value does not have the expected type."},
    {"cannot convert", "The value does not have the expected type."},
    {"incomplete type", "The type is only declared here: include the header that defines it."},
    {"redefinition of", "The name is defined twice, perhaps because a header lacks #pragma once."},
    {"static assertion failed", "The text after the error explains the requirement."},
    {"static_assert failed", "The text after the error explains the requirement."},
    {"Could not find a package configuration file provided by \"eider\"",
     "CMake does not find Eider. Pass the installation directory: -D CMAKE_PREFIX_PATH=DIRECTORY."},
});

std::optional<unsigned> number_of(std::string_view text) {
  unsigned number = 0;
  const auto end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end && !text.empty() ? std::optional(number)
                                                                    : std::nullopt;
}

/// Parses "main.cc:7:3", "main.cc:7" or "main.cc".
void put_place(std::string_view place, Diagnostic& out) {
  std::array<unsigned, 2> numbers{};
  std::size_t count = 0;
  for (std::size_t colon = 0; count < 2 && (colon = place.rfind(':')) != place.npos; ++count) {
    const auto number = number_of(place.substr(colon + 1));
    if (!number) {
      break;
    }
    numbers[1] = std::exchange(numbers[0], *number);
    place = place.substr(0, colon);
  }
  out.file = place;
  out.line = numbers[0];
  out.column = numbers[1];
}

bool is_in(std::string_view file, std::string_view project) {
  return !file.starts_with('/') ||
         (file.starts_with(project) && file.substr(project.size()).starts_with('/'));
}

/// Returns where g++'s context of an error begins in a line: "main.cc:7:3:   required from here" or
/// "…:   in 'constexpr' expansion".
std::size_t way_in(std::string_view line) {
  const std::size_t at = line.find(":   in ");
  return std::min(line.find(":   required from"), line.contains(" expansion of ") ? at : line.npos);
}

/// Returns the place of "main.cc:7:3: note: …", or of g++'s context.
std::string_view place_of_note(std::string_view line) {
  const std::size_t at = std::min(line.find(": note: "), way_in(line));
  return at == line.npos ? std::string_view() : line.substr(0, at);
}

/// "the_column_may_be_null__read_it" → "the column may be null: read it".
std::string sentence_of(std::string_view name) {
  std::string all;
  for (const char letter : name) {
    if (letter == '_' && all.ends_with(' ')) {
      all.back() = ':';
    }
    all += letter == '_' ? ' ' : letter;
  }
  return all;
}

constexpr std::string_view kOfNames =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/// Returns whether Eider uses the name of a function or message to explain why it rejects
/// something.
bool is_reason(std::string_view name) {
  constexpr std::ptrdiff_t kUnderscoresMin = 4;
  return std::ranges::count(name, '_') >= kUnderscoresMin;
}

/// Returns why Eider rejects a pattern or a statement at compile time. With clang, the name of the
/// reason is the error; with g++, it is a function that is called but never defined. Text after the
/// name, such as a column, follows the sentence. Empty: not an error of Eider.
std::string refusal_in(std::string_view text) {
  if (const std::string_view name = text.substr(0, text.find_first_not_of(kOfNames));
      is_reason(name)) {
    return sentence_of(name).append(text.substr(name.size()));
  }
  const std::size_t call = std::min(text.find("non-constexpr"), text.find("call to non-"));
  if (call == text.npos || !(text.contains("eider::") || text.contains("/eider/"))) {
    return {};
  }
  text.remove_prefix(call);
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find_first_not_of(kOfNames));
    text.remove_prefix(std::max<std::size_t>(name.size(), 1));
    if (is_reason(name)) {
      const std::size_t begin = text.find("{\"");
      const std::size_t end = std::min(text.find("\"}"), text.size());
      return sentence_of(name) +
             (begin < end ? fmt::format(" ({})", text.substr(begin + 2, end - begin - 2)) : "");
    }
  }
  return {};
}

/// Returns the error in a line.
std::optional<Diagnostic> error_of(std::string_view line) {
  constexpr std::array<std::string_view, 2> kMarks{": fatal error: ", ": error: "};
  Diagnostic found;
  for (const std::string_view mark : kMarks) {
    if (const std::size_t at = line.find(mark); at != line.npos) {
      const std::string_view place = line.substr(0, at);
      found.text = line.substr(at + mark.size());
      if (!place.ends_with("ld.lld") && !place.ends_with("mold") && !place.ends_with("clang++")) {
        put_place(place, found);
      }
      return found;
    }
  }
  constexpr std::string_view kOfCMake = "CMake Error at ";
  if (line.starts_with(kOfCMake)) {
    const std::string_view rest = line.substr(kOfCMake.size());
    const std::string_view place = rest.substr(0, rest.find(" ("));
    put_place(place.substr(0, place.find_last_not_of(':') + 1), found);
    found.text = "CMake:";
    return found;
  }
  constexpr std::string_view kOfAll = "CMake Error: ";
  if (line.starts_with(kOfAll)) {
    found.text = line.substr(kOfAll.size());
    return found;
  }
  if (const std::size_t at = line.find("undefined reference to "); at != line.npos) {
    put_place(line.substr(0, line.find(":(")), found);
    found.text = line.substr(at);
    return found;
  }
  // A line about a template or a migration: "pages/note.html:3:8: there is no member titel".
  const std::size_t at = line.find(": ");
  if (at != line.npos) {
    put_place(line.substr(0, at), found);
    found.text = line.substr(at + 2);
    if (found.line != 0 && (found.file.ends_with(".html") || found.file.ends_with(".sql"))) {
      return found;
    }
  }
  return std::nullopt;
}

bool begins_something_else(std::string_view line) {
  return line.starts_with("In file included from") || line.starts_with("FAILED:") ||
         line.starts_with('[') || line.starts_with("ninja:") || line.contains(": warning: ") ||
         line.contains(": note: ") || line.contains(" generated.");
}

/// Returns whether the error is in a template, from which sources are generated.
bool is_of_template(const Diagnostic& error) {
  return error.file.ends_with(".html");
}

class Reader {
 public:
  explicit Reader(std::string_view project) : project_(project) {}

  void take(std::string_view line) {
    if (auto error = error_of(line)) {
      shorten(error->file);
      const bool is_there = std::ranges::any_of(found, [&](const Diagnostic& each) {
        return each.place() == error->place() && each.text == error->text;
      });
      is_open_ = !is_there && (found.size() < kDiagnosticsMax || is_of_template(*error));
      is_last_found_ = is_open_;
      lines_ = 0;
      if (is_open_) {
        error->refusal = refusal_in(error->text);
        error->from = is_in(error->file, project_) ? std::string() : std::exchange(before_, {});
        found.push_back(std::move(*error));
      }
      before_.clear();
    } else if (const std::string_view place = place_of_note(line); !place.empty()) {
      take_note(place, line);
    } else if (begins_something_else(line)) {
      is_open_ = false;
    } else if (is_open_ && lines_ < kSourceLinesMax && !line.empty()) {
      found.back().source.append(line).append("\n");
      ++lines_;
    }
  }

  std::vector<Diagnostic> found;

 private:
  /// clang prints the place in the project after an error in a header, g++ before it.
  void take_note(std::string_view place, std::string_view line) {
    Diagnostic at;
    put_place(place, at);
    if (is_in(at.file, project_)) {
      if (way_in(line) != line.npos) {
        before_ = place;
        shorten(before_);
      } else if (!found.empty() && found.back().from.empty() &&
                 !is_in(found.back().file, project_)) {
        found.back().from = place;
        shorten(found.back().from);
      }
    }
    if (is_last_found_ && found.back().refusal.empty()) {
      found.back().refusal = refusal_in(line);
    }
    if (is_last_found_ && usual_cause(line) == kOfBraces) {
      found.back().hint = kOfBraces;
    }
    lines_ = kSourceLinesMax;
  }

  /// Makes paths in the project relative to it.
  void shorten(std::string& place) const {
    if (place.starts_with('/') && is_in(place, project_)) {
      place.erase(0, project_.size() + 1);
    }
  }

  std::string_view project_;
  std::string before_;
  bool is_open_ = false;
  bool is_last_found_ = false;
  std::size_t lines_ = 0;
};

void add_hint(Diagnostic& diagnostic) {
  if (!diagnostic.refusal.empty()) {
    diagnostic.text = diagnostic.refusal;
    return;
  }
  if (diagnostic.hint.empty()) {
    diagnostic.hint = usual_cause(diagnostic.text + "\n" + diagnostic.source);
  }
}

}  // namespace

std::string Diagnostic::place() const {
  if (file.empty() || line == 0) {
    return file;
  }
  return file + ":" + std::to_string(line) + (column != 0 ? ":" + std::to_string(column) : "");
}

std::string_view usual_cause(std::string_view text) {
  const auto found = std::ranges::find_if(
      kUsualCauses, [text](const UsualCause& each) { return text.contains(each.text); });
  return found == kUsualCauses.end() ? std::string_view() : found->hint;
}

std::vector<Diagnostic> read_diagnostics(std::string_view output, std::string_view project) {
  Reader reader(project);
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    reader.take(output.substr(0, end));
    output.remove_prefix(std::min(end + 1, output.size()));
  }
  std::ranges::for_each(reader.found, add_hint);
  std::vector<Diagnostic> all;
  std::ranges::copy_if(reader.found, std::back_inserter(all), is_of_template);
  std::ranges::remove_copy_if(reader.found, std::back_inserter(all), is_of_template);
  return all;
}

}  // namespace eider::dev
