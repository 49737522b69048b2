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

/// Returns names that cannot be used in C++: keywords, and macros of headers.
[[nodiscard]] const std::set<std::string, std::less<>>& cpp_words();

/// Returns the size of a shape: its parts and the bytes of their texts.
[[nodiscard]] std::size_t weight_of(const Shape& shape) noexcept;

/// Thrown if types that refer to each other become too large.
struct TooMuch {
  std::string text;
};

class CppTypes {
 public:
  /// components  outlive it
  /// weight      of all shapes for which types are generated: limits the result to a multiple of it
  CppTypes(const std::vector<Shape>& components, std::size_t weight, std::string_view space);

  /// Returns the type of values with that shape. Defines the required structs before.
  ///
  /// context  name of a struct without a name: "Note_author"
  [[nodiscard]] std::string of(const Shape& shape, const std::string& context);
  /// The same for a member or an argument, which may be optional.
  [[nodiscard]] std::string of_member(const Shape& shape, const std::string& context);
  /// Defines a struct with these members, whose names are already valid.
  [[nodiscard]] std::string add_struct(const std::string& name, const std::vector<Shape>& members);

  /// Returns the used names: types and keywords.
  [[nodiscard]] std::set<std::string, std::less<>> taken() const;
  /// Returns the definitions of all components, and of the types that they and the calls so far
  /// need.
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
  /// prefix  of types, if a name within the struct hides them
  [[nodiscard]] std::string struct_text(const std::string& name, const std::vector<Shape>& members,
                                        const std::string& prefix);
  [[nodiscard]] std::string initialiser_of(const Shape& member, std::string_view type) const;
  [[nodiscard]] std::string prefix_for(const std::vector<Shape>& members) const;
  [[nodiscard]] static std::string enum_text(const std::string& name, const Shape& shape);

  std::map<std::string, Component> components_;
  std::vector<std::string> order_;  // of components, as in the document
  std::string space_;
  std::set<std::string, std::less<>> taken_;
  Names names_;
  mutable std::size_t left_;       // weight that may still be spent
  mutable int depth_ = 0;          // of nested references
  std::set<std::string> inlined_;  // aliases whose type is being generated
  bool is_in_list_ = false;        // there, a declared type is sufficient
  bool is_incomplete_ = false;     // the member's type contains an undefined type
  std::string current_;            // the struct that is being generated
  std::string prefix_;             // of types in the struct that is being generated
  std::string declared_;
  std::string defined_;
};

}  // namespace eider::openapi_client
