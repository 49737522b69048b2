# Types described, JSON and other formats, compression: no request, no socket.
eider_wing(core)
eider_component(core FOLDERS base reflect kinds json
                HEADERS json text types
                PACKAGES Threads simdjson
                BUILDING "CLI11 2.1" "tomlplusplus 3.3"
                TARGETS Threads::Threads simdjson::simdjson
                DEBIAN libsimdjson-dev
                HOT)
eider_component(compress FOLDERS compress)
