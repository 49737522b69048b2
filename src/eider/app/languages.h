// Problem documents in the reader's language, from texts that the application has.
// Must not know what can be wrong: it goes by codes.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "eider/app/middleware.h"

namespace eider {

/// tag    "de", "pt-BR"
/// texts  by the code of a fault, with its arguments in braces, or by what is said in English:
///        {"length", "muss {min} bis {max} Zeichen haben"}, {"Not Found", "Nicht gefunden"}
struct Language {
  std::string tag;
  std::map<std::string, std::string, std::less<>> texts;
};

/// Says problem documents (RFC 9457) in the language of `languages` that the client asks for by
/// Accept-Language: `detail` of each fault by its code, or by its text; title and detail of the
/// whole by their texts. What has no text stays as it is, and so does all for whoever prefers
/// English. Codes and arguments stay.
///
///     app.use(say_in({{"de", {{"missing", "fehlt"}}}}));
///
/// Other English words than the library's are texts of "en":
///
///     app.use(say_in({{"en", {{"There is nothing here.", "We have no such page."}}}}));
[[nodiscard]] Hook say_in(std::vector<Language> languages);

}  // namespace eider
