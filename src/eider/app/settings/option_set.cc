#include "eider/app/settings/option_set.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "eider/app/settings/byte_size.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/digits.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/sha256.h"
#include "eider/core/base/startup_code.h"
#include "eider/core/base/utf8.h"
#include "eider/core/reflect/constraints.h"
#include "eider/core/reflect/scalar.h"
#include "eider/core/reflect/text.h"

namespace eider {

namespace {

/// Returns how many letters must be inserted, deleted, replaced or swapped with their neighbors to
/// turn one text into the other.
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
  const std::string all = joined(said, ", ", &toml_text);
  return is_list ? "[" + all + "]" : all;
}

std::string wrapped(std::string_view text, std::size_t width) {
  std::string all(text);
  for (std::size_t line = 0; line < all.size() && all.size() - line > width;) {
    const std::size_t end = std::min(all.find('\n', line), all.size());
    const std::size_t last = all.rfind(' ', line + width);
    const std::size_t blank = last == all.npos || last < line ? all.find(' ', line) : last;
    const bool is_wrapped = end - line > width && blank < end;
    if (is_wrapped) {
      all[blank] = '\n';
    }
    line = (is_wrapped ? blank : end) + 1;
  }
  return all;
}

std::string toml_of(const std::vector<std::string>& values, OptionSpec::Kind kind, bool is_list) {
  const std::string all =
      kind == OptionSpec::Kind::text ? joined(values, ", ", &toml_text) : joined(values, ", ");
  return is_list ? "[" + all + "]" : all;
}

namespace {

/// How numbers with a unit are read and written.
struct Unit {
  std::string_view takes;
  std::string_view requirement;
  OptionSpec::Kind kind;
  std::optional<std::uint64_t> (*read)(std::string_view text);
  std::string (*write)(std::uint64_t number);
};

/// Returns the largest number for negative and too large ones, which every bound rejects.
std::optional<std::uint64_t> read_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto parsed = reflect::parse_integer(reflect::type_of<std::uint64_t>(), &number, text);
  if (parsed == reflect::Parsed::kNotANumber) {
    return std::nullopt;
  }
  return parsed == reflect::Parsed::kDone ? number : std::numeric_limits<std::uint64_t>::max();
}

std::optional<std::uint64_t> read_size(std::string_view text) {
  const auto read = ByteSize::from_text(text);
  return read ? std::optional(read->bytes) : std::nullopt;
}

std::optional<std::uint64_t> read_octal(std::string_view text) {
  constexpr std::size_t kDigitsMax = 4;
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number, 8);
  const bool is_whole = fault == std::errc() && end == text.data() + text.size();
  return is_whole && text.size() <= kDigitsMax ? std::optional(number) : std::nullopt;
}

std::optional<std::uint64_t> read_time(std::string_view text) {
  const auto read = parse_duration(text);
  return read ? std::optional(static_cast<std::uint64_t>(read->count())) : std::nullopt;
}

constexpr Unit kNumbers = {"NUMBER", "must be an integer", OptionSpec::Kind::integer, read_number,
                           [](std::uint64_t number) { return std::to_string(number); }};
constexpr Unit kSizes = {ByteSize::kMetavar, "must be a size such as 512B, 64KiB, 10MiB or 2GB",
                         OptionSpec::Kind::text, read_size,
                         [](std::uint64_t number) { return ByteSize{number}.to_text(); }};
constexpr Unit kOctal = {"OCTAL", "must be an octal number such as 027", OptionSpec::Kind::text,
                         read_octal, [](std::uint64_t number) {
                           return std::string{static_cast<char>('0' + number / 64 % 8),
                                              static_cast<char>('0' + number / 8 % 8),
                                              static_cast<char>('0' + number % 8)};
                         }};
constexpr Unit kTimes = {"TIME", "must be a time such as 250ms, 10s, 5m, 2h or 1d",
                         OptionSpec::Kind::text, read_time,
                         [](std::uint64_t number) { return format_duration(Duration(number)); }};

const Unit& unit_of(OptionUnit unit) {
  return unit == OptionUnit::bytes ? kSizes : unit == OptionUnit::octal ? kOctal : kNumbers;
}

/// load   returns nothing if the value is not a number in this unit
/// store  returns false if the member cannot represent the number
template <class Load, class Store>
OptionValue measured(const OptionText& text, const Unit& unit, Load load, Store store) {
  OptionValue made{.takes = std::string(unit.takes), .kind = unit.kind, .read = {}, .write = {}};
  const auto is_within = [text, &unit](std::uint64_t number) {
    return (text.least.empty() || number >= unit.read(text.least).value()) &&
           (text.most.empty() || number <= unit.read(text.most).value());
  };
  made.read = [=, &unit](void* value, std::string_view given) -> Result<void, std::string> {
    const auto number = unit.read(given);
    if (number && !is_within(*number)) {
      return fail("must be between " + std::string(text.least) + " and " + std::string(text.most));
    }
    return number && store(value, *number) ? Result<void, std::string>()
                                           : fail(std::string(unit.requirement));
  };
  made.write = [=, &unit](const void* value) -> std::optional<std::string> {
    const std::optional<std::uint64_t> number = load(value);
    return number && is_within(*number) ? std::optional(unit.write(*number)) : std::nullopt;
  };
  return made;
}

std::string text_of_kind(const reflect::Text& kind, const void* value) {
  std::string all;
  kind.format(value, &all, [](void* context, std::string_view text) {
    *static_cast<std::string*>(context) = text;
  });
  return all;
}

std::string real_text(const reflect::Type& type, const void* value) {
  return type.bytes == sizeof(float) ? digits_of(*static_cast<const float*>(value))
                                     : digits_of(reflect::load_real(type, value));
}

