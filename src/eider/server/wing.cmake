# Connections and requests of HTTP/1.1 and HTTP/2, topics, and the life of processes.
eider_wing(server DEPENDS io)
eider_component(core FOLDERS . process
                SMALL process inspector.cc lifecycle.cc listening.cc server.cc)
eider_component(http2 FOLDERS http2
                MODULES "nghttp2 libnghttp2>=1.52"
                TARGETS PkgConfig::nghttp2
                DEBIAN libnghttp2-dev)
