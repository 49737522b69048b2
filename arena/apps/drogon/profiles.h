// HttpArena's profiles on Drogon: JSON of items, uploads and files.
// Must not keep what was answered, files least of all.
#pragma once

namespace arena {

/// Registers /json/{count} and /static where PROFILES_DIR in the environment says where
/// dataset.json and the directory static are, POST /upload, and /ws.
void add_profiles();

}  // namespace arena
