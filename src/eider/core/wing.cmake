# Types described, JSON and other formats, compression: no request, no socket.
eider_wing(core)
eider_component(core FOLDERS base reflect kinds json
                PACKAGES Threads simdjson
                BUILDING "CLI11 2.1" "tomlplusplus 3.3"
                TARGETS Threads::Threads simdjson::simdjson
                HOT)
eider_component(compress FOLDERS compress)
eider_public(base/base64 base/failure base/html base/inspected base/log base/metric base/program_files
             base/result base/secret_bytes base/sha256 base/slug base/some_or base/span base/token
             base/translation base/utf8 json/json kinds/kinds reflect/constraints reflect/empty reflect/faults
             reflect/nullable)
