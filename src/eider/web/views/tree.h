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

/// The place of a value in the page, which determines how it is escaped.
enum class Context : std::uint8_t {
  text,         // between tags
  attribute,    // in a quoted attribute
  url,          // a URL, or its beginning
  own_url,      // the same, but only of this site
  url_part,     // within a URL
  url_segment,  // within a URL, after a '/'
  script,       // a JavaScript value
  json,         // in a script that contains JSON
  style,        // within CSS
  raw,          // unescaped, as the template demands
};

/// Returns whether values of any type are allowed, as JSON.
[[nodiscard]] constexpr bool takes_json(Context context) noexcept {
  return context == Context::script || context == Context::json;
}

/// path     a name and its members. In a page, `variable` is the meaning of the first name, and
///          `names` are the members after it
/// literal  text, integer, real, boolean: `text` as in the template, without quotes
/// filter   `text` is its name; `parts` are the filtered value and the arguments; `names` are the
///          names of the arguments, empty: none is named
/// translation  the filter `tr`: `text` is the context; `parts` are the text, or the number with
///              its singular and plural, and then the arguments with these `names`
/// compare  `text` is the operator
struct Expression {
  enum class Kind : std::uint8_t {
    path,
    loop,  // `text` is the member of `loop` for the loop `variable`
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

  /// Returns the index of the first argument of a translation in `parts`.
  [[nodiscard]] std::size_t first_argument() const noexcept { return parts.size() - names.size(); }
  [[nodiscard]] bool is_plural() const noexcept { return first_argument() > 1; }
};

struct Node;

/// A parameter of a component with its type, or an argument.
///
/// type      of a parameter, as in the template: "text", "notes::Note"
/// variable  in a page: its number
struct Binding {
  Place place = {};
  std::string name = {};
  std::string type = {};
  std::optional<Expression> value = {};
  std::size_t variable = 0;
};

/// A part of a node that has several.
///
/// name       for `case`: the alternative; for the content of a slot: the slot
/// condition  of `if` and `elif`; none: `else`
/// binds      the names that `for` and `case` declare
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

/// Files contain all kinds, pages only those up to `fragment`.
struct Node {
  enum class Kind : std::uint8_t {
    text,
    output,
    choice,    // arms: if, elif …, else
    loop,      // arms: the body, else; `variable`: that of `loop`
    match,     // arms: the cases, else
    call,      // of a component; in a page: its parameters with the arguments, and its body
    fragment,  // can be rendered alone
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

/// One parsed file.
///
/// page      the struct that it shows, "notes::NotePage"; empty: it is only used by other files
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

/// The variables of the page itself and its frame; others are numbered from 2.
inline constexpr std::size_t kPage = 0;
inline constexpr std::size_t kFrame = 1;

/// A complete page: the files that it extends, includes and calls are inserted, names are resolved,
/// and each output has its context.
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
