#include "eider/web/views/lexer.h"

#include <optional>

namespace eider::views {

namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";

std::string_view without_blanks_behind(std::string_view text) {
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

std::size_t blanks_before(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == text.npos ? text.size() : first;
}

class Lexer {
 public:
  explicit Lexer(const Source& source) : source_(source), text_(source.text) {}

  std::vector<Piece> run() {
    while (at_ < text_.size()) {
      const std::size_t open = next_opening(at_);
      add_text(at_, open == text_.npos ? text_.size() : open);
      if (open == text_.npos) {
        break;
      }
      read_braces(open);
    }
    return std::move(pieces_);
  }

 private:
  [[nodiscard]] std::size_t next_opening(std::size_t from) const {
    for (std::size_t at = text_.find('{', from); at != text_.npos; at = text_.find('{', at + 1)) {
      if (at + 1 < text_.size() && std::string_view("{%#").contains(text_[at + 1])) {
        return at;
      }
    }
    return text_.npos;
  }

  [[nodiscard]] Place place(std::size_t offset) const { return {&source_, offset}; }

  void add_text(std::size_t begin, std::size_t end) {
    std::string_view text = text_.substr(begin, end - begin);
    if (cuts_next_) {
      const std::size_t blanks = blanks_before(text);
      text.remove_prefix(blanks);
      begin += blanks;
    }
    cuts_next_ = false;
    if (end + 2 < text_.size() && text_[end + 2] == '-') {
      text = without_blanks_behind(text);
    }
    if (!text.empty()) {
      pieces_.push_back({Piece::Kind::text, text, place(begin)});
    }
  }

  /// The first `close` behind `from` that is not in quotes.
  [[nodiscard]] std::size_t find_close(std::size_t from, std::string_view close,
                                       bool has_quotes) const {
    char quote = 0;
    for (std::size_t at = from; at < text_.size(); ++at) {
      const char byte = text_[at];
      if (quote != 0) {
        at += byte == '\\' ? 1 : 0;
        quote = byte == quote ? '\0' : quote;
      } else if (has_quotes && (byte == '"' || byte == '\'')) {
        quote = byte;
      } else if (text_.substr(at).starts_with(close)) {
        return at;
      }
    }
    return text_.npos;
  }

  void read_braces(std::size_t open) {
    const char what = text_[open + 1];
    const std::string_view close = what == '{' ? "}}" : what == '%' ? "%}" : "#}";
    const std::size_t end = find_close(open + 2, close, what != '#');
    if (end == text_.npos) {
      refuse(place(open), "missing closing " + std::string(close));
    }
    std::size_t begin = open + 2;
    std::size_t last = end;
    begin += begin < last && text_[begin] == '-' ? 1 : 0;
    if (last > begin && text_[last - 1] == '-') {
      --last;
      cuts_next_ = true;
    }
    const std::string_view all = text_.substr(begin, last - begin);
    begin += blanks_before(all);
    const std::string_view inner = without_blanks_behind(all.substr(blanks_before(all)));
    at_ = end + 2;
    if (what == '%' && inner == "raw") {
      return read_raw(open);
    }
    pieces_.push_back({what == '{'   ? Piece::Kind::output
                       : what == '%' ? Piece::Kind::tag
                                     : Piece::Kind::comment,
                       inner, place(begin)});
  }

  /// `{% raw %}…{% endraw %}`, for other languages with such braces.
  void read_raw(std::size_t open) {
    for (std::size_t at = text_.find("{%", at_); at != text_.npos; at = text_.find("{%", at + 1)) {
      const std::size_t end = text_.find("%}", at);
      const std::string_view inner = text_.substr(at + 2, end == text_.npos ? 0 : end - at - 2);
      const bool cuts = inner.ends_with('-');
      const std::size_t first = inner.find_first_not_of("- \t\r\n");
      const std::string_view word = first == inner.npos ? inner : inner.substr(first);
      if (word.substr(0, word.find_first_of("- \t\r\n")) == "endraw") {
        add_text(at_, at);
        at_ = end + 2;
        cuts_next_ = cuts;
        return;
      }
    }
    refuse(place(open), "raw is not closed: add {% endraw %}");
  }

  const Source& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  bool cuts_next_ = false;
  std::vector<Piece> pieces_;
};

}  // namespace

std::vector<Piece> take_apart(const Source& source) {
  return Lexer(source).run();
}

}  // namespace eider::views
