#include "eider/app/settings/secret.h"

#include <string.h>

#include "eider/app/settings/bounded_file.h"

namespace eider {

namespace {

constexpr std::size_t kSecretBytesMax = 64UL * 1024;

}  // namespace

struct Secret::Text {
  explicit Text(std::string&& given) : text(std::move(given)) {}
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  ~Text() { ::explicit_bzero(text.data(), text.size()); }

  std::string text;
};

Secret::Secret(std::string text)
    : text_(text.empty() ? nullptr : std::make_shared<const Text>(std::move(text))) {}

const std::string& Secret::reveal() const noexcept {
  static const std::string nothing;
  return text_ == nullptr ? nothing : text_->text;
}

Result<Secret, std::string> detail::app::read_secret(const std::string& path) {
  auto text = read_bounded_file(path, kSecretBytesMax);
  if (!text) {
    return fail(std::move(text.error()));
  }
  if (text->ends_with('\n')) {  // added by editors
    text->pop_back();
  }
  if (text->ends_with('\r')) {
    text->pop_back();
  }
  if (text->empty()) {
    return fail("names '" + path + "', which is empty");
  }
  return Secret(*std::move(text));
}

}  // namespace eider
