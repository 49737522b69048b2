#include "eider/core/json/reader.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "eider/core/base/buffer.h"
#include "eider/core/base/utf8.h"
#include "eider/core/json/text.h"
#include "eider/core/reflect/text.h"

namespace eider::json::detail {

/// One thread's workspace; reading within reading gets one of its own.
class Workspace {
 public:
  /// What a text may take for its memory to be kept for the next one. The parser needs about six
  /// times as much: under 1 MiB per thread in all.
  static constexpr std::size_t kKeptTextBytesMax = std::size_t{128} << 10;

  /// Copies `text`, in brackets, with the padding that simdjson reads behind it.
  ///
  /// The brackets make every text an array of one element: so what stands alone (a number, a
  /// string), what is missing and what stands behind are all seen by one path.
  [[nodiscard]] simdjson::padded_string_view bracketed(std::string_view text);

  [[nodiscard]] simdjson::ondemand::parser& parser() noexcept { return parser_; }

 private:
  friend class WorkspaceLease;

  void trim();

  Buffer text_;
  simdjson::ondemand::parser parser_;
  bool is_leased_ = false;
};

/// Borrows the thread's workspace, or makes one while that is in use.
class WorkspaceLease {
 public:
  WorkspaceLease();
  ~WorkspaceLease();
  WorkspaceLease(const WorkspaceLease&) = delete;
  WorkspaceLease& operator=(const WorkspaceLease&) = delete;

  Workspace* operator->() const noexcept { return workspace_; }

