#include "protocol.h"

#include <eider/json/json.h>

#include "visible.h"

namespace chat {
namespace {

using eider::fail;
using eider::Result;

/// Where it is wrong and what: "/text: must have 1 to 1000 characters".
std::string sentence_of(const eider::Error& error) {
  if (error.fields().empty()) {
    return error.detail();
  }
  const eider::FieldError& first = error.fields().front();
  return first.pointer + ": " + first.detail;
}

std::string trimmed(const std::string& text) {
  constexpr const char* kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

Result<FromPage, std::string> tidied(Join join) {
  std::string name = trimmed(*join.name);
  if (name.empty() || !is_visible(name)) {
    return fail(std::string("A name has 1 to 24 visible characters, and single blanks."));
  }
  join.name = std::move(name);
  return join;
}

Result<FromPage, std::string> tidied(Say say) {
  std::string text = trimmed(*say.text);
  if (text.empty()) {
    return fail(std::string("There is nothing in this message."));
  }
  say.text = std::move(text);
  return say;
}

Result<FromPage, std::string> tidied(Write write) {
  return write;
}

}  // namespace

Result<FromPage, std::string> read_from_page(std::string_view json) {
  auto said = eider::json::read<FromPage>(json);
  if (!said) {
    return fail(sentence_of(said.error()));
  }
  return std::visit([](auto&& it) { return tidied(std::move(it)); }, std::move(*said));
}

std::string to_json(const FromService& said) {
  return eider::json::to_text(said);
}

}  // namespace chat
