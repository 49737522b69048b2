// Generates C++ types for shapes: structs and enums, in an order that compiles.
// Layering: must not know calls.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/openapi_client/api.h"
#include "cli/openapi_client/names.h"

namespace eider::openapi_client {

/// What no name of C++ may be, and what headers make macros of.
[[nodiscard]] const std::set<std::string, std::less<>>& cpp_words();

/// How much a shape says: its parts and the bytes of their texts.
[[nodiscard]] std::size_t weight_of(const Shape& shape) noexcept;

/// Thrown: types that refer to each other make too much of a document.
struct TooMuch {
  std::string text;
};

class CppTypes {
 public:
  /// components  outlive it
  /// weight      of all shapes that types are made of: a multiple of it is what may be made
  CppTypes(const std::vector<Shape>& components, std::size_t weight, std::string_view space);

  /// The type of values of that shape. Structs that it needs are defined before.
  ///
  /// context  what a struct is called that has no name: "Note_author"
  [[nodiscard]] std::string of(const Shape& shape, const std::string& context);
  /// The same of a member or an argument, which may be absent.
  [[nodiscard]] std::string of_member(const Shape& shape, const std::string& context);
  /// Defines a struct of these members, which are names already.
  [[nodiscard]] std::string add_struct(const std::string& name, const std::vector<Shape>& members);

  /// Names that are taken: types', and those of the language.
  [[nodiscard]] std::set<std::string, std::less<>> taken() const;
  /// All components and what they and the calls so far needed.
  [[nodiscard]] std::string definitions();

 private:
  enum class As : std::uint8_t { structure, enumeration, alias };
  enum class State : std::uint8_t { known, begun, done };

  struct Component {
    const Shape* shape;
    std::string name;
    As as = As::alias;
    State state = State::known;
  };

  [[nodiscard]] std::string without_null(const Shape& shape, const std::string& context);
  [[nodiscard]] std::string of_literals(const Shape& shape, const std::string& context);
  [[nodiscard]] std::string of_reference(const std::string& to, const std::string& context);
  [[nodiscard]] std::string of_members(const Shape& shape, const std::string& context);
  [[nodiscard]] std::string of_parts(const Shape& shape, const std::string& context);
  [[nodiscard]] std::string of_elements(const Shape& shape, const std::string& context);
  /// throws  TooMuch
  void spend(std::size_t weight) const;
  [[nodiscard]] bool allows_null(const Shape& shape) const;
  [[nodiscard]] std::optional<std::vector<Shape>> members_of(const Shape& shape) const;
  [[nodiscard]] std::optional<std::vector<std::vector<Shape>>> alternatives(
      const std::vector<Shape>& parts) const;
  [[nodiscard]] As kind_of(const Shape& shape) const;
  void define(Component& component);
  /// prefix  of types, where a name within hides theirs
  [[nodiscard]] std::string struct_text(const std::string& name, const std::vector<Shape>& members,
                                        const std::string& prefix);
  [[nodiscard]] std::string initialiser_of(const Shape& member, std::string_view type) const;
  [[nodiscard]] std::string prefix_for(const std::vector<Shape>& members) const;
  [[nodiscard]] static std::string enum_text(const std::string& name, const Shape& shape);

  std::map<std::string, Component> components_;
  std::vector<std::string> order_;  // of components, as the document has them
  std::string space_;
  std::set<std::string, std::less<>> taken_;
  Names names_;
  mutable std::size_t left_;       // that may be spent
  mutable int depth_ = 0;          // of references that are being followed
  std::set<std::string> inlined_;  // aliases whose type is being made
  bool is_in_list_ = false;        // there a declared type is enough
  bool is_incomplete_ = false;     // the member's type holds one that is not defined yet
  std::string current_;            // the struct that is being made
  std::string prefix_;             // of types in the struct that is being made
  std::string declared_;
  std::string defined_;
};

}  // namespace eider::openapi_client
