// The pages' style, script and icon, built into the program so that it runs from anywhere.
// Must not hold anything that differs between requests.
#pragma once

namespace notes::assets {

extern const char* const kStyle;
extern const char* const kScript;
extern const char* const kIcon;

}  // namespace notes::assets
