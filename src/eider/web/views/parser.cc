#include "eider/web/views/parser.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "eider/core/base/text_encoding.h"
#include "eider/core/base/utf8.h"
#include "eider/web/views/expression.h"
#include "eider/web/views/source.h"

namespace eider::views {
namespace {

/// text  for kText, the text without the whitespace that `{%- -%}` removes; else the text within
///       the braces
struct Piece {
  enum class Kind : std::uint8_t { text, output, tag, comment };
  Kind kind;
  std::string_view text;
  Place place;  // of `text`
};

constexpr std::string_view kBlanks = " \t\r\n\f\v";

std::string_view without_blanks_behind(std::string_view text) {
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

std::size_t blanks_before(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == text.npos ? text.size() : first;
}

/// Splits a template into text, outputs and tags.
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

  /// Returns the position of the first `close` after `from` that is not in quotes.
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

  /// Reads `{% raw %}…{% endraw %}`, for other languages with such braces.
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

/// errors  throws Refused for braces that are not closed
std::vector<Piece> take_apart(const Source& source) {
  return Lexer(source).run();
}

using NodeKind = Node::Kind;

constexpr std::array<std::string_view, 14> kTags = {
    "if",     "for",  "match", "extends", "block", "super",    "include",
    "import", "slot", "call",  "fill",    "raw",   "fragment", "component"};

/// Tags that may end the nodes of an arm; the caller, which began it, checks them.
constexpr std::array<std::string_view, 13> kEnds = {
    "elif",    "else",         "endif",   "endfor", "case",        "endmatch", "endblock",
    "endslot", "endcomponent", "endcall", "fill",   "endfragment", "endfill"};

std::vector<std::string> tag_names() {
  return {kTags.begin(), kTags.end()};
}

bool is_blank_text(const Node& node) {
  return node.kind == NodeKind::text && node.text.find_first_not_of(" \t\r\n") == node.text.npos;
}

/// Returns whether the text is a type such as "notes::Frame", and not words of a comment.
bool names_type(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != text.npos && text.substr(begin).find_first_of(" \t\r\n") == text.npos &&
         text.find("::") != text.npos;
}

std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find_first_of(" \t\r\n(\""));
}

class FileParser {
 public:
  explicit FileParser(File& file) : file_(file), pieces_(take_apart(file.source)) {}

  void run() {
    file_.nodes = nodes();
    if (at_ < pieces_.size()) {
      refuse(pieces_[at_].place,
             "unexpected " + std::string(first_word(pieces_[at_].text)) + ": no tag is open");
    }
  }

 private:
  [[nodiscard]] const Piece& piece() const { return pieces_[at_]; }

  [[nodiscard]] std::vector<Node> nodes() {
    std::vector<Node> made;
    while (at_ < pieces_.size()) {
      const Piece& here = piece();
      if (here.kind == Piece::Kind::tag &&
          std::ranges::find(kEnds, first_word(here.text)) != kEnds.end()) {
        break;
      }
      ++at_;
      switch (here.kind) {
        case Piece::Kind::text:
          made.push_back({NodeKind::text, here.place, std::string(here.text)});
          break;
        case Piece::Kind::output:
          made.push_back(output(here));
          break;
        case Piece::Kind::tag:
          tag(here, made);
          break;
        case Piece::Kind::comment:
          comment(here);
          break;
      }
    }
    return made;
  }

  static Node output(const Piece& here) {
    Words words(here.text, here.place);
    Node made{NodeKind::output, here.place};
    made.value = words.expression();
    words.expect_end("the value");
    return made;
  }

  /// Comments that start with "page", "frame" or "include" are declarations of the file. A line
  /// that contains only such a comment is not part of the page.
  void comment(const Piece& here) {
    Words words(here.text, here.place);
    if (words.take("page")) {
      const Place at = words.place();
      if (!file_.page.empty()) {
        refuse(at, "this file already names its struct: " + file_.page);
      }
      file_.page = words.type();
      file_.page_place = at;
      words.expect_end("the page's struct");
    } else if (here.text.starts_with("frame ") && names_type(here.text.substr(6))) {
      static_cast<void>(words.take("frame"));
      const Place at = words.place();
      if (!file_.frame.empty()) {
        refuse(at, "this file already names its frame: " + file_.frame);
      }
      file_.frame = words.type();
      file_.frame_place = at;
      words.expect_end("the frame's struct");
    } else if (words.take("include")) {
      file_.includes.push_back(words.rest());
      const std::string& header = file_.includes.back();
      const bool is_quoted =
          header.size() > 2 && ((header.front() == '"' && header.back() == '"') ||
                                (header.front() == '<' && header.back() == '>'));
      if (!is_quoted || header.find_first_of("\n\r\\") != header.npos) {
        refuse(here.place, "expected a header file: include \"notes/pages.h\"");
      }
    } else {
      return;
    }
    skip_line_end();
  }

