// The parsed form of a template: nodes and expressions of a file or a page.
// Layering: must not know the parser or the use of the tree.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eider/web/views/source.h"

namespace eider::views {

/// Where a value stands in the page, and so how it is written.
enum class Context : std::uint8_t {
  text,         // between tags
  attribute,    // in a quoted attribute
  url,          // an address, or its beginning
  own_url,      // likewise, of this site alone
  url_part,     // within an address
  url_segment,  // within an address, behind a '/'
  script,       // a value of JavaScript
  json,         // of a script that is JSON
  style,        // within CSS
  raw,          // as it is, because the template says so
};

/// Where a value of any type may stand, as JSON.
[[nodiscard]] constexpr bool takes_json(Context context) noexcept {
  return context == Context::script || context == Context::json;
}

/// path     names behind each other. In a page: `variable` is what the first one was, and `names`
///          are the members behind it
/// literal  text, integer, real, boolean: as written in `text`, without quotes
/// filter   `text` is its name; parts are what it is given, and its arguments; `names` are the
///          arguments' names, empty: none has one
/// translation  of the filter `tr`: `text` is the context. parts are the text; or the number, its
///          singular and its plural; then the arguments, which are called `names`
/// compare  `text` is the operator
struct Expression {
  enum class Kind : std::uint8_t {
    path,
    loop,  // `text` is what is asked of the loop that is `variable`
    text,
    integer,
    real,
    boolean,
    negation,
    both,
    either,
    compare,
    filter,
    translation,
  };
  Kind kind = Kind::path;
  Place place = {};
  std::string text = {};
  std::vector<std::string> names = {};
  std::vector<Expression> parts = {};
  std::size_t variable = 0;

  /// Of a translation: the place of its first argument in parts.
  [[nodiscard]] std::size_t first_argument() const noexcept { return parts.size() - names.size(); }
  [[nodiscard]] bool is_plural() const noexcept { return first_argument() > 1; }
};

struct Node;

/// A name with what it is given: a component's parameter with its type, or an argument.
///
/// type      of a parameter, as it was written: "text", "notes::Note"
/// variable  in a page: what it is known as
struct Binding {
  Place place = {};
  std::string name = {};
  std::string type = {};
  std::optional<Expression> value = {};
  std::size_t variable = 0;
};

/// A part of a node that has parts.
///
/// name       of `case`: the alternative; of what fills a slot: the slot
/// condition  of `if` and `elif`; none: `else`
/// binds      what `for` and `case` name
struct Arm {
  Arm(Place at, std::string its_name, std::optional<Expression> only_if = {},
      std::vector<Binding> bound = {});
  Arm(Place at, std::string its_name, std::vector<Node> content);

  Place place;
  std::string name;
  std::optional<Expression> condition;
  std::vector<Binding> binds;
  std::vector<Node> nodes;
};

/// Of a file all kinds, of a page those down to `fragment`.
struct Node {
  enum class Kind : std::uint8_t {
    text,
    output,
    choice,    // arms: if, elif …, else
    loop,      // arms: the body, else; `variable`: what `loop` means
    match,     // arms: the cases, else
    call,      // of a component; in a page: its parameters with the arguments, and its content
    fragment,  // rendered alone, too
    block,
    super,
    include,
    component,
    slot,
  };
  Kind kind = Kind::text;
  Place place = {};
  std::string text = {};
  Context context = Context::text;
  std::optional<Expression> value = {};
  std::vector<Binding> binds = {};
  std::vector<Arm> arms = {};
  std::size_t variable = 0;
};

inline Arm::Arm(Place at, std::string its_name, std::optional<Expression> only_if,
                std::vector<Binding> bound)
    : place(at),
      name(std::move(its_name)),
      condition(std::move(only_if)),
      binds(std::move(bound)) {}
inline Arm::Arm(Place at, std::string its_name, std::vector<Node> content)
    : place(at), name(std::move(its_name)), nodes(std::move(content)) {}

/// One file, read by itself.
///
/// page      the struct that it shows, "notes::NotePage"; empty: it is a part of others
/// frame     the struct that a layout shows around each page, "notes::Frame"; empty: none
/// includes  headers, with their quotes or angle brackets
/// extends   the file whose blocks it fills
/// imports   files whose components it uses
struct File {
  Source source;
  std::string page = {};
  Place page_place = {};
  std::string frame = {};
  Place frame_place = {};
  std::vector<std::string> includes = {};
  std::optional<Binding> extends = {};
  std::vector<Binding> imports = {};
  std::vector<Node> nodes = {};
};

/// The variables that are the page itself and its frame; further ones are numbered from 2.
inline constexpr std::size_t kPage = 0;
inline constexpr std::size_t kFrame = 1;

/// A page with all that it extends, includes and calls put in its place. What it names is resolved,
/// and every output knows its context.
struct Tree {
  std::string name;
  std::string page;
  Place page_place;
  std::string frame = {};
  Place frame_place = {};
  std::vector<std::string> includes;
  std::vector<Node> nodes;
  std::size_t variables = kFrame + 1;
  std::vector<std::shared_ptr<const File>> files;
};

}  // namespace eider::views
