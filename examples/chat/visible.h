// Whether a text shows all that it is made of: a name that hides something passes for another.
// Must not judge what looks alike across alphabets: "Ada" can still be written with a Cyrillic a.
#pragma once

#include <string_view>

namespace chat {

/// No character that leaves no mark: none that controls, joins, marks or turns text around, no
/// blank but the ASCII one, and of those not two in a row, which pages show as one.
///
/// text    UTF-8
/// source  Unicode's Default_Ignorable_Code_Point, Cc, Cf, Zs, Zl, Zp, Co
[[nodiscard]] bool is_visible(std::string_view text) noexcept;

}  // namespace chat