  void skip_line_end() {
    if (at_ < pieces_.size() && piece().kind == Piece::Kind::text) {
      Piece& behind = pieces_[at_];
      const std::size_t bytes = behind.text.starts_with("\r\n") ? 2
                                : behind.text.starts_with('\n') ? 1
                                                                : 0;
      behind.text.remove_prefix(bytes);
      behind.place.offset += bytes;
    }
  }

  void tag(const Piece& here, std::vector<Node>& made) {
    Words words(here.text, here.place);
    const std::string name = words.name("a tag's name");
    if (++depth_ > kTagsDeepMax) {
      refuse(here.place, "tags are nested too deeply here");
    }
    if (name == "extends" || name == "import") {
      refer(name, here, words);
    } else {
      made.push_back(node_of(name, here, words));
    }
    --depth_;
  }

  [[nodiscard]] Node node_of(const std::string& name, const Piece& here, Words& words) {
    if (name == "if") {
      return choice(here, words);
    }
    if (name == "for") {
      return loop(here, words);
    }
    if (name == "match") {
      return match(here, words);
    }
    if (name == "block" || name == "fragment") {
      return named(name == "block" ? NodeKind::block : NodeKind::fragment, name, here, words);
    }
    if (name == "include") {
      Node made{NodeKind::include, words.place(), words.text("the file name")};
      words.expect_end("the file name");
      return made;
    }
    if (name == "super") {
      words.expect_end("super");
      return {NodeKind::super, here.place};
    }
    if (name == "component") {
      return component(here, words);
    }
    if (name == "call") {
      return call(here, words);
    }
    if (name == "slot") {
      return slot(here, words);
    }
    refuse(here.place, "unknown tag " + name + suggestion(name, tag_names()));
  }

  void refer(const std::string& name, const Piece& here, Words& words) {
    Binding file{words.place(), words.text("the file name")};
    words.expect_end("the file name");
    if (depth_ > 1) {
      refuse(here.place, name + " must be at the start of a file, outside of other tags");
    }
    if (name == "import") {
      file_.imports.push_back(std::move(file));
    } else if (file_.extends) {
      refuse(here.place, "this file already extends " + file_.extends->name);
    } else {
      file_.extends = std::move(file);
    }
    skip_line_end();
  }

  /// Consumes the end tag of the node at `opened`, or one of `any` that continues it.
  [[nodiscard]] std::string close(const Piece& opened, std::span<const std::string_view> any) {
    const std::string_view what = first_word(opened.text);
    if (at_ < pieces_.size()) {
      const std::string_view word = first_word(piece().text);
      if (std::ranges::find(any, word) != any.end()) {
        return std::string(word);
      }
      refuse(piece().place, "unexpected closing tag: the innermost open tag is \"" +
                                std::string(opened.text) + "\" in line " +
                                std::to_string(line_of(opened.place)) + ", which is closed by {% " +
                                std::string(any.back()) + " %}");
    }
    refuse(opened.place,
           std::string(what) + " is not closed: add {% " + std::string(any.back()) + " %}");
  }

  /// Consumes a tag, and returns the words after its name.
  [[nodiscard]] Words take_tag() {
    const Piece& here = pieces_[at_++];
    Words words(here.text, here.place);
    (void)words.name("a tag's name");
    return words;
  }

  void take_end(const Piece& opened, std::string_view end, std::string_view name = {}) {
    const std::array<std::string_view, 1> only = {end};
    (void)close(opened, only);
    Words words = take_tag();
    if (!name.empty()) {
      (void)words.take(name);
    }
    words.expect_end(end);
  }

  [[nodiscard]] Node choice(const Piece& here, Words& words) {
    constexpr std::array<std::string_view, 3> kAny = {"elif", "else", "endif"};
    Node made{NodeKind::choice, here.place};
    made.arms.push_back({here.place, "if", words.expression()});
    words.expect_end("the condition");
    while (true) {
      made.arms.back().nodes = nodes();
      const std::string word = close(here, kAny);
      const Place at = piece().place;
      Words behind = take_tag();
      if (word == "endif") {
        behind.expect_end(word);
        return made;
      }
      if (!made.arms.back().condition) {
        refuse(at, "only endif may follow else");
      }
      made.arms.push_back({at, word});
      if (word == "elif") {
        made.arms.back().condition = behind.expression();
      }
      behind.expect_end(word);
    }
  }

  [[nodiscard]] Node loop(const Piece& here, Words& words) {
    constexpr std::array<std::string_view, 2> kAny = {"else", "endfor"};
    Node made{NodeKind::loop, here.place};
    Arm body{here.place, "for"};
    do {
      const Place at = words.place();
      body.binds.push_back({at, words.name("a name for the loop variable")});
    } while (words.take(","));
    if (body.binds.size() > 2) {
      refuse(body.binds[2].place, "a loop has one variable, or two for a map");
    }
    words.expect("in", "for note in notes");
    made.value = words.expression();
    words.expect_end("the list");
    body.nodes = nodes();
    made.arms.push_back(std::move(body));
    if (close(here, kAny) == "else") {
      made.arms.push_back({piece().place, "else"});
      take_tag().expect_end("else");
      made.arms.back().nodes = nodes();
    }
    take_end(here, "endfor");
    return made;
  }