/// Pre: type is not kConstrained.
std::string scalar_text(const reflect::Type& type, const void* value) {
  using Kind = reflect::Kind;
  switch (type.kind) {
    case Kind::kBool:
      return *static_cast<const bool*>(value) ? "true" : "false";
    case Kind::kSigned:
      return std::to_string(reflect::load_signed(type, value));
    case Kind::kUnsigned:
      return std::to_string(reflect::load_unsigned(type, value));
    case Kind::kReal:
      return real_text(type, value);
    case Kind::kEnum: {
      const auto* const found = type.enumeration().find(reflect::load_enum(type, value));
      return found == nullptr ? std::string() : std::string(found->name);
    }
    case Kind::kText:
      return text_of_kind(type.text(), value);
    default:
      return *static_cast<const std::string*>(value);
  }
}

OptionSpec::Kind toml_kind_of(const reflect::Type& type) {
  switch (type.kind) {
    case reflect::Kind::kBool:
      return OptionSpec::Kind::boolean;
    case reflect::Kind::kSigned:
    case reflect::Kind::kUnsigned:
      return OptionSpec::Kind::integer;
    case reflect::Kind::kReal:
      return OptionSpec::Kind::real;
    default:
      return OptionSpec::Kind::text;
  }
}

/// Returns "NUMBER", "TEXT", or the names of an enum: "red|blue".
std::string takes_of(const reflect::Type& type) {
  if (type.kind == reflect::Kind::kEnum) {
    return joined(type.enumeration(), "|", &reflect::Enumerator::name);
  }
  const OptionSpec::Kind kind = toml_kind_of(type);
  return kind == OptionSpec::Kind::integer || kind == OptionSpec::Kind::real ? "NUMBER" : "TEXT";
}

/// Accepts "1" and "0" for a bool, as is usual in environment variables.
std::string_view as_bool(std::string_view text) {
  return text == "1" ? "true" : text == "0" ? "false" : text;
}

}  // namespace

OptionValue secret_value() {
  return {.takes = "FILE",
          .read = [](void* value, std::string_view text) -> Result<void, std::string> {
            *static_cast<Secret*>(value) = Secret(std::string(text));
            return {};
          },
          .write = [](const void* value) -> std::optional<std::string> {
            const auto& secret = *static_cast<const Secret*>(value);
            if (secret.empty()) {
              return std::nullopt;
            }
            return to_hex(to_view(sha256(secret.reveal())));  // detects changes
          }};
}

OptionValue duration_value(const OptionText& text, Duration (*load)(const void*),
                           bool (*store)(void*, Duration)) {
  const bool is_seconds = text.unit == OptionUnit::seconds;
  const Duration unit = is_seconds ? Duration(std::chrono::seconds(1)) : Duration(1);
  return measured(
      text, is_seconds ? kNumbers : kTimes,
      [=](const void* value) -> std::optional<std::uint64_t> {
        const Duration now = load(value);
        return now % unit == Duration::zero()
                   ? std::optional(static_cast<std::uint64_t>(now / unit))
                   : std::nullopt;
      },
      [=](void* value, std::uint64_t number) {
        return store(value, static_cast<Duration::rep>(number) * unit);
      });
}

OptionValue scalar_value(const OptionText& text, const reflect::Type& type) {
  const reflect::Type& bare = reflect::without_rules(type);
  if (text.unit != OptionUnit::none || !text.most.empty()) {
    return measured(
        text, unit_of(text.unit),
        [&bare](const void* value) { return std::optional(reflect::load_unsigned(bare, value)); },
        [&bare](void* value, std::uint64_t number) {
          return reflect::try_store_unsigned(bare, value, number);
        });
  }
  OptionValue made{.takes = takes_of(bare), .kind = toml_kind_of(bare), .read = {}, .write = {}};
  made.read = [&type, is_bool = bare.kind == reflect::Kind::kBool](
                  void* value, std::string_view given) -> Result<void, std::string> {
    const auto read = reflect::read_text(type, value, is_bool ? as_bool(given) : given);
    return read ? Result<void, std::string>() : fail(to_text(read.error()));
  };
  made.write = [&bare](const void* value) { return std::optional(scalar_text(bare, value)); };
  return made;
}

}  // namespace detail::app

namespace {

/// Returns "search-index-dir" for "search" and "index_dir", and "no-search" for "search" and "off".
std::string option_name(std::string_view section, std::string_view member) {
  if (member == "off" && !section.empty()) {
    return option_name("no", section);
  }
  std::string name(section);
  name.append(section.empty() ? "" : "-").append(member);
  std::ranges::replace(name, '_', '-');
  return name;
}

/// Returns "search.index_dir" for "search" and "index_dir".
std::string option_key(std::string_view section, std::string_view member) {
  std::string key(section);
  std::ranges::replace(key, '-', '_');
  return key.append(section.empty() ? "" : ".").append(member);
}

/// Returns "SEARCH_INDEX_DIR" for "search-index-dir".
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

OptionSet& OptionSet::add_output(std::string_view name, std::string_view help,
                                 std::function<std::string()> output) {
  detail::app::OptionSpec made;
  made.form = detail::app::OptionSpec::Form::flag;
  made.output = std::move(output);
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
  // Not derived from the missing variable: without a program name there are none, but files can
  // still set the option.
  made.is_for_one_call =
      made.form == detail::app::OptionSpec::Form::flag && !text.is_in_environment;
  made.help = text.help;
  made.group = text.group;
  made.is_advanced = text.is_advanced;
  if (made.initial.empty()) {
    made.initial = text.initial;
  }
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
    throw Failure(Error::internal(
        detail::base::with_code("duplicate-option", "two options have the name --" + made.name)));
  }
  options_.push_back(std::move(made));
}

}  // namespace eider