 private:
  Workspace* workspace_;
  bool is_own_;
};

namespace {

constexpr std::size_t kSmallestParserBytes = 1024;

thread_local Workspace this_thread;

}  // namespace

simdjson::padded_string_view Workspace::bracketed(std::string_view text) {
  const std::size_t bytes = text.size() + 2;
  text_.clear();
  char* const at = text_.reserve(bytes + simdjson::SIMDJSON_PADDING);
  at[0] = '[';
  if (!text.empty()) {
    std::memcpy(at + 1, text.data(), text.size());
  }
  at[bytes - 1] = ']';
  std::memset(at + bytes, ' ', simdjson::SIMDJSON_PADDING);
  text_.commit(bytes);
  if (parser_.capacity() < bytes &&
      parser_.allocate(std::bit_ceil(std::max(bytes, kSmallestParserBytes))) != simdjson::SUCCESS) {
    throw std::bad_alloc();
  }
  return simdjson::padded_string_view(text_.data(), bytes, text_.capacity());
}

void Workspace::trim() {
  if (text_.capacity() > kKeptTextBytesMax || parser_.capacity() > kKeptTextBytesMax) {
    text_.release();
    parser_ = simdjson::ondemand::parser();
  }
}

WorkspaceLease::WorkspaceLease()
    : workspace_(this_thread.is_leased_ ? new Workspace : &this_thread),
      is_own_(this_thread.is_leased_) {
  workspace_->is_leased_ = true;
}

WorkspaceLease::~WorkspaceLease() {
  if (is_own_) {
    delete workspace_;
    return;
  }
  workspace_->trim();
  workspace_->is_leased_ = false;
}

namespace {

std::string_view reason_of(simdjson::error_code code) noexcept {
  switch (code) {
    case simdjson::UTF8_ERROR:
      return "is not UTF-8";
    case simdjson::UNCLOSED_STRING:
      return "has an unterminated string";
    case simdjson::UNESCAPED_CHARS:
      return "has a control character in a string";
    default:
      return "has a syntax error";
  }
}

bool is_word(std::string_view token) noexcept {
  return token == "null" || token == "true" || token == "false";
}

}  // namespace

Result<void> Reader::run(const reflect::Type& type, void* object, std::string_view text) {
  text_ = text;
  if (text.size() > limits_.bytes_max) {
    give_up("is longer than " + std::to_string(limits_.bytes_max) + " bytes");
    return fail(Error::bad_request(std::move(failure_)));
  }
  if (is_utf16(text)) {
    give_up("is UTF-16 or UTF-32 and must be UTF-8");
    return fail(Error::bad_request(std::move(failure_)));
  }
  const WorkspaceLease workspace;
  const simdjson::padded_string_view padded = workspace->bracketed(text);
  const auto code = workspace->parser().iterate(padded).get(document_);
  copy_ = code == simdjson::SUCCESS ? padded.data() : nullptr;
  if (code != simdjson::SUCCESS ? !give_up(code) : !read_root(type, object)) {
    return fail(Error::bad_request(std::move(failure_)));
  }
  return std::move(complaints_).verdict();
}

/// The array that bracketed() made has one element, and nothing is behind it.
bool Reader::read_root(const reflect::Type& type, void* object) {
  simdjson::ondemand::array array;
  if (const auto code = document_.get_array().get(array)) {
    return give_up(code);
  }
  std::size_t count = 0;
  for (auto element : array) {
    if (element.error() != simdjson::SUCCESS) {
      return give_up(element.error());
    }
    if (++count == 2) {
      return give_up("has data after its end");
    }
    Source source = std::move(element).value_unsafe();
    if (!read(source, type, object, Path())) {
      return false;
    }
  }
  if (count == 0) {
    return give_up("is empty");
  }
  const char* location = nullptr;
  return document_.current_location().get(location) == simdjson::OUT_OF_BOUNDS ||
         give_up("has data after its end");
}

/// Passes over a value that nobody wants. It must be JSON all the same.
bool Reader::skip(Source& source, const Path& path) {
  if (is(source, Kind::array)) {
    return each_element(source, path,
                        [this](Source& element, const Path& at) { return skip(element, at); });
  }
  if (is(source, Kind::object)) {
    return each_member(source, path, [this](Source& member, std::string_view, const Path& at) {
      return skip(member, at);
    });
  }
  if (is(source, Kind::string)) {
    return string_of(source).data() != nullptr;
  }
  const std::string_view token = token_of(source);
  return is_word(token) || number_form(token) != NumberForm::kNone || give_up("has a syntax error");
}

bool Reader::skip_mistyped(Source& source, const reflect::Type& type, const Path& path) {
  complaints_.add(path, complaints_.has_room() ? requirement(type) : Requirement());
  return skip(source, path);
}

std::string_view token_of(simdjson::ondemand::value& source) noexcept {
  std::string_view token = source.raw_json_token();
  const std::size_t last = token.find_last_not_of(" \t\r\n");
  return token.substr(0, last + 1);
}

bool Reader::enter(const Path& path) {
  const std::size_t depth_max = std::min(limits_.depth_max, Limits::kDepthMax);
  return path.depth() < depth_max ||
         give_up("is nested deeper than " + std::to_string(depth_max) + " levels");
}

bool Reader::count_element() {
  return ++elements_ <= limits_.elements_max ||
         give_up("has more than " + std::to_string(limits_.elements_max) + " elements");
}

/// A member's name, valid until the reading ends; null data when it is broken.
std::string_view Reader::name_of(simdjson::ondemand::field& member) {
  const RawString raw = raw_string(member.key().raw());
  if (!raw.has_escapes) [[likely]] {
    return raw.bytes;
  }
  names_.emplace_front();
  return unescape_into(names_.front(), raw.bytes) ? names_.front() : std::string_view();
}

/// What a string says, valid until the next one is asked for; null data when it is broken.
/// Pre: source is a string.
std::string_view Reader::string_of(Source& source) {
  simdjson::ondemand::raw_json_string quote;
  if (const auto code = source.get_raw_json_string().get(quote)) {
    give_up(code);
    return {};
  }
  const RawString raw = raw_string(quote.raw());
  if (!raw.has_escapes) [[likely]] {
    return raw.bytes;
  }
  return unescape_into(unescaped_, raw.bytes) ? unescaped_ : std::string_view();
}

bool Reader::unescape_into(std::string& to, std::string_view raw) {
  std::optional<std::string> text = unescape(raw);
  if (!text) {
    return give_up("has an invalid escape in a string");
  }
  to = *std::move(text);
  return true;
}

bool Reader::give_up(std::string_view reason) {
  failure_ = "The JSON text ";
  failure_ += reason;
  const char* location = nullptr;
  if (copy_ != nullptr && document_.current_location().get(location) == simdjson::SUCCESS) {
    const auto offset = static_cast<std::size_t>(location - copy_) - 1;  // the bracket
    failure_ += ", near byte " + std::to_string(std::min(offset, text_.size()));
  }
  failure_ += '.';
  return false;
}

bool Reader::give_up(simdjson::error_code code) {
  return give_up(reason_of(code));
}

}  // namespace eider::json::detail
