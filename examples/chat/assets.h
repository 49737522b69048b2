// The pages, their style, scripts and icon, built into the program so that it runs from anywhere.
// Must not hold anything that differs between requests.
#pragma once

namespace chat::assets {

extern const char* const kLobbyPage;
extern const char* const kRoomPage;
extern const char* const kStyle;
extern const char* const kIcon;
// Modules: the pages' own, and those that they import.
extern const char* const kLobbyScript;
extern const char* const kRoomScript;
extern const char* const kConnectionScript;
extern const char* const kLogScript;

}  // namespace chat::assets