  [[nodiscard]] Node match(const Piece& here, Words& words) {
    constexpr std::array<std::string_view, 3> kAny = {"case", "else", "endmatch"};
    Node made{NodeKind::match, here.place};
    made.value = words.expression();
    words.expect_end("the value");
    for (const Node& node : nodes()) {
      if (!is_blank_text(node)) {
        refuse(node.place, "in a match, content must follow a case");
      }
    }
    while (close(here, kAny) != "endmatch") {
      if (!made.arms.empty() && made.arms.back().name == "else") {
        refuse(piece().place, "only endmatch may follow else");
      }
      made.arms.push_back(match_arm());
    }
    take_end(here, "endmatch");
    if (made.arms.empty()) {
      refuse(here.place, "this match has no cases");
    }
    return made;
  }

  [[nodiscard]] Arm match_arm() {
    const bool is_else = first_word(piece().text) == "else";
    Arm arm{piece().place, "else"};
    Words words = take_tag();
    if (!is_else) {
      arm.place = words.place();
      arm.name = words.name("the name of the alternative");
      while (words.take("::")) {
        arm.name += "::" + words.name("the name of the alternative");
      }
      const Place at = words.place();
      if (auto bound = words.try_name()) {
        arm.binds.push_back({at, std::move(*bound)});
      }
    }
    words.expect_end("the case");
    arm.nodes = nodes();
    return arm;
  }

  /// Reads a block or a fragment.
  [[nodiscard]] Node named(NodeKind kind, const std::string& tag, const Piece& here, Words& words) {
    Node made{kind, here.place, words.name("a name")};
    words.expect_end("the name");
    made.arms.push_back({here.place, made.text, nodes()});
    take_end(here, "end" + tag, made.text);
    return made;
  }

  [[nodiscard]] Node component(const Piece& here, Words& words) {
    if (depth_ > 1) {
      refuse(here.place, "a component must not be defined inside another tag");
    }
    Node made{NodeKind::component, here.place, words.name("the name of the component")};
    if (words.take("(")) {
      while (!words.take(")")) {
        Binding parameter{words.place(), words.name("a parameter's name")};
        words.expect(":", "a parameter needs a type, title: text");
        parameter.type = words.type();
        made.binds.push_back(std::move(parameter));
        if (!words.take(",")) {
          words.expect(")", "the end of the parameters");
          break;
        }
      }
    }
    words.expect_end("the parameters");
    made.arms.push_back({here.place, made.text, nodes()});
    take_end(here, "endcomponent", made.text);
    return made;
  }

  [[nodiscard]] Node call(const Piece& here, Words& words) {
    constexpr std::array<std::string_view, 2> kAny = {"fill", "endcall"};
    Node made{NodeKind::call, here.place, words.name("the name of the component")};
    if (words.take("(")) {
      while (!words.take(")")) {
        Binding argument{words.place(), words.name("a parameter's name")};
        words.expect(":", "an argument needs the name of its parameter, title: note.title");
        argument.value = words.expression();
        made.binds.push_back(std::move(argument));
        if (!words.take(",")) {
          words.expect(")", "the end of the arguments");
          break;
        }
      }
    }
    words.expect_end("the arguments");
    made.arms.push_back({here.place, ""});
    while (true) {
      for (Node& node : nodes()) {
        made.arms.front().nodes.push_back(std::move(node));
      }
      if (close(here, kAny) == "endcall") {
        break;
      }
      made.arms.push_back(fill());
    }
    take_end(here, "endcall", made.text);
    return made;
  }

  [[nodiscard]] Arm fill() {
    const Piece opened = piece();
    Words words = take_tag();
    Arm made{opened.place, words.name("the name of the slot")};
    words.expect_end("the name of the slot");
    made.nodes = nodes();
    take_end(opened, "endfill", made.name);
    return made;
  }

  [[nodiscard]] static Node slot(const Piece& here, Words& words) {
    Node made{NodeKind::slot, here.place, words.try_name().value_or("")};
    words.expect_end("the name of the slot");
    return made;
  }

  File& file_;
  std::vector<Piece> pieces_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

ViewResult<std::shared_ptr<const File>> parse_template(Source source) {
  if (const auto wrong = eider::detail::base::encoding_error(source.text)) {
    return fail(ViewError{source.name, wrong->line, 1, std::string(wrong->what)});
  }
  source.text.erase(0, source.text.size() - without_bom(source.text).size());
  auto file = std::make_shared<File>();
  file->source = std::move(source);
  if (file->source.text.size() > kTemplateBytesMax) {
    return fail(ViewError{file->source.name, 1, 1, "the template is larger than 1 MiB"});
  }
  try {
    FileParser(*file).run();
  } catch (Refused& refused) {
    return fail(std::move(refused.error));
  }
  return file;
}

}  // namespace eider::views
