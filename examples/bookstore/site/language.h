// Filters of templates for money, dates and ratings in the reader's language.
// Layering: must not choose the language: add_languages does.
#pragma once

#include <eider/languages.h>
#include <eider/pagination.h>
#include <eider/types.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace bookstore {

/// Returns the price of that number of copies.
[[nodiscard]] std::int64_t times(std::int64_t cents, std::int64_t count);
/// Formats money: "€19.90", "19,90 €".
[[nodiscard]] std::string money(std::int64_t cents, const eider::Translator& tr);
/// Formats a rating: "4.3", "4,3".
[[nodiscard]] std::string rating(double stars, const eider::Translator& tr);
/// Formats stars: "★★★☆☆".
[[nodiscard]] std::string star_row(std::int64_t stars);
/// Formats a date: "Nov 23, 2026", "23.11.2026".
[[nodiscard]] std::string day(std::chrono::sys_seconds instant, const eider::Translator& tr);

/// Returns the links to the pages of a list, with translated words.
[[nodiscard]] eider::PageLinks translated(const eider::Translator& tr, eider::PageLinks links);

}  // namespace bookstore
