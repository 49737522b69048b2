#include "eider/app/settings/option_set.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "eider/core/base/failure.h"
#include "eider/core/base/sha256.h"
#include "eider/core/base/utf8.h"

namespace eider {

namespace {

/// How many letters have to be put in, left out, changed or swapped with their neighbours to make
/// one of the other.
std::size_t distance_of(std::string_view one, std::string_view other) {
  std::vector<std::size_t> before(other.size() + 1);
  std::vector<std::size_t> above(other.size() + 1);
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= one.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const bool is_same = one[i - 1] == other[j - 1];
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (is_same ? 0 : 1)});
      if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(above);
    above.swap(row);
  }
  return above.back();
}

}  // namespace

namespace detail::app {

std::string nearest_option(std::string_view wrong, std::span<const std::string> known) {
  constexpr std::size_t kLettersOfOneSlip = 3;
  constexpr std::size_t kPrefixMin = 5;  // "--" and three letters
  std::string nearest;
  std::size_t least = std::max<std::size_t>(1, wrong.size() / kLettersOfOneSlip - 1) + 1;
  for (const std::string& each : known) {
    const bool is_begun = std::min(wrong.size(), each.size()) >= kPrefixMin &&
                          (each.starts_with(wrong) || wrong.starts_with(each));
    const std::size_t distance = is_begun ? 1 : distance_of(wrong, each);
    if (distance < least) {
      least = distance;
      nearest = each;
    }
  }
  return nearest;
}

std::string duration_requirement() {
  return "must be a time, as 250ms, 10s, 5m or 2h";
}

Result<void, std::string> in_words(const Result<void, std::vector<Requirement>>& read) {
  if (!read) {
    return fail(to_text(read.error()));
  }
  return {};
}

std::string toml_text(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const std::size_t bytes = utf8_sequence_bytes(text);
    const auto first = static_cast<unsigned char>(text.front());
    if (bytes == 0) {
      quoted.append("\uFFFD");
    } else if (first < 0x20 || first == 0x7F) {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      quoted.append("\\u00").append({kDigits[first >> 4U], kDigits[first & 0xFU]});
    } else {
      quoted.append(first == '"' || first == '\\' ? "\\" : "").append(text.substr(0, bytes));
    }
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return quoted.append("\"");
}

std::string toml_as_said(OptionSpec::Values said, bool is_list) {
  std::string all;
  for (const std::string& each : said) {
    all.append(all.empty() ? "" : ", ").append(toml_text(each));
  }
  return is_list ? "[" + all + "]" : all;
}

std::string digest_of(const Secret& secret) {
  return secret.empty() ? std::string() : std::string(to_view(sha256(secret.reveal())));
}

std::string takes_of(const reflect::Type& type) {
  switch (type.kind) {
    case reflect::Kind::kSigned:
    case reflect::Kind::kUnsigned:
    case reflect::Kind::kReal:
      return "NUMBER";
    case reflect::Kind::kConstrained:
      return takes_of(*type.constraint().value);
    case reflect::Kind::kEnum: {
      std::string names;
      for (const reflect::Enumerator& each : type.enumeration()) {
        names.append(names.empty() ? "" : "|").append(each.name);
      }
      return names;
    }
    default:
      return "TEXT";
  }
}

}  // namespace detail::app

namespace {

/// "search" and "index_dir": "search-index-dir".
std::string option_name(std::string_view section, std::string_view member) {
  std::string name(section);
  name.append(section.empty() ? "" : "-").append(member);
  std::ranges::replace(name, '_', '-');
  return name;
}

/// "search" and "index_dir": "search.index_dir".
std::string option_key(std::string_view section, std::string_view member) {
  std::string key(section);
  std::ranges::replace(key, '-', '_');
  return key.append(section.empty() ? "" : ".").append(member);
}

/// "search-index-dir": "SEARCH_INDEX_DIR".
std::string as_variable(std::string name) {
  for (char& byte : name) {
    const bool is_small = byte >= 'a' && byte <= 'z';
    const bool is_kept = (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
    byte = is_small ? static_cast<char>(byte - 'a' + 'A') : is_kept ? byte : '_';
  }
  return name;
}

}  // namespace

OptionSet::OptionSet(std::string_view program)
    : program_(program), prefix_(program.empty() ? "" : as_variable(program_) + "_") {}

OptionSet& OptionSet::add_answer(std::string_view name, std::string_view help,
                                 std::function<std::string()> answer) {
  detail::app::OptionSpec made;
  made.form = detail::app::OptionSpec::Form::flag;
  made.answer = std::move(answer);
  add(std::move(made), {.member = name, .help = help, .is_in_environment = false}, {});
  return *this;
}

void OptionSet::add(detail::app::OptionSpec made, const OptionText& text,
                    std::string_view section) {
  made.section = section;
  made.name = option_name(section, text.member);
  made.key = option_key(section, text.member);
  made.environment =
      text.is_in_environment && !prefix_.empty() ? prefix_ + as_variable(made.name) : "";
  // Without a program's name there are no variables, and a file may say it nevertheless.
  made.is_for_one_call =
      made.form == detail::app::OptionSpec::Form::flag && !text.is_in_environment;
  made.help = text.help;
  made.is_reloadable = text.is_reloadable;
  if (!text.takes.empty()) {
    made.takes = text.takes;
  }
  if (made.is_secret) {
    made.credential = made.key;
    made.secret_environment = made.environment;
    made.name.append("-file");
    made.key.append("_file");
    made.environment.append(made.environment.empty() ? "" : "_FILE");
  }
  if (std::ranges::find(options_, made.name, &detail::app::OptionSpec::name) != options_.end()) {
    throw Failure(Error::internal("two options are called --" + made.name));
  }
  options_.push_back(std::move(made));
}

}  // namespace eider
